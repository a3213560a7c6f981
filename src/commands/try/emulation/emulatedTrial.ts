/** The machine of `try --qemu`: starts it, reports its state as events, and stops it at the end. */

import { resolve } from 'node:path';
import { UsageError } from '../../../core/errors.ts';
import { type EmulatedMachine, startMachine } from './emulatedMachine.ts';
import { isRemote } from '../../../http/client/httpUrl.ts';
import type { Io } from '../../../io/io.ts';
import { type ApiPlace, guestNetwork } from '../timeline/addresses.ts';
import type { MachineEvent } from '../timeline/events.ts';
import { type Accelerator, machineArguments, type MachinePlan, type Medium } from './qemu.ts';
import type { IronicApi } from '../api/ironicApi.ts';
import { createQuietLog } from '../quietLog.ts';
import type { ImageService } from '../serving/imageService.ts';
import { startFolderService } from '../serving/preparedFolderService.ts';
import { createDeferred } from '../../../core/deferred.ts';
import { findingOf } from '../../../ignition/rule.ts';
import { withoutIgnored } from '../../../io/report/ruleBook.ts';
import { type PlannedMachine, type TrialPlan } from '../trial.ts';
import { type ConsoleOutput, createConsoleWatch, openConsoleOutput } from '../consoleOutput.ts';
import type { EmulatedSource } from './emulatedSource.ts';
import type { GuestAddress } from './guestAddress.ts';

export interface MachineRun {
  /** QEMU. */
  readonly program: string;
  /** In order of preference. */
  readonly accelerators: readonly Accelerator[];
  readonly plan: MachinePlan;
  readonly console: ConsoleOutput;
  readonly observe: (state: MachineEvent['state'], problem?: string) => void;
  /** Reports a message about the machine. */
  readonly report: (message: string) => void;
  readonly env: Io['env'];
}

export interface TrialMachine {
  /** Resolves when the machine has ended for the last time. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

export function runTrialMachine(run: MachineRun): TrialMachine {
  const { accelerators, observe } = run;
  let current: Promise<Attempt> | undefined;
  let isStopped = false;
  const ended = (async () => {
    for (const [index, accelerator] of accelerators.entries()) {
      current = startAttempt(run, accelerator);
      const { failed, machine } = await current;
      const problem = await failed;
      await machine.stop();
      if (isStopped) return undefined;
      if (problem === undefined) return observe('powered off');
      if (index + 1 === accelerators.length) return observe('failed', problem);
      run.report(`${accelerator} does not work (${problem}); restarting the machine with software emulation`);
    }
  })();
  return {
    ended,
    stop: async () => {
      isStopped = true;
      await (await current)?.machine.stop();
      await ended;
    },
  };
}

interface Attempt {
  readonly machine: EmulatedMachine;
  /** Why it failed; undefined if the machine powered off. */
  readonly failed: Promise<string | undefined>;
}

async function startAttempt(run: MachineRun, accelerator: Accelerator): Promise<Attempt> {
  const { accelerators, console, observe, plan, program } = run;
  const stuck = createDeferred<string>();
  const machine = await startMachine(
    [program, ...machineArguments(plan, accelerator)],
    run.env,
    (bytes) => console.write(bytes),
    (signal) => {
      if (signal === 'stuck') stuck.resolve('QEMU stopped the machine');
      else observe('rebooted');
    },
  );
  if (accelerator === accelerators[0]) observe('started'); // a later attempt is the same machine
  return { machine, failed: Promise.race([machine.ended, stuck.promise]) };
}

/** The boot medium of the machine. Starts the server of a folder. Throws CliError if there is no medium. */
async function findMedium(
  { cleanup, io, trial }: TrialPlan,
  { host, medium }: EmulatedSource,
  images: ImageService | undefined,
): Promise<Medium> {
  if (medium.kind === 'image') {
    const { source } = medium;
    return isRemote(source) ? { kind: 'cd-url', url: source } : { kind: 'cd', path: resolve(io.cwd, source) };
  }
  if (medium.kind === 'folder') {
    const { scriptUrl, stop } = await startFolderService(medium, createQuietLog(io), trial.observe);
    cleanup.defer(stop);
    return { kind: 'network', scriptUrl };
  }
  if (images === undefined) throw new UsageError(`no images for ${host.name}`);
  return medium.way === 'cd'
    ? { kind: 'cd-url', url: images.isoUrl(medium.name) }
    : { kind: 'network', scriptUrl: images.scriptUrl() };
}

export interface GuestContext {
  readonly api: IronicApi;
  readonly guest: GuestAddress;
  readonly images: ImageService | undefined;
  readonly place: ApiPlace;
}

/** Throws CliError if there is no medium, or if the console file cannot be created. */
export async function startEmulated(
  plan: TrialPlan,
  { setup, source }: PlannedMachine,
  { api, guest, images, place }: GuestContext,
): Promise<TrialMachine> {
  const { cleanup, io, options, output, trial } = plan;
  const medium = await findMedium(plan, source, images);
  output.report({
    severity: 'info',
    message: `the emulated machine ${source.mac} reaches this machine at ${guest.host}, and the mock Ironic at ${place.scheme}://${guest.host}:${place.port}`,
  });
  if (guest.config?.kind === 'unknown')
    output.report({
      severity: 'warning',
      message: `cannot check whether the agent calls the mock Ironic: ${guest.config.reason}`,
      hint: 'run `ironic-coreos inspect` to see the agent and the Ironic URL of the image',
    });
  if (guest.config !== undefined && guest.config.kind !== 'no-config') {
    for (const finding of withoutIgnored((guest.config.issues ?? []).map(findingOf), io))
      output.report(finding);
  }
  const watch = createConsoleWatch(source.host.name, trial.observe);
  const onLine = (line: string): void => {
    output.print(`console| ${line}`);
    watch(line);
  };
  const console = await openConsoleOutput(options.console, onLine, io);
  cleanup.defer(() => console.close());
  const { architecture, mac } = source;
  const { accelerators, firmware, memory, program } = setup;
  const machine = runTrialMachine({
    program,
    accelerators,
    plan: { architecture, firmware, memory, mac, network: guestNetwork(guest.host, '--guest-host'), medium },
    console,
    observe: (state, problem) => {
      if (state === 'started' || state === 'rebooted') api.resetMachine(mac);
      trial.observe({ kind: 'machine', at: new Date(), client: undefined, mac, state, problem });
    },
    report: (message) => output.report({ severity: 'info', message }),
    env: io.env,
  });
  cleanup.defer(() => machine.stop());
  return machine;
}

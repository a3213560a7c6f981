/** The machine of `try --qemu`: starts it, reports its state as events, and stops it at the end. */

import { resolve } from 'node:path';
import { UsageError } from '../../core/errors.ts';
import { type EmulatedMachine, type QemuSignal, startMachine } from './emulatedMachine.ts';
import { isRemote } from '../../io/http/httpUrl.ts';
import type { Io } from '../../io/io.ts';
import type { Diagnostic } from '../../core/diagnostic.ts';
import { type ApiPlace, type GuestNetwork, guestNetwork } from '../timeline/addresses.ts';
import type { MachineEvent } from '../timeline/events.ts';
import { type Accelerator, machineArguments, type MachinePlan, type Medium } from './qemu.ts';
import type { IronicApi } from '../api/ironicApi.ts';
import { createQuietLog } from '../quietLog.ts';
import type { ImageService } from '../serving/imageService.ts';
import { startFolderService } from '../serving/preparedFolderService.ts';
import { createDeferred } from '../../core/deferred.ts';
import { type PlannedMachine, type TrialPlan } from '../trial.ts';
import { type ConsoleOutput, openConsoleOutput } from './consoleOutput.ts';
import { createConsoleWatch } from '../consoleWatch.ts';
import type { EmulatedSource, MachineSetup } from './emulatedSource.ts';
import type { GuestAddress } from './guestAddress.ts';

export interface MachineRun {
  readonly setup: MachineSetup;
  readonly source: EmulatedSource;
  readonly medium: Medium;
  readonly network: GuestNetwork;
  readonly console: ConsoleOutput;
  readonly observe: (event: MachineEvent) => void;
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
  let current: Promise<EmulatedMachine> | undefined;
  let isStopped = false;
  const begin = (accelerator: Accelerator): Promise<Attempt> => {
    const attempt = startAttempt(run, accelerator);
    current = attempt.then(({ machine }) => machine);
    return attempt;
  };
  const ended = (async () => {
    for (const [index, accelerator] of run.setup.accelerators.entries()) {
      const { failed } = await begin(accelerator);
      const problem = await failed;
      const hasNext = index + 1 < run.setup.accelerators.length;
      if (problem === undefined || isStopped || !hasNext) return reportEnd(run, problem, isStopped);
      run.report(`${accelerator} does not work (${problem}); restarting the machine with software emulation`);
    }
  })();
  return {
    ended,
    stop: async () => {
      isStopped = true;
      await (await current)?.stop();
      await ended;
    },
  };
}

function reportEnd(
  { observe, source: { mac } }: MachineRun,
  problem: string | undefined,
  isStopped: boolean,
): void {
  if (isStopped) return;
  const state = problem === undefined ? 'powered off' : 'failed';
  observe({ kind: 'machine', at: new Date(), client: undefined, mac, state, problem });
}

interface Attempt {
  readonly machine: EmulatedMachine;
  /** Why it failed; undefined if the machine powered off. */
  readonly failed: Promise<string | undefined>;
}

async function startAttempt(run: MachineRun, accelerator: Accelerator): Promise<Attempt> {
  const { console, observe, setup, source } = run;
  const { firmware, memory, program } = setup;
  const { architecture, mac } = source;
  const { medium, network } = run;
  const plan: MachinePlan = { architecture, accelerator, firmware, memory, mac, network, medium };
  const reportState = (state: MachineEvent['state']): void =>
    observe({ kind: 'machine', at: new Date(), client: undefined, mac, state, problem: undefined });
  const stuck = createDeferred();
  const machine = await startMachine({
    program,
    args: machineArguments(plan),
    env: run.env,
    console: (bytes) => console.write(bytes),
    onSignal: (signal: QemuSignal) => {
      if (signal === 'stuck') stuck.resolve();
      else if (signal === 'rebooted') reportState('rebooted');
    },
  });
  if (accelerator === setup.accelerators[0]) reportState('started'); // a later attempt is the same machine
  const gone = machine.ended.then(({ problem }) => problem);
  const isStuck = stuck.promise.then(() => 'QEMU stopped the machine');
  const failed = Promise.race([gone, isStuck]).then(async (problem) => {
    await machine.stop();
    return problem;
  });
  return { machine, failed };
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
    const { observe } = trial;
    const { scriptUrl, stop } = await startFolderService(medium, { log: createQuietLog(io), observe });
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
  const network = guestNetwork(guest.host, '--guest-host');
  output.report({
    severity: 'info',
    message: `the emulated machine ${source.mac} reaches this machine at ${guest.host}, and the mock Ironic at ${place.scheme}://${guest.host}:${place.port}`,
  });
  if (guest.config?.kind === 'unknown') output.report(unknownIronic(guest.config.reason));
  const watch = createConsoleWatch(source.host.name, trial.observe);
  const onLine = (line: string): void => {
    output.print(`console| ${line}`);
    watch(line);
  };
  const console = await openConsoleOutput(options.console, onLine, io);
  cleanup.defer(() => console.close());
  const machine = runTrialMachine({
    setup,
    source,
    medium,
    network,
    console,
    observe: (event) => {
      if (event.state === 'started' || event.state === 'rebooted') api.resetMachine(event.mac);
      trial.observe(event);
    },
    report: (message) => output.report({ severity: 'info', message }),
    env: io.env,
  });
  cleanup.defer(() => machine.stop());
  return machine;
}

function unknownIronic(reason: string): Diagnostic {
  return {
    severity: 'warning',
    message: `cannot check whether the agent calls the mock Ironic: ${reason}`,
    hint: 'run `ironic-coreos inspect` to see the agent and the Ironic URL of the image',
  };
}

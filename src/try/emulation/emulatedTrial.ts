/** The machine of `try --qemu`: started when all is there that it boots from, told as events, and never left behind. */

import { resolve } from 'node:path';
import { UsageError } from '../../core/errors.ts';
import { type EmulatedMachine, type MachineSign, startMachine } from './emulatedMachine.ts';
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
import type { EmulatedSource, MachineSetup } from './emulatedSource.ts';
import type { GuestPlace } from './guestPlace.ts';

export interface MachineRun {
  readonly setup: MachineSetup;
  readonly source: EmulatedSource;
  readonly medium: Medium;
  readonly network: GuestNetwork;
  readonly console: ConsoleOutput;
  readonly observe: (event: MachineEvent) => void;
  /** Takes what is said about the machine besides its events. */
  readonly say: (message: string) => void;
  readonly env: Io['env'];
}

export interface TrialMachine {
  /** Resolves when it is gone, and nothing more can come of it. */
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
      run.say(`${accelerator} does not work here (${problem}): the machine starts anew, emulated as a whole`);
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
  /** Why it failed; undefined where it came to its end. */
  readonly failed: Promise<string | undefined>;
}

async function startAttempt(run: MachineRun, accelerator: Accelerator): Promise<Attempt> {
  const { console, observe, setup, source } = run;
  const { firmware, memory, program } = setup;
  const { architecture, mac } = source;
  const { medium, network } = run;
  const plan: MachinePlan = { architecture, accelerator, firmware, memory, mac, network, medium };
  const tell = (state: MachineEvent['state']): void =>
    observe({ kind: 'machine', at: new Date(), client: undefined, mac, state, problem: undefined });
  const stuck = createDeferred();
  const machine = await startMachine({
    program,
    args: machineArguments(plan),
    env: run.env,
    console: (bytes) => console.take(bytes),
    sign: (sign: MachineSign) => {
      if (sign === 'stuck') stuck.resolve();
      else if (sign === 'rebooted') tell('rebooted');
    },
  });
  if (accelerator === setup.accelerators[0]) tell('started'); // what comes after it is the same machine
  const gone = machine.ended.then(({ problem }) => problem);
  const isStuck = stuck.promise.then(() => 'QEMU has stopped the machine by itself');
  const failed = Promise.race([gone, isStuck]).then(async (problem) => {
    await machine.stop();
    return problem;
  });
  return { machine, failed };
}

/** What it boots from; a folder is served from then on. Throws CliError where there is nothing. */
export async function findMedium(
  { cleanup, io, trial }: TrialPlan,
  { host, medium }: EmulatedSource,
  images: ImageService | undefined,
): Promise<Medium> {
  if (medium.kind === 'image') {
    const { source } = medium;
    return isRemote(source) ? { kind: 'cd-url', url: source } : { kind: 'cd', path: resolve(io.cwd, source) };
  }
  if (medium.kind === 'folder') {
    const log = createQuietLog(io);
    const { scriptUrl, stop } = await startFolderService(medium, {
      log,
      observe: (event) => trial.observe(event),
    });
    cleanup.defer(stop);
    return { kind: 'network', scriptUrl };
  }
  if (images === undefined) throw new UsageError(`no images are served for ${host.name}`);
  return medium.way === 'cd'
    ? { kind: 'cd-url', url: images.isoUrl(medium.name) }
    : { kind: 'network', scriptUrl: images.scriptUrl() };
}

export interface GuestContext {
  readonly api: IronicApi;
  readonly guest: GuestPlace;
  readonly medium: Medium;
  readonly place: ApiPlace;
}

/** Throws CliError where its console cannot be kept. */
export async function startEmulated(
  { cleanup, io, options, output, trial }: TrialPlan,
  { setup, source }: PlannedMachine,
  { api, guest, medium, place }: GuestContext,
): Promise<TrialMachine> {
  const network = guestNetwork(guest.host, '--guest-host');
  output.report({
    severity: 'info',
    message: `the emulated machine ${source.mac} reaches this one at ${guest.host}, and this Ironic at ${place.scheme}://${guest.host}:${place.port}`,
  });
  if (guest.config?.kind === 'unknown') output.report(notKnown(guest.config.reason));
  const console = await openConsoleOutput(options.console, output.say, io);
  cleanup.defer(() => console.close());
  const machine = runTrialMachine({
    setup,
    source,
    medium,
    network,
    console,
    observe: (event) => {
      if (event.state === 'started' || event.state === 'rebooted') api.bootedAnew(event.mac);
      trial.observe(event);
    },
    say: (message) => output.report({ severity: 'info', message }),
    env: io.env,
  });
  cleanup.defer(() => machine.stop());
  return machine;
}

function notKnown(reason: string): Diagnostic {
  return {
    severity: 'warning',
    message: `${reason}: whether its agent calls here is not known`,
    hint: 'check with `ironic-coreos inspect` what the image starts and which Ironic it names',
  };
}

/**
 * One trial: its plan and its state. It gets events from the services, prints them on standard error, and determines when
 * all expected hosts have called home.
 */

import type { Io } from '../io/io.ts';
import type { ListenAddress } from '../http/server/listenAddress.ts';
import type { ServeSource } from '../service/source.ts';
import type { ConsoleLog } from './console/consoleLog.ts';
import type { EmulatedSource, InstalledMachine } from './emulation/emulatedSource.ts';
import type { Expectation } from './expectation.ts';
import { createTrialPage } from './report/trialPage.ts';
import type { EmulationOptions, TrialOptions } from './options.ts';
import type { TrialSetup } from './setup.ts';
import { isRemote } from '../http/client/httpUrl.ts';
import { createDeferred } from '../core/deferred.ts';
import type { TrialEvent } from './timeline/events.ts';
import { judge, type SuccessStage, type TrialResult, type Verdict } from './timeline/result.ts';
import { createMachines } from './timeline/machines.ts';
import { createTimeline } from './timeline/timeline.ts';
import { formatLiveLine } from './report/liveLines.ts';

/** What a trial serves for machines that it does not emulate. */
export interface TrialServices {
  /** The URL of the ISO of a host for its BMC. Throws CliError if it does not exist. */
  readonly imageUrl: (host: string) => string;
  readonly observe: (event: TrialEvent) => void;
  /** Aborted when the user stops the trial. */
  readonly signal: AbortSignal;
}

export interface SingleIso {
  /** A path or a URL. */
  readonly file: string;
  /** The address on which a file is served. */
  readonly listen: ListenAddress;
}

/** Boots the machines of a trial. The result ends that, and restores the machines. Throws CliError if nothing is booted. */
export type BootMachines = (services: TrialServices) => Promise<{ readonly stop: () => Promise<void> }>;

export interface TrialRequest {
  readonly options: TrialOptions;
  readonly setup: TrialSetup;
  readonly inventory: ServeSource | undefined;
  readonly machine: PlannedMachine | undefined;
  /** Undefined for machines that somebody else boots. */
  readonly bootMachines?: BootMachines | undefined;
  /** An ISO that all machines boot; undefined for the ISOs of an inventory. */
  readonly iso?: SingleIso | undefined;
  readonly expectation: Expectation;
  readonly consoleLogs: readonly ConsoleLog[];
  readonly io: Io;
}

export interface PlannedMachine {
  readonly source: EmulatedSource;
  readonly setup: InstalledMachine;
  /** Whether no real machine is expected, so that the trial ends with this one. */
  readonly isOnly: boolean;
  readonly options: EmulationOptions;
}

export type TrialPlan = Readonly<ReturnType<typeof planTrial>>;

/** @param signal aborted when the user stops the trial */
export function planTrial(request: TrialRequest, signal: AbortSignal) {
  const { expectation, inventory, io, iso, machine, setup } = request;
  const { successStage } = setup;
  const print = (line: string): void => void io.stderr.write(`${line}\n`);
  const trial = createRunningTrial(expectation, successStage, print);
  const isServed = iso === undefined ? inventory !== undefined : !isRemote(iso.file);
  const coverage = isServed || machine?.source.medium.kind === 'folder' ? 'boot' : 'calls';
  const started = new Date();
  const result = (): TrialResult => ({
    timeline: trial.timeline,
    verdict: trial.verdict(),
    successStage,
    coverage,
    started,
    ended: new Date(),
  });
  const page = createTrialPage(result);
  return { ...request, trial, page, result, signal, cleanup: createCleanupStack() };
}

/** Stops everything that has been started, in reverse order. Node 20 has no AsyncDisposableStack. */
function createCleanupStack() {
  const ends: (() => Promise<void>)[] = [];
  return {
    defer: (end: () => Promise<void>): void => void ends.push(end),
    /** Runs all functions, even if one fails. Resolves to the first error. */
    dispose: async (): Promise<unknown> => {
      const problems: unknown[] = [];
      for (let end = ends.pop(); end !== undefined; end = ends.pop()) {
        await end().catch((error: unknown) => problems.push(error));
      }
      return problems[0];
    },
  };
}

/**
 * A trial without events.
 * @param print gets a line without control characters and without a line break
 */
export function createRunningTrial(
  { awaited, known }: Expectation,
  successStage: SuccessStage,
  print: (line: string) => void,
) {
  const machines = createMachines(known);
  const timeline = createTimeline(machines);
  const decided = createDeferred();
  /** Hosts that lack a required step or cannot be booted: names, or UUIDs if any machine counts, because labels change. */
  const hopeless = new Set<string>();
  const verdict = (): Verdict => judge(machines.all, awaited, successStage);
  return {
    machines,
    timeline,
    verdict,
    /** Resolves when each expected host has called home, lacks a required step, or cannot be booted. */
    decided: decided.promise,
    observe: (event: TrialEvent): void => {
      const step = timeline.add(event);
      const line = formatLiveLine(step);
      if (line !== undefined) print(line);
      // No other event changes the verdict, and a client may fetch an ISO in thousands of ranges.
      if (!deciding.has(event.kind)) return;
      if (event.kind === 'bmc' && event.step === 'failed') hopeless.add(event.host);
      if (event.kind === 'steps') {
        const id = awaited.kind === 'hosts' ? step.label : event.node;
        if (event.reason === 'step-missing') hopeless.add(id);
        else hopeless.delete(id);
      }
      // The trial does not wait for a hopeless host: it requires another image, or its BMC refuses the boot.
      const { missing, missingCount } = verdict();
      const isDecided =
        missing.length > 0 ? missing.every((name) => hopeless.has(name)) : missingCount <= hopeless.size;
      if (isDecided) decided.resolve();
    },
  };
}

const deciding = new Set<TrialEvent['kind']>(['bmc', 'callback', 'heartbeat', 'steps']);

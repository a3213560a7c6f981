/** The result of a trial: the verdict, and the state and causes of each machine, for all report formats. */

import { causesOfInactive, likelyCauses, type ObservedPart } from './likelyCauses.ts';
import { once } from '../../core/once.ts';
import type { MachineState } from '../../service/status/select.ts';
import { labelOf, type Machine } from './machines.ts';
import { byLastEvent, type EntryLog, type TimelineEntry } from './stages.ts';
import { type Stage, stages } from './stage.ts';
import type { HostTimeline, Timeline } from './timeline.ts';

/** The expected machines: hosts with these names, or any number of machines. */
export type AwaitedMachines =
  | { readonly kind: 'hosts'; readonly names: readonly string[] }
  | { readonly kind: 'any'; readonly count: number };

/**
 * The stage for success. `heartbeat`: Ironic accepted one. `callback`: the agent also answered at its callback URL. `steps`: it
 * also has the required steps.
 */
export type SuccessStage = Extract<Stage, 'heartbeat' | 'callback' | 'steps'>;

export interface Verdict {
  /** Whether all expected machines have called home: then the trial ends with success. */
  readonly isPassed: boolean;
  /** Expected machines that have called home: names, or labels if any machine counts. */
  readonly calledHome: readonly string[];
  /** Names of expected hosts that have not called home; empty if any machine counts. */
  readonly missing: readonly string[];
  /** Number of expected machines that have not called home. */
  readonly missingCount: number;
}

/** Takes a few microseconds. */
export function judge(
  machines: Iterable<Machine>,
  awaited: AwaitedMachines,
  successStage: SuccessStage,
): Verdict {
  const arrived = [...machines].filter(
    ({ isIdentified, log }) => isIdentified && homeAtOf(log.milestones, successStage) !== undefined,
  );
  if (awaited.kind === 'hosts') {
    const names = new Set(arrived.map(({ name }) => name));
    const missing = awaited.names.filter((name) => !names.has(name));
    const calledHome = awaited.names.filter((name) => names.has(name));
    return { isPassed: missing.length === 0, calledHome, missing, missingCount: missing.length };
  }
  const calledHome = arrived.map(labelOf);
  const missingCount = Math.max(0, awaited.count - calledHome.length);
  return { isPassed: missingCount === 0, calledHome, missing: [], missingCount };
}

/** An agent that answered at its callback URL has also sent a heartbeat. */
function homeAtOf(milestones: EntryLog['milestones'], stage: SuccessStage): Date | undefined {
  return stages.slice(stages.indexOf(stage)).flatMap((later) => milestones.get(later)?.first ?? [])[0];
}

export interface TrialResult {
  readonly timeline: Timeline;
  readonly verdict: Verdict;
  readonly successStage: SuccessStage;
  readonly coverage: ObservedPart;
  readonly started: Date;
  readonly ended: Date;
}

/**
 * Expected machines without any activity, if any machine counts; hosts with names are listed instead. Undefined if the number of
 * active machines is at least the number of expected ones.
 */
export function inactiveOf({ coverage, verdict }: TrialResult, results: readonly HostResult[]) {
  const { missing, missingCount } = verdict;
  // A health check or a browser is not an expected machine.
  const active = results.filter(
    ({ causes, state }) => state !== 'home' && !causes.some(({ id }) => id === 'not-the-agent'),
  );
  const count = missing.length > 0 ? 0 : missingCount - active.length;
  return count > 0 ? { count, causes: causesOfInactive(coverage) } : undefined;
}

export type HostResult = Readonly<ReturnType<typeof resultsOf>[number]>;

/** In the order of the timeline. */
export function resultsOf(trial: TrialResult) {
  const { timeline, verdict, successStage, coverage } = trial;
  const awaited = new Set([...verdict.calledHome, ...verdict.missing]);
  const causesOfSilent = once(() => causesOfInactive(coverage));
  return timeline.hosts().map((host) => {
    const homeAt = homeAtOf(host.milestones, successStage);
    const silence = homeAt === undefined ? silenceOf(host.entries, trial) : undefined;
    // Of thousands of hosts, most are silent, and the causes of all of these are the same.
    const causesOf = host.entries.length === 0 ? causesOfSilent : () => likelyCauses(host, coverage);
    const causes = homeAt === undefined ? causesOf() : [];
    const isFailed = causes[0]?.certainty === 'proven';
    const activity: MachineState =
      host.entries.length === 0 ? 'idle' : silence === undefined ? 'under-way' : 'stuck';
    const state: MachineState = homeAt !== undefined ? 'home' : isFailed ? 'failed' : activity;
    return {
      host,
      state,
      /** When it called home. */
      homeAt,
      isAwaited: awaited.has(host.label),
      /** Undefined if the machine has called home. */
      silence,
      /** Empty if the machine has called home. */
      causes,
    };
  });
}

/**
 * What people see: not the hosts that the trial does not wait for, unless they were active, and not requests of the API alone from
 * the address of several machines: they are those of agents that then look themselves up.
 */
export function shownResults(trial: TrialResult): readonly HostResult[] {
  const waitsForAny = trial.verdict.missing.length === 0;
  const results = resultsOf(trial);
  const addresses = new Set(results.flatMap(({ host }) => (host.isIdentified ? host.clients : [])));
  const hasOnlyAsked = (host: HostTimeline): boolean =>
    !host.isIdentified &&
    host.entries.every(({ event }) => event.kind === 'api') &&
    host.clients.some((client) => addresses.has(client));
  return results.filter(
    ({ host, isAwaited }) => !hasOnlyAsked(host) && (waitsForAny || isAwaited || host.entries.length > 0),
  );
}

/** Milliseconds. Shorter times without activity are normal during a boot. */
const MIN_SILENCE = 60_000;

/**
 * The time without activity at the end, with the last entry before it; undefined if it is too short. Lines on the console that are
 * not recognized are no activity: programs of a machine that waits print lines, too.
 * @param span start of the trial, and its end or the current time
 */
export function silenceOf(
  entries: readonly TimelineEntry[],
  { ended, started }: { readonly started: Date; readonly ended: Date },
) {
  const last = entries
    .filter(({ event }) => event.kind !== 'console' || event.sign !== undefined)
    .toSorted(byLastEvent)
    .at(-1);
  const from = last?.last ?? started;
  return ended.getTime() - from.getTime() < MIN_SILENCE ? undefined : { last, from, until: ended };
}

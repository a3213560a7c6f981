/** The result of a trial: the verdict, and the gaps and causes of each machine, for all report formats. */

import { causesOfInactive, likelyCauses, type ObservedPart } from './likelyCauses.ts';
import type { Ports } from './causeBook.ts';
import { once } from '../../core/once.ts';
import type { MachineState } from '../../service/status/select.ts';
import { labelOf, type Machine } from './machines.ts';
import type { EntryLog, TimelineEntry } from './stages.ts';
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
  readonly ports: Ports;
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
    const gaps = gapsOf(host.entries, trial).filter(({ isOpen }) => !isOpen || homeAt === undefined);
    const openGap = gaps.find(({ isOpen }) => isOpen);
    const isSilent = host.entries.length === 0 && host.clients.length === 0;
    // Of thousands of hosts, most are silent, and the causes of all of these are the same.
    const causesOf = isSilent ? causesOfSilent : () => likelyCauses(host, coverage);
    const causes = homeAt === undefined ? causesOf() : [];
    const isFailed = causes[0]?.certainty === 'proven';
    const activity: MachineState =
      host.entries.length === 0 ? 'idle' : openGap === undefined ? 'under-way' : 'stuck';
    const state: MachineState = homeAt !== undefined ? 'home' : isFailed ? 'failed' : activity;
    return {
      host,
      state,
      /** When it called home. */
      homeAt,
      isAwaited: awaited.has(host.label),
      gaps,
      /** The one that lasts until the end. */
      openGap,
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

export interface Gap {
  /** The last entry before the gap; undefined if there is no entry. */
  readonly after: TimelineEntry | undefined;
  readonly from: Date;
  readonly until: Date;
  /** Whether the gap lasts until the end. */
  readonly isOpen: boolean;
}

/** Milliseconds. Shorter times without activity are normal during a boot. */
const MIN_GAP = 60_000;

/**
 * In chronological order. The time between two events of the same entry is not a gap, for example between heartbeats. Lines on the
 * console that are not recognized are no activity.
 * @param span start of the trial, and its end or the current time
 */
export function gapsOf(
  entries: readonly TimelineEntry[],
  span: { readonly started: Date; readonly ended: Date },
): readonly Gap[] {
  const gaps: Gap[] = [];
  let after: TimelineEntry | undefined;
  let from = span.started;
  const addGap = (until: Date, isOpen: boolean): void => {
    if (until.getTime() - from.getTime() >= MIN_GAP) gaps.push({ after, from, until, isOpen });
  };
  for (const entry of entries) {
    // Programs of a machine that waits print lines, too.
    if (entry.event.kind === 'console' && entry.event.sign === undefined) continue;
    if (after !== undefined) addGap(entry.first, false);
    if (after !== undefined && entry.last < after.last) continue;
    after = entry;
    from = entry.last;
  }
  addGap(span.ended, true);
  return gaps;
}

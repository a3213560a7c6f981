/** What came of a trial: whether it is over, and each machine with its gaps and causes, for reports of any form. */

import { causesOfUnseen, type LikelyCause, likelyCauses, type Sight } from './causes.ts';
import type { Ports } from './causes/cause.ts';
import { type Stage, stages, type TimelineEntry } from './stages.ts';
import type { HostTimeline, MachineProgress, Timeline } from './timeline.ts';

/** Who has to call home: the hosts of these names, or any so many machines. */
export type AwaitedMachines =
  | { readonly kind: 'hosts'; readonly names: readonly string[] }
  | { readonly kind: 'any'; readonly count: number };

/** What counts as home. `heartbeat`: one was taken. `callback`: and the agent answered when it was asked back. */
export type SuccessStage = Extract<Stage, 'heartbeat' | 'callback'>;

export interface VerdictOptions {
  readonly awaited: AwaitedMachines;
  readonly successStage: SuccessStage;
}

export interface Verdict {
  /** Whether all that are awaited are home: then the trial is over, and ends well. */
  readonly isPassed: boolean;
  /** Those that are home and were awaited: names, or labels where any will do. */
  readonly home: readonly string[];
  /** Names of those that are still awaited; none where any will do. */
  readonly missing: readonly string[];
  /** How many are still awaited. */
  readonly missingCount: number;
}

/** Gives it anew at every look. Machines that are home stay home, also when two of them turn out to be one. */
export type Judge = (machines: readonly MachineProgress[]) => Verdict;

/** Nobody is home so far. */
export function createJudge({ awaited, successStage }: VerdictOptions): Judge {
  let labels: readonly string[] = [];
  return (machines) => {
    const arrived = machines.filter((machine) => hasComeHome(machine, successStage));
    if (awaited.kind === 'hosts') {
      const names = new Set(arrived.map(({ name }) => name));
      const missing = awaited.names.filter((name) => !names.has(name));
      const came = awaited.names.filter((name) => names.has(name));
      return { isPassed: missing.length === 0, home: came, missing, missingCount: missing.length };
    }
    if (arrived.length >= labels.length) labels = arrived.map(({ label }) => label);
    const missingCount = Math.max(0, awaited.count - labels.length);
    return { isPassed: missingCount === 0, home: labels, missing: [], missingCount };
  };
}

/** Of `try`: 0 when all that are awaited are home, 1 at the end of the time. */
export function exitCodeOf({ isPassed }: Verdict): 0 | 1 {
  return isPassed ? 0 : 1;
}

/** Who was asked back and answered has sent a heartbeat, too. */
function hasComeHome({ milestones }: Pick<MachineProgress, 'milestones'>, stage: SuccessStage): boolean {
  return stages.slice(stages.indexOf(stage)).some((later) => milestones.has(later));
}

export interface TrialResult {
  readonly timeline: Timeline;
  readonly verdict: Verdict;
  readonly successStage: SuccessStage;
  readonly sight: Sight;
  /** What the texts of causes name. */
  readonly ports: Ports;
  readonly started: Date;
  readonly ended: Date;
}

export interface HostResult {
  readonly host: HostTimeline;
  readonly isHome: boolean;
  /** Whether the trial waits for it, or waited. */
  readonly isAwaited: boolean;
  readonly gaps: readonly Gap[];
  /** None of who is home. */
  readonly causes: readonly LikelyCause[];
}

/** Machines of which nothing was seen, where any so many are awaited; others are told by their names. */
export interface Unseen {
  readonly count: number;
  readonly causes: readonly LikelyCause[];
}

/** Undefined where as many came as were awaited, however far they got. */
export function unseenOf(
  { sight, verdict }: TrialResult,
  results: readonly HostResult[],
): Unseen | undefined {
  const { missing, missingCount } = verdict;
  const onTheWay = results.filter(({ isHome, causes }) => !isHome && !causes.some(isOfNoAgent));
  const count = missing.length > 0 ? 0 : missingCount - onTheWay.length;
  return count > 0 ? { count, causes: causesOfUnseen(sight) } : undefined;
}

/** A health check or a browser is none of those that are awaited. */
function isOfNoAgent({ cause }: LikelyCause): boolean {
  return cause.id === 'not-the-agent';
}

/** In the order of the timeline. */
export function resultsOf(trial: TrialResult): readonly HostResult[] {
  const { timeline, verdict, successStage, sight } = trial;
  const awaited = new Set([...verdict.home, ...verdict.missing]);
  const came = new Set(verdict.home);
  return timeline.hosts().map((host) => {
    const isHome = came.has(host.label) || hasComeHome(host, successStage);
    const gaps = gapsOf(host, trial).filter(({ isOpen }) => !(isOpen && isHome));
    const causes = isHome ? [] : likelyCauses(host, sight);
    return { host, isHome, isAwaited: awaited.has(host.label), gaps, causes };
  });
}

/** A time in which nothing was seen of a machine. */
export interface Gap {
  /** What was seen last before it; undefined where nothing was. */
  readonly after: TimelineEntry | undefined;
  readonly from: Date;
  readonly until: Date;
  /** Whether it lasts still: what was expected never came. */
  readonly isOpen: boolean;
}

/** Milliseconds: what is shorter is the usual pace of a boot. */
const leastGap = 60_000;

/**
 * In the order of time. The time from one event of an entry to its next is no gap: an agent that heartbeats is there.
 * @param span when the trial began, and now or when it ended
 */
export function gapsOf(
  { entries }: Pick<HostTimeline, 'entries'>,
  span: { readonly started: Date; readonly ended: Date },
): readonly Gap[] {
  const gaps: Gap[] = [];
  let after: TimelineEntry | undefined;
  let from = span.started;
  const addGap = (until: Date, isOpen: boolean): void => {
    if (until.getTime() - from.getTime() >= leastGap) gaps.push({ after, from, until, isOpen });
  };
  for (const entry of entries) {
    if (after !== undefined) addGap(entry.first, false);
    if (after !== undefined && entry.last < after.last) continue;
    after = entry;
    from = entry.last;
  }
  addGap(span.ended, true);
  return gaps;
}

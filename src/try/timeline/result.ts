/** What came of a trial: each machine with its verdict, gaps and causes, for reports of any form. */

import { causesOfUnseen, type LikelyCause, likelyCauses, type Sight } from './causes.ts';
import type { Ports } from './causes/cause.ts';
import { type Gap, gapsOf } from './gaps.ts';
import type { HostTimeline, Timeline } from './timeline.ts';
import { hasComeHome, type HomeStage, type Verdict } from './verdict.ts';

export interface TrialResult {
  readonly timeline: Timeline;
  readonly verdict: Verdict;
  readonly home: HomeStage;
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
  const { timeline, verdict, home, sight } = trial;
  const awaited = new Set([...verdict.home, ...verdict.missing]);
  const came = new Set(verdict.home);
  return timeline.hosts().map((host) => {
    const isHome = came.has(host.label) || hasComeHome(host, home);
    const gaps = gapsOf(host, trial).filter(({ isOpen }) => !(isOpen && isHome));
    const causes = isHome ? [] : likelyCauses(host, sight);
    return { host, isHome, isAwaited: awaited.has(host.label), gaps, causes };
  });
}

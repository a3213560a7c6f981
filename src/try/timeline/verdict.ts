/** Whether a trial is over: who had to call home, and who has. */

import { stages, type Stage } from './stages.ts';
import type { HostTimeline } from './timeline.ts';

/** Who has to call home: the hosts of these names, or any so many machines. */
export type Awaited =
  | { readonly kind: 'hosts'; readonly names: readonly string[] }
  | { readonly kind: 'any'; readonly count: number };

/** What counts as home. `heartbeat`: one was taken. `callback`: and the agent answered when it was asked back. */
export type HomeStage = Extract<Stage, 'heartbeat' | 'callback'>;

export interface VerdictOptions {
  readonly awaited: Awaited;
  readonly home: HomeStage;
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

/** Says it anew at every look. Who is home stays home, also a stranger that the timeline has forgotten since. */
export type Judge = (hosts: readonly HostTimeline[]) => Verdict;

/** Nobody is home so far. */
export function createJudge({ awaited, home }: VerdictOptions): Judge {
  return awaited.kind === 'hosts'
    ? judgeNames(new Set(awaited.names), home)
    : judgeCount(awaited.count, home);
}

/** Of `try`: 0 when all that are awaited are home, 1 at the end of the time. */
export function exitCodeOf({ isPassed }: Verdict): 0 | 1 {
  return isPassed ? 0 : 1;
}

/** Who was asked back and answered has sent a heartbeat, too. */
export function hasComeHome({ milestones }: Pick<HostTimeline, 'milestones'>, home: HomeStage): boolean {
  return stages.slice(stages.indexOf(home)).some((stage) => milestones.has(stage));
}

function judgeNames(names: ReadonlySet<string>, home: HomeStage): Judge {
  const away = new Set(names);
  return (hosts) => {
    for (const host of hosts) {
      if (host.name !== undefined && away.has(host.name) && hasComeHome(host, home)) away.delete(host.name);
    }
    return {
      isPassed: away.size === 0,
      home: [...names].filter((name) => !away.has(name)),
      missing: [...away],
      missingCount: away.size,
    };
  };
}

function judgeCount(count: number, home: HomeStage): Judge {
  let labels: readonly string[] = [];
  return (hosts) => {
    const now = hosts.filter((host) => hasComeHome(host, home)).map(({ label }) => label);
    if (now.length >= labels.length) labels = now;
    const missingCount = Math.max(0, count - labels.length);
    return { isPassed: missingCount === 0, home: labels, missing: [], missingCount };
  };
}

/** One trial: takes events from whoever sees them, tells them, and knows when all that are awaited are home. */

import type { TrialEvent } from './timeline/events.ts';
import { createTimeline, type Timeline } from './timeline/timeline.ts';
import { createJudge, type HomeStage, type Verdict } from './timeline/verdict.ts';
import type { Expectation } from './expectation.ts';
import { createLiveLines, jsonLines, textLines } from './report/liveLines.ts';
import { createSwitch } from './switch.ts';

export interface RunningTrial {
  observe(event: TrialEvent): void;
  readonly timeline: Timeline;
  verdict(): Verdict;
  /** Resolves when all that are awaited are home. */
  readonly passed: Promise<void>;
  /** Agents that are home, and of which is not known yet whether they can be asked back. */
  unasked(): number;
}

export interface RunningTrialOptions {
  readonly expectation: Expectation;
  readonly home: HomeStage;
  /** Is given a line for each event that is worth one. */
  readonly say: (line: string) => void;
  /** Is given the same events as JSON. */
  readonly tellPrograms: ((line: string) => void) | undefined;
  /** Is told how many are home. */
  readonly count: (home: number) => void;
}

/** Nothing seen so far. */
export function createRunningTrial(options: RunningTrialOptions): RunningTrial {
  const { count, expectation, home, say, tellPrograms } = options;
  const { awaited, known } = expectation;
  const timeline = createTimeline(known);
  const passed = createSwitch();
  const unasked = new Set<string>();
  const judge = createJudge({ awaited, home });
  const tell = createLiveLines(say, textLines);
  const tellJson = tellPrograms && createLiveLines(tellPrograms, jsonLines);
  const verdict = (): Verdict => judge(timeline.hosts());
  return {
    timeline,
    verdict,
    passed: passed.isOn,
    unasked: () => unasked.size,
    observe: (event) => {
      const step = timeline.add(event);
      tell(step);
      tellJson?.(step);
      if (event.kind === 'callback') unasked.delete(event.node);
      else if (event.kind === 'heartbeat' && event.problem === undefined) unasked.add(event.node);
      else return; // nothing else brings anybody home, and an ISO may be fetched in thousands of ranges
      const now = verdict();
      count(now.home.length);
      if (now.isPassed) passed.turnOn();
    },
  };
}

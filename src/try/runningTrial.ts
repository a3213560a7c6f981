/**
 * One trial: takes events from whoever sees them, reports them on standard error, and knows when all that are awaited are
 * home. A terminal has a last line that counts who is home.
 */

import type { Io } from '../io/io.ts';
import { showProgress } from '../io/progress.ts';
import type { Diagnostic } from '../core/diagnostic.ts';
import { report } from '../io/report/report.ts';
import type { TrialEvent } from './timeline/events.ts';
import { type Awaited, createJudge, type SuccessStage, type Verdict } from './timeline/result.ts';
import { createTimeline, type Timeline } from './timeline/timeline.ts';
import { createDeferred } from './deferred.ts';
import type { Expectation } from './expectation.ts';
import { createLiveLines, jsonLines, textLines } from './report/liveLines.ts';

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
  readonly successStage: SuccessStage;
  /** Is given a line for each event that is worth one. */
  readonly say: (line: string) => void;
  /** Is given the same events as JSON. */
  readonly tellPrograms: ((line: string) => void) | undefined;
  /** Is told how many are home. */
  readonly count: (home: number) => void;
}

/** Nothing seen so far. */
export function createRunningTrial(options: RunningTrialOptions): RunningTrial {
  const { count, expectation, say, successStage, tellPrograms } = options;
  const { awaited, known } = expectation;
  const timeline = createTimeline(known);
  const passed = createDeferred();
  const unasked = new Set<string>();
  const judge = createJudge({ awaited, successStage });
  const tell = createLiveLines(say, textLines);
  const tellJson = tellPrograms && createLiveLines(tellPrograms, jsonLines);
  const verdict = (): Verdict => judge(timeline.machines());
  return {
    timeline,
    verdict,
    passed: passed.promise,
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
      if (now.isPassed) passed.resolve();
    },
  };
}

export interface TrialTalk {
  /** A line that is harmless for terminals, without a line break. */
  readonly say: (line: string) => void;
  readonly report: (diagnostic: Diagnostic) => void;
  /** Shows how many are home. */
  readonly count: (home: number) => void;
  readonly close: () => void;
}

export function createTrialTalk(io: Pick<Io, 'report' | 'stderr'>, awaited: Awaited): TrialTalk {
  const total = awaited.kind === 'any' ? awaited.count : awaited.names.length;
  const progress = showProgress(io.stderr, 'home', total);
  return {
    say: (line) => {
      progress.clear();
      io.stderr.write(`${line}\n`);
    },
    report: (diagnostic) => {
      progress.clear();
      report(io, diagnostic);
    },
    count: (home) => progress.update(home),
    close: () => progress.clear(),
  };
}

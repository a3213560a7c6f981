/** The live lines of a trial. They go to a log, so nobody on the network gets to send any number of them. */

import type { TimelineStep } from '../../../trial/timeline.ts';
import { formatLiveLine } from './liveLine.ts';

/** Of all callers together that are not expected; an agent that comes home makes five. */
const MOST_OF_OTHERS = 10_000;

/** Says what is worth a line. The report has the rest, as far as there is room for it. */
export function createLiveLines(say: (line: string) => void): (step: TimelineStep) => void {
  let ofOthers = 0;
  return (step) => {
    const line = step.isFull ? undefined : formatLiveLine(step);
    if (line === undefined) return;
    if (!step.isExpected) ofOthers++;
    if (step.isExpected || ofOthers <= MOST_OF_OTHERS) say(line);
    if (!step.isExpected && ofOthers === MOST_OF_OTHERS) say('callers that are not expected: no more lines');
  };
}

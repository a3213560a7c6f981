/** What happens in a trial, line by line. It goes to a log, so nobody on the network gets to send any number of lines. */

import type { TimelineStep } from '../timeline/timeline.ts';
import { formatDroppedLine, formatEventLine } from './eventLine.ts';
import { formatLiveLine } from './liveLine.ts';

/** Of all callers together that are not expected; an agent that comes home makes five. */
const MOST_OF_OTHERS = 10_000;
const NO_MORE = 'callers that are not expected: no more lines';

export interface LineForm {
  /** Undefined for what is not worth a line. */
  readonly line: (step: TimelineStep) => string | undefined;
  /** For `text` about lines that are left out. */
  readonly noMore: (text: string) => string;
}

export const textLines: LineForm = { line: formatLiveLine, noMore: (text) => text };
export const jsonLines: LineForm = { line: formatEventLine, noMore: formatDroppedLine };

/** Says what is worth a line. The report has the rest, as far as there is room for it. */
export function createLiveLines(
  say: (line: string) => void,
  { line: format, noMore }: LineForm,
): (step: TimelineStep) => void {
  let ofOthers = 0;
  return (step) => {
    const line = step.isFull ? undefined : format(step);
    if (line === undefined) return;
    if (!step.isExpected) ofOthers++;
    if (step.isExpected || ofOthers <= MOST_OF_OTHERS) say(line);
    if (!step.isExpected && ofOthers === MOST_OF_OTHERS) say(noMore(NO_MORE));
  };
}

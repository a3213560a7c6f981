/** Times in which nothing was seen of a machine. */

import type { TimelineEntry } from './entries.ts';
import type { HostTimeline } from './timeline.ts';

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

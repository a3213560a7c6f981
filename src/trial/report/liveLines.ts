/** The events of a trial, one per line. The timeline limits their number, so that no client can fill a log. */

import { printable } from '../../core/foreignText.ts';
import { isInterrupted, isFullyFetched } from '../timeline/stages.ts';
import type { FetchEvent } from '../timeline/events.ts';
import type { TimelineStep } from '../timeline/timeline.ts';
import { eventPhrase, originPhrase } from './phrases.ts';

/**
 * Without a line break, time in UTC: `12:03:11 worker-0  fetched the Ignition config (3.1 KiB) from 192.0.2.7`.
 * Undefined for a repeated event: another range of an ISO, the next heartbeat. The report contains more details.
 */
export function formatLiveLine(step: TimelineStep): string | undefined {
  if (step.isFull || !isNew(step)) return undefined;
  const { event, label } = step;
  const from = event.client === label ? '' : originPhrase(event);
  return `${timeOfDay(event.at)} ${printable(label)}  ${eventPhrase(event)}${from}`;
}

/** `12:03:11`, in UTC. */
export function timeOfDay(time: Date): string {
  return time.toISOString().slice(11, 19);
}

/** Bytes: larger files also get a line when their transfer starts. */
const LARGE = 1024 * 1024;
/** Bytes: larger files get a line for each quarter. */
const VERY_LARGE = 64 * 1024 * 1024;

/** Whether the event is not a repetition. */
function isNew({ event, previous }: TimelineStep): boolean {
  if (event.kind === 'console' && event.sign === undefined) return false;
  if (event.kind !== 'fetch') return previous === undefined;
  const before = previous?.event.kind === 'fetch' ? previous.event : undefined;
  if (isFullyFetched(event) && event.outcome !== 'began') {
    return before === undefined || before.outcome === 'began' || !isFullyFetched(before);
  }
  if (before === undefined) return event.size >= LARGE || event.outcome !== 'began';
  if (isInterrupted(event)) return before.outcome !== event.outcome;
  return event.size >= VERY_LARGE && quarterOf(event) > quarterOf(before);
}

function quarterOf({ bytes, size }: FetchEvent): number {
  return Math.floor((4 * bytes) / size);
}

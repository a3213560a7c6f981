/** A line for what happens while it happens, where it is worth one. */

import { printable } from '../../io/report/printable.ts';
import { isBrokenOff, isWhole } from '../timeline/entries.ts';
import type { FetchEvent } from '../timeline/events.ts';
import type { TimelineStep } from '../timeline/timeline.ts';
import { eventPhrase, originPhrase } from './phrases.ts';

/**
 * Without a line break, times in UTC: `12:03:11 worker-0  fetched the Ignition config (3.1 KiB) from 192.0.2.7`.
 * Undefined where it adds nothing: one more range of an ISO, the next heartbeat.
 */
export function formatLiveLine(step: TimelineStep): string | undefined {
  if (!isNews(step)) return undefined;
  const { event, label } = step;
  const from = event.client === label ? '' : originPhrase(event);
  return `${timeOfDay(event.at)} ${printable(label)}  ${eventPhrase(event)}${from}`;
}

/** Whether it adds anything. */
export function isNews({ event, previous }: TimelineStep): boolean {
  if (event.kind !== 'fetch') return previous === undefined;
  return isNewsOfFetch(event, previous?.event.kind === 'fetch' ? previous.event : undefined);
}

/** `12:03:11`, in UTC. */
export function timeOfDay(time: Date): string {
  return time.toISOString().slice(11, 19);
}

/** Bytes: smaller files are told when they are there, larger ones on their way, too. */
const large = 1024 * 1024;
/** Of these the quarters are told. */
const veryLarge = 64 * 1024 * 1024;

function isNewsOfFetch(event: FetchEvent, previous: FetchEvent | undefined): boolean {
  if (isWhole(event) && event.outcome !== 'began') {
    return previous === undefined || previous.outcome === 'began' || !isWhole(previous);
  }
  if (previous === undefined) return event.size >= large || event.outcome !== 'began';
  if (isBrokenOff(event)) return previous.outcome !== event.outcome;
  return event.size >= veryLarge && quarterOf(event) > quarterOf(previous);
}

function quarterOf({ bytes, size }: FetchEvent): number {
  return Math.floor((4 * bytes) / size);
}

/** Events for programs, as they happen; the schema is `schemas/try-event.json`. */

import { printable } from '../../io/report/printable.ts';
import type { TrialEvent } from '../timeline/events.ts';
import type { TimelineStep } from '../timeline/timeline.ts';
import { isNews } from './liveLine.ts';
import { eventPhrase } from './phrases.ts';

/** One JSON object without a line break. What is not known is left out; undefined where the event adds nothing. */
export function formatEventLine(step: TimelineStep): string | undefined {
  if (!isNews(step)) return undefined;
  const { event, isExpected, label } = step;
  const { at, client, kind } = event;
  const text = eventPhrase(event);
  return toLine({ kind, at, machine: label, expected: isExpected, client, text, ...detailsOf(event) });
}

/** The last line about callers that are not expected, where there are too many. */
export function formatDroppedLine(text: string): string {
  return toLine({ kind: 'callers dropped', at: new Date(), machine: 'unknown', expected: false, text });
}

/** No text has control characters. */
function toLine(value: object): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'string' ? printable(member) : member,
  );
}

function detailsOf(event: TrialEvent): object {
  switch (event.kind) {
    case 'fetch':
      return { path: event.path, bytes: event.bytes, size: event.size };
    case 'refusal':
      return { reason: event.problem.kind };
    case 'lookup':
    case 'inspection':
      return { macs: event.macs, node: event.node, reason: event.reason };
    case 'heartbeat':
      return { node: event.node, url: event.callbackUrl, reason: event.reason };
    case 'callback':
      return { node: event.node, url: event.url, reason: event.reason };
    case 'machine':
      return { macs: [event.mac] };
    case 'preflight':
      return { macs: [event.mac], reason: event.problem.kind };
    case 'api':
    default:
      return {};
  }
}

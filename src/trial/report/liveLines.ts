/**
 * The events of a trial, one per line: as text for users, and as JSON for programs (`schemas/try-event.json`). The timeline limits
 * their number, so that no client can fill a log.
 */

import type { Io } from '../../io/io.ts';
import { writeToReader } from '../../io/stdout.ts';
import { printable } from '../../core/foreignText.ts';
import { isInterrupted, isFullyFetched } from '../timeline/stages.ts';
import { byKind, type ByKind, type FetchEvent } from '../timeline/events.ts';
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

/** The same as JSON. */
export function formatEventLine({ event, isExpected, label }: TimelineStep): string {
  const { at, client, kind } = event;
  const common = { kind, at, machine: label, expected: isExpected, client, text: eventPhrase(event) };
  return formatJsonLine({ ...common, ...byKind(details, event) });
}

/** JSON without a line break and without unknown values; control characters in all texts are escaped. */
export function formatJsonLine(value: object): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'string' ? printable(member) : member,
  );
}

const details: ByKind<object> = {
  fetch: ({ path, bytes, size }) => ({ path, bytes, size }),
  refusal: ({ problem }) => ({ reason: problem.kind }),
  lookup: ({ macs, node, reason }) => ({ macs, node, reason }),
  inspection: ({ macs, node, reason }) => ({ macs, node, reason }),
  heartbeat: ({ node, callbackUrl, reason }) => ({ node, url: callbackUrl, reason }),
  callback: ({ node, url, reason }) => ({ node, url, reason }),
  steps: ({ node, url, reason }) => ({ node, url, reason }),
  machine: ({ mac }) => ({ macs: [mac] }),
  preflight: ({ mac, problem }) => ({ macs: [mac], reason: problem.kind }),
  console: ({ sign }) => ({ sign }),
  bmc: ({ step }) => ({ reason: step }),
  api: () => ({}),
};

/**
 * Writes lines to standard output. `close` resolves when all are written, and rejects with a CliError if they cannot be.
 * @param onReaderGone called once nothing reads standard output any more
 */
export function createEventOutput(io: Io, onReaderGone: () => void) {
  let written: Promise<void> = Promise.resolve();
  return {
    /** @param line without a line break */
    write: (line: string): void => {
      written = written.then(async () => {
        if ((await writeToReader(io, [Buffer.from(`${line}\n`)])) === 'reader gone') onReaderGone();
      });
      written.catch(() => undefined); // `close` reports it
    },
    close: async (): Promise<void> => written,
  };
}

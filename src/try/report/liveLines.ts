/**
 * What happens in a trial, line by line: as text for people, and as JSON for programs (`schemas/try-event.json`). It goes to
 * a log, so nobody on the network gets to send any number of lines.
 */

import type { Io } from '../../io/io.ts';
import { writeStdout } from '../../io/stdout.ts';
import { printable } from '../../io/report/terminalText.ts';
import { isBrokenOff, isWhole } from '../timeline/stages.ts';
import type { FetchEvent, TrialEvent } from '../timeline/events.ts';
import type { TimelineStep } from '../timeline/timeline.ts';
import { eventPhrase, originPhrase } from './phrases.ts';

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
function isNews({ event, previous }: TimelineStep): boolean {
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

/** One JSON object without a line break. What is not known is left out; undefined where the event adds nothing. */
function formatEventLine(step: TimelineStep): string | undefined {
  if (!isNews(step)) return undefined;
  const { event, isExpected, label } = step;
  const { at, client, kind } = event;
  const text = eventPhrase(event);
  return toLine({ kind, at, machine: label, expected: isExpected, client, text, ...detailsOf(event) });
}

/** The last line about callers that are not expected, where there are too many. */
function formatDroppedLine(text: string): string {
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

export interface EventOutput {
  /** Without a line break. */
  readonly write: (line: string) => void;
  /** Resolves when all is written. Throws CliError where that was not possible. */
  readonly close: () => Promise<void>;
}

export function createEventOutput(io: Pick<Io, 'stdout'>): EventOutput {
  let written: Promise<void> = Promise.resolve();
  return {
    write: (line) => {
      written = written.then(() => writeStdout(io, [Buffer.from(`${line}\n`)]));
      written.catch(() => undefined); // told when it is closed
    },
    close: () => written,
  };
}

/**
 * The lines of a watch: each says what has become of an object, is a sign of life, or says why the watch ends. The body
 * comes in pieces, and neither a line nor a character has to end where a piece does.
 */

import { isMapping } from '../../formats/mapping.ts';
import { describeRefusal, LineTooLong, notUnderstood, parseJson, type Operation } from './apiError.ts';
import type { WatchEvent } from './kubernetesClient.ts';
import { readObject } from './objects.ts';

/**
 * Lines without their line feeds, each only lent until the next is asked for; empty ones are left out. What stands behind
 * the last line feed is no line: the body broke off in it.
 * @param maxBytes of one line
 * @throws LineTooLong, and whatever the parts throw
 */
export async function* splitLines(
  parts: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array, void> {
  /** The beginning of a line whose end has not come yet. */
  let held: Held = { bytes: new Uint8Array(0), size: 0 };
  for await (const part of parts) {
    let start = 0;
    for (let end = part.indexOf(LINE_FEED); end >= 0; end = part.indexOf(LINE_FEED, start)) {
      const piece = part.subarray(start, end);
      if (held.size + piece.length > maxBytes) throw new LineTooLong();
      const line = held.size === 0 ? piece : wholeOf(append(held, piece));
      if (line.length > 0) yield line;
      held = { bytes: held.bytes, size: 0 };
      start = end + 1;
    }
    const rest = part.subarray(start);
    if (held.size + rest.length > maxBytes) throw new LineTooLong();
    held = append(held, rest);
  }
}

const LINE_FEED = 0x0a;

interface Held {
  /** Has room for more: pieces of one byte each would otherwise be copied again and again. */
  readonly bytes: Uint8Array;
  readonly size: number;
}

function append({ bytes, size }: Held, piece: Uint8Array): Held {
  const wanted = size + piece.length;
  let room = bytes;
  if (wanted > bytes.length) {
    room = new Uint8Array(Math.max(wanted, 2 * bytes.length));
    room.set(bytes.subarray(0, size));
  }
  room.set(piece, size);
  return { bytes: room, size: wanted };
}

function wholeOf({ bytes, size }: Held): Uint8Array {
  return bytes.subarray(0, size);
}

const CHANGES = { ADDED: 'added', MODIFIED: 'modified', DELETED: 'deleted' } as const;

/**
 * Undefined for kinds of events that this program does not know.
 * @throws ApiError for what is none, and for those that say why the watch ends; CliError for what is no object
 */
export function readWatchEvent(line: Uint8Array, operation: Operation): WatchEvent | undefined {
  const event = parseJson(line, operation);
  if (!isMapping(event)) throw notUnderstood(operation, 'a line of the watch is no event');
  const { type, object } = event;
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type: CHANGES[type], object: readObject(object) };
    case 'BOOKMARK':
      return { type: 'bookmark', resourceVersion: versionOf(object, operation) };
    case 'ERROR':
      throw describeRefusal({ operation, status: codeOf(object), body: object });
    default:
      return undefined;
  }
}

/** Of a list, or of a bookmark, neither of which has a name. @throws ApiError where there is none */
export function versionOf(value: unknown, operation: Operation): string {
  const metadata = isMapping(value) ? value['metadata'] : undefined;
  const version = isMapping(metadata) ? metadata['resourceVersion'] : undefined;
  if (typeof version === 'string' && version !== '') return version;
  throw notUnderstood(operation, 'the answer has no resourceVersion');
}

function codeOf(status: unknown): number {
  const code = isMapping(status) ? status['code'] : undefined;
  return typeof code === 'number' && code >= 400 && code < 600 ? code : 500;
}

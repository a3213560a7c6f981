/**
 * The lines of a watch: each is a change of an object, a bookmark, or the error that ends the watch. A part of the body may
 * end in the middle of a line or of a character.
 */

import { asMapping, isMapping } from '../formats/mapping.ts';
import { describeRefusal, invalidResponse, parseJson, responseTooLarge } from './apiError.ts';
import { type KubernetesObject, readObject } from './objects.ts';

export type WatchEvent =
  | { readonly type: 'added' | 'modified' | 'deleted'; readonly object: KubernetesObject }
  /** All changes up to this version were reported. */
  | { readonly type: 'bookmark'; readonly resourceVersion: string };

/**
 * Yields lines without their line feeds. Empty lines are skipped. Text after the last line feed is ignored, as the body was
 * truncated there.
 * @param maxBytes the size limit of a line
 * @throws ApiError for a longer line, as the rest cannot be read; all errors of the parts
 */
export async function* splitLines(
  parts: AsyncIterable<Uint8Array>,
  maxBytes: number,
  operation: string,
): AsyncGenerator<Uint8Array, void> {
  let line: Uint8Array[] = [];
  let size = 0;
  const append = (piece: Uint8Array): void => {
    size += piece.length;
    if (size > maxBytes) throw responseTooLarge(operation);
    line.push(piece);
  };
  for await (const part of parts) {
    let start = 0;
    for (let end = part.indexOf(LINE_FEED); end >= 0; end = part.indexOf(LINE_FEED, start)) {
      append(part.subarray(start, end));
      if (size > 0) yield Buffer.concat(line);
      line = [];
      size = 0;
      start = end + 1;
    }
    append(part.subarray(start));
  }
}

const LINE_FEED = 0x0a;

const CHANGES = { ADDED: 'added', MODIFIED: 'modified', DELETED: 'deleted' } as const;

/** Undefined for unknown event types. */
export function readWatchEvent(line: Uint8Array, operation: string): WatchEvent | undefined {
  const event = parseJson(line, operation);
  if (!isMapping(event)) throw invalidResponse(operation, 'the watch contains an invalid event');
  const { type, object } = event;
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type: CHANGES[type], object: readObject(object, operation) };
    case 'BOOKMARK':
      return { type: 'bookmark', resourceVersion: versionOf(object, operation) };
    case 'ERROR': {
      const { code } = asMapping(object);
      const status = typeof code === 'number' && code >= 400 && code < 600 ? code : 500;
      throw describeRefusal(operation, status, object);
    }
    default:
      return undefined;
  }
}

/** The resource version of a list or a bookmark, which have no name. */
export function versionOf(value: unknown, operation: string): string {
  const { resourceVersion: version } = asMapping(asMapping(value)['metadata']);
  if (typeof version === 'string' && version !== '') return version;
  throw invalidResponse(operation, 'the response has no resourceVersion');
}

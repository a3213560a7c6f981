/** The lines of a watch: what has become of an object, a sign of life, or why it ends. */

import { describeRefusal, notUnderstood, parseJson, type Wish } from './apiAnswers.ts';
import type { WatchEvent } from './client.ts';
import { isRecord, readObject } from './objects.ts';

const CHANGES = { ADDED: 'added', MODIFIED: 'modified', DELETED: 'deleted' } as const;

/**
 * Undefined for kinds of events that this program does not know.
 * @throws ApiError for what is none, and for those that say why the watch ends; CliError for what is no object
 */
export function readWatchEvent(line: Uint8Array, wish: Wish): WatchEvent | undefined {
  const event = parseJson(line, wish);
  if (!isRecord(event)) throw notUnderstood(wish, 'a line of the watch is no event');
  const { type, object } = event;
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type: CHANGES[type], object: readObject(object) };
    case 'BOOKMARK':
      return { type: 'bookmark', resourceVersion: versionOf(object, wish) };
    case 'ERROR':
      throw describeRefusal({ wish, status: codeOf(object), body: object });
    default:
      return undefined;
  }
}

/** Of a list, or of a bookmark, neither of which has a name. @throws ApiError where there is none */
export function versionOf(value: unknown, wish: Wish): string {
  const metadata = isRecord(value) ? value['metadata'] : undefined;
  const version = isRecord(metadata) ? metadata['resourceVersion'] : undefined;
  if (typeof version === 'string' && version !== '') return version;
  throw notUnderstood(wish, 'the answer has no resourceVersion');
}

function codeOf(status: unknown): number {
  const code = isRecord(status) ? status['code'] : undefined;
  return typeof code === 'number' && code >= 400 && code < 600 ? code : 500;
}

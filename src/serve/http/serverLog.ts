/**
 * What happens, a line an event: JSON for programs, or words for a person. What may be logged has names here, so that no
 * header, query or signed path gets in by chance.
 */

import type { Writable } from 'node:stream';
import type { Artifact } from '../answer/resource.ts';
import { plainText } from './textResponse.ts';

/** A request that has been answered, or whose client went away. */
export interface RequestEvent {
  /** Counts requests since the start; the client is told, too. */
  readonly id: number;
  /** Its address. */
  readonly client: string;
  readonly method: string;
  /** What was fetched; undefined where that was nothing of the catalog. */
  readonly artifact: Artifact | undefined;
  readonly host: string | undefined;
  /** Without the token: of the catalog, or the last segment of what is unknown. */
  readonly path: string | undefined;
  readonly status: number;
  /** Of an image or a page, handed to the system. */
  readonly bytes: number;
  readonly seconds: number;
  readonly outcome: 'complete' | 'client gone' | 'cut off' | 'failed';
  readonly userAgent: string | undefined;
}

type LogLevel = 'info' | 'warning' | 'error';

/** Values that the program has made itself, or that have been through `plainText`. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export interface ServerLog {
  request(event: RequestEvent): void;
  /** @param event a word or two: `certificate` */
  note(level: LogLevel, event: string, fields: LogFields): void;
}

/** Characters. */
const MAX_PATH_LENGTH = 120;
const MAX_AGENT_LENGTH = 120;

/** Events as lines of the output. An output that is gone does not stop the service. */
export function createServerLog(
  output: Writable,
  form: 'json' | 'text',
  now = (): Date => new Date(),
): ServerLog {
  const format = form === 'json' ? formatJson : formatWords;
  const note: ServerLog['note'] = (level, event, fields) => {
    output.write(format({ time: now().toISOString(), level, event, ...fields }));
  };
  output.on('error', () => undefined);
  return {
    note,
    request: (event) => note(event.status >= 500 ? 'error' : 'info', 'request', fieldsOf(event)),
  };
}

function fieldsOf({ path, userAgent, seconds, bytes, ...event }: RequestEvent): LogFields {
  return {
    id: event.id,
    client: event.client,
    method: plainText(event.method, MAX_PATH_LENGTH),
    host: event.host,
    artifact: event.artifact,
    path: path === undefined ? undefined : plainText(path, MAX_PATH_LENGTH),
    status: event.status,
    bytes,
    seconds: Math.round(seconds * 1000) / 1000,
    outcome: event.outcome,
    userAgent: userAgent === undefined ? undefined : plainText(userAgent, MAX_AGENT_LENGTH),
  };
}

type Line = LogFields & { readonly time: string; readonly level: LogLevel; readonly event: string };

function formatJson(line: Line): string {
  return `${JSON.stringify(line)}\n`;
}

/** `2026-11-21T16:55:37.000Z info request client=10.0.0.7 path=worker-0.iso …` */
function formatWords({ time, level, event, ...fields }: Line): string {
  const words = Object.entries(fields).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const text = String(value);
    return [`${name}=${/^[^\s"=]+$/.test(text) ? text : JSON.stringify(text)}`];
  });
  return `${[time, level, event, ...words].join(' ')}\n`;
}

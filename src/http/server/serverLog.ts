/**
 * The event log, one event per line: JSON for programs, or text for users. Only the fields that are declared here are
 * logged, so that no header, query or signed path gets into the log by mistake.
 */

import { CliError } from '../../core/errors.ts';
import type { Writable } from 'node:stream';
import type { ArtifactKind } from '../../core/artifacts.ts';
import type { TransferOutcome } from './answer/transfers.ts';
import { plainText } from './textResponse.ts';

/** A finished request: answered, or aborted by either side. */
export interface RequestEvent {
  /** The number of the request since the start, as in the `X-Request-Id` header. */
  readonly id: number;
  /** IP address. */
  readonly client: string;
  readonly method: string;
  /** The fetched artifact; undefined for pages and unknown paths. */
  readonly artifact: ArtifactKind | undefined;
  readonly host: string | undefined;
  /** Without the token: the path in the catalog; undefined for unknown paths, which may contain a secret. */
  readonly path: string | undefined;
  readonly status: number;
  /** Bytes of an image or a page that the kernel has accepted. */
  readonly bytes: number;
  readonly seconds: number;
  readonly outcome: TransferOutcome;
  readonly userAgent: string | undefined;
}

type LogLevel = 'info' | 'warning' | 'error';

/** Values of the program itself, or the results of `plainText`. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export interface ServerLog {
  request(event: RequestEvent): void;
  /** @param event one or two words: `certificate` */
  note(level: LogLevel, event: string, fields: LogFields): void;
}

/** Characters. */
const MAX_PATH_LENGTH = 120;

/** Writes events to the output. A closed output or a full disk does not stop the service. */
export function createServerLog(
  output: Writable,
  form: 'json' | 'text',
  now = (): Date => new Date(),
): ServerLog {
  output.on('error', () => undefined);
  const note: ServerLog['note'] = (level, event, fields) => {
    const line = { time: now().toISOString(), level, event, ...fields };
    output.write(`${form === 'json' ? JSON.stringify(line) : formatText(line)}\n`);
  };
  return {
    note,
    request: ({ path, ...event }) =>
      note(event.status >= 500 ? 'error' : 'info', 'request', {
        id: event.id,
        client: event.client,
        method: plainText(event.method, MAX_PATH_LENGTH),
        host: event.host,
        artifact: event.artifact,
        path: path === undefined ? undefined : plainText(path, MAX_PATH_LENGTH),
        status: event.status,
        bytes: event.bytes,
        seconds: Math.round(event.seconds * 1000) / 1000,
        outcome: event.outcome,
        userAgent: event.userAgent,
      }),
  };
}

/** Logs the error of a reload. @param kept what stays in use, as a clause */
export function noteFailedReload(log: ServerLog, event: string, error: unknown, kept: string): void {
  const message = error instanceof CliError ? error.message : String(error);
  const hint = error instanceof CliError ? error.hint : undefined;
  log.note('error', event, { message: `${message}; ${kept}`, hint });
}

type Line = LogFields & { readonly time: string; readonly level: LogLevel; readonly event: string };

/** `2026-11-21T16:55:37.000Z info request client=10.0.0.7 path=worker-0.iso …` */
function formatText({ time, level, event, ...fields }: Line): string {
  const words = Object.entries(fields).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const text = String(value);
    return [`${name}=${/^[^\s"=]+$/.test(text) ? text : JSON.stringify(text)}`];
  });
  return [time, level, event, ...words].join(' ');
}

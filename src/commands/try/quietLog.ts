/**
 * The log of a server that runs during a trial. The timeline contains the requests, so the log contains only warnings and
 * errors, and repeats the same message once per minute at most, because clients can cause any number of them.
 */

import type { Io } from '../../io/io.ts';
import type { ServerLog } from '../../http/server/serverLog.ts';
import { report } from '../../io/report/report.ts';

/** Milliseconds before a message is repeated. */
const REPEAT_INTERVAL = 60_000;
/** Maximum number of different messages. */
const MAX_REMEMBERED = 1000;

export function createQuietLog(io: Io, now: () => number = Date.now): ServerLog {
  const reported = new Map<string, number>();
  return {
    request: () => undefined,
    note: (level, event, { client, message = event, hint }) => {
      if (level === 'info') return;
      const last = reported.get(String(message));
      if (last !== undefined && now() - last < REPEAT_INTERVAL) return;
      if (reported.size >= MAX_REMEMBERED) reported.clear();
      reported.set(String(message), now());
      const from = client === undefined ? '' : ` (${client})`;
      const text = hint === undefined ? {} : { hint: String(hint) };
      report(io, { severity: level, message: `${message}${from}`, ...text });
    },
  };
}

/**
 * The log of a server that runs beside a trial: who fetches what is in the timeline, so only trouble is told, and the same
 * trouble once in a while, as clients may make it as often as they like.
 */

import type { Io } from '../io/io.ts';
import type { ServerLog } from '../serve/http/serverLog.ts';
import { report } from '../io/report/report.ts';

/** Milliseconds until the same is told again. */
const PAUSE = 60_000;
/** Different troubles that are remembered. */
const MOST_REMEMBERED = 1000;

export function createQuietLog(io: Pick<Io, 'report' | 'stderr'>, now: () => number = Date.now): ServerLog {
  const told = new Map<string, number>();
  return {
    request: () => undefined,
    note: (level, event, { client, message = event, hint }) => {
      if (level === 'info') return;
      const last = told.get(String(message));
      if (last !== undefined && now() - last < PAUSE) return;
      if (told.size >= MOST_REMEMBERED) told.clear();
      told.set(String(message), now());
      const from = client === undefined ? '' : ` (${client})`;
      const text = hint === undefined ? {} : { hint: String(hint) };
      report(io, { severity: level, message: `${message}${from}`, ...text });
    },
  };
}

/** Limits the repetitions of a log. */

import { type Clock, systemClock } from '../../io/clock.ts';
import type { ServerLog } from './serverLog.ts';

/** Milliseconds until the same message is logged again. */
const REPEAT_INTERVAL = 60_000;
const MAX_MESSAGES = 1000;

/**
 * The same log, but a repeated message is only counted for a minute: clients, and an API server that is not available, cause any
 * number of them.
 */
export function throttleLog(log: ServerLog, clock: Clock = systemClock): ServerLog {
  const noted = new Map<string, { readonly at: number; suppressed: number }>();
  return {
    request: (event) => log.request(event),
    note: (level, event, fields) => {
      const message = `${event} ${fields['message'] ?? ''}`;
      const last = noted.get(message);
      if (last !== undefined && clock.now() - last.at < REPEAT_INTERVAL) {
        last.suppressed += 1;
        return;
      }
      if (noted.size >= MAX_MESSAGES) noted.clear();
      noted.set(message, { at: clock.now(), suppressed: 0 });
      log.note(level, event, { ...fields, suppressed: last?.suppressed || undefined });
    },
  };
}

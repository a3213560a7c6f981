/**
 * Trouble with the cluster, in the log. An API server that is away makes the same trouble every second or so, for all that
 * is asked of it: what was told a short while ago is only counted.
 */

import { CliError } from '../core/errors.ts';
import { type Clock, systemClock } from '../io/clock.ts';
import type { ServerLog } from '../serve/http/serverLog.ts';
import { printable } from '../io/report/printable.ts';

/** Milliseconds until the same is told again. */
const SAME_FOR = 60_000;
/** Messages that are remembered. */
const MAX_KNOWN = 100;

interface Told {
  readonly at: number;
  /** How often it has come since, untold. */
  untold: number;
}

export function createTroubleLog(log: ServerLog, clock: Clock = systemClock): (error: Error) => void {
  const known = new Map<string, Told>(); // the one that was told longest ago first
  return (error) => {
    const message = printable(error.message);
    const before = known.get(message);
    if (before !== undefined && clock.now() - before.at < SAME_FOR) {
      before.untold += 1;
      return;
    }
    known.delete(message);
    known.set(message, { at: clock.now(), untold: 0 });
    const [oldest = ''] = known.keys();
    if (known.size > MAX_KNOWN) known.delete(oldest);
    log.note('warning', 'cluster', {
      message,
      hint: error instanceof CliError ? error.hint : undefined,
      untold: before?.untold === 0 ? undefined : before?.untold,
    });
  };
}

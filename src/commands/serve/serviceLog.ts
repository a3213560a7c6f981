/** What a service has to say: to a person as remarks, as every command does; to a program in the lines of its log. */

import type { Io } from '../../io/io.ts';
import type { ServerLog } from '../../io/server/serverLog.ts';
import { printable } from '../../reporters/printable.ts';
import { parseRemarks } from '../../reporters/remark.ts';
import { collectTalk } from '../hosts/collectTalk.ts';

/**
 * Runs a step that tells things on standard error, or why it does what it does. Where the log is for programs, they
 * become lines of it.
 * @param form of the log
 */
export async function withTalk<T>(
  { io, log, form }: { readonly io: Io; readonly log: ServerLog; readonly form: 'json' | 'text' },
  step: (io: Io) => Promise<T>,
): Promise<T> {
  if (form === 'text') return step(io);
  const { io: quiet, said } = collectTalk(io);
  try {
    return await step(withNotes(quiet, log));
  } finally {
    for (const { severity, message, hint } of parseRemarks(said.join('')))
      log.note(severity, 'check', { message, hint });
  }
}

/** The same `io`, except that notes become lines of the log, if anybody wants them. */
function withNotes(io: Io, log: ServerLog): Io {
  if (io.note === undefined) return io;
  const note = (text: string): void => log.note('info', 'note', { message: printable(text) });
  return Object.defineProperty(io, 'note', { value: note });
}

/** Waits that would be silent. */

import type { Io } from './io.ts';

/** Milliseconds. */
const SILENCE = 2000;

/** The result of the work. If it takes longer than two seconds, says what it waits for. */
export async function sayIfSlow<T>(io: Pick<Io, 'stderr'>, what: string, work: Promise<T>): Promise<T> {
  const timer = setTimeout(() => io.stderr.write(`waiting for ${what}\n`), SILENCE);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}

/** The same for standard input, where a terminal waits for what the user types. */
export async function sayIfTyped<T>(
  io: Pick<Io, 'stderr' | 'stdin'>,
  what: string,
  work: Promise<T>,
): Promise<T> {
  if (io.stdin.isTTY !== true) return sayIfSlow(io, `${what} on standard input`, work);
  io.stderr.write(`type or paste the ${what}, then press Enter and Ctrl-D\n`);
  return work;
}

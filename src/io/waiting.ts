/** Waits that would be silent. */

import { largest } from '../core/lists.ts';
import { formatCount } from '../formats/messageText.ts';
import { systemClock } from './clock.ts';
import type { Io } from './io.ts';
import { formatNames } from './report/problemGroups.ts';
import { report } from './report/report.ts';

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

/** Milliseconds between two looks at who is silent. */
const TICK = 1000;

/**
 * Reports who has not answered for so many milliseconds, and again each time.
 * @param nouns the words before one name, and those before several: `the BMC of `; empty where names are enough
 */
export function watchSilence(time: number, [one, several]: readonly [string, string], io: Io) {
  /** By name: the time of the clock at which it was asked, or answered last. */
  const heard = new Map<string, number>();
  let reported = -Infinity;
  const timer = setInterval(
    () => {
      const now = systemClock.now();
      if (now - reported < time) return;
      const silent = [...heard].filter(([, last]) => now - last >= time);
      if (silent.length === 0) return;
      reported = now;
      const longest = Math.round(largest(silent.map(([, last]) => now - last)) / 1000);
      const names = formatNames(silent.map(([name]) => name));
      const message = `waiting for ${silent.length === 1 ? one : several}${names}; no response for ${formatCount(longest, 'second')}`;
      report(io, { severity: 'info', message });
    },
    Math.min(TICK, time),
  );
  return {
    /** It is asked, or has answered one of several requests. */
    heard: (name: string): void => void heard.set(name, systemClock.now()),
    /** Nothing more is expected of it. */
    done: (name: string): void => void heard.delete(name),
    close: (): void => clearInterval(timer),
  };
}

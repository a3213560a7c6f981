/** What a signal that ends the program still has to do: remove temporary files, and complete what must not stay half done. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { onSignals } from './process.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const cleanups = new Set<() => void>();
let stopListening = (): void => undefined;

/** Calls `cleanUp`, which is synchronous, when a signal ends the program. @returns what takes that back */
export function onInterrupt(cleanUp: () => void): () => void {
  if (cleanups.size === 0) stopListening = onSignals(SIGNALS, cleanUpAndEnd);
  cleanups.add(cleanUp);
  return () => forget(cleanUp);
}

function forget(cleanUp: () => void): void {
  cleanups.delete(cleanUp);
  if (cleanups.size === 0) stopListening();
}

/** Whether signals have to wait. */
let isProtected = false;

/**
 * Completes `work` before a signal ends the program. If the work fails, its error ends the program.
 * @param say gets the signal before the program ends
 */
export async function completeBeforeEnd(
  work: () => Promise<void>,
  say: (signal: NodeJS.Signals) => void,
): Promise<void> {
  let received: NodeJS.Signals | undefined;
  const keep = (signal: NodeJS.Signals): void => void (received ??= signal);
  isProtected = true;
  const release = onSignals(SIGNALS, keep);
  try {
    await work();
    await nextTurn(); // a signal that came during synchronous writes
  } finally {
    isProtected = false;
    release();
  }
  if (received === undefined) return;
  say(received);
  cleanUpAndEnd(received);
}

function cleanUpAndEnd(signal: NodeJS.Signals): void {
  if (isProtected) return;
  for (const cleanUp of cleanups) {
    cleanUp();
    forget(cleanUp);
  }
  // No listener remains, so this ends the program as the signal would. Windows supports only the end of a process.
  process.kill(process.pid, process.platform === 'win32' ? 'SIGTERM' : signal);
}

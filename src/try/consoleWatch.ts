/** Turns lines on the console of a machine into events. */

import { findConsoleSigns } from './timeline/consoleSigns.ts';
import type { ConsoleEvent } from './timeline/events.ts';

/**
 * @param host name of the machine
 * @returns a function that takes each line of the console, without control characters
 */
export function createConsoleWatch(
  host: string,
  observe: (event: ConsoleEvent) => void,
): (line: string) => void {
  let last = 0;
  /** The lines of an installed system are no progress of the live system. */
  let isOfDisk = false;
  return (text) => {
    for (const { line, sign } of findConsoleSigns(text)) {
      if (sign.id === 'kernel-started' || sign.id === 'kernel-live') isOfDisk = false;
      if (isOfDisk) continue;
      isOfDisk = sign.id === 'kernel-disk';
      // Many lines may arrive at once, but their order matters.
      last = Math.max(Date.now(), last + 1);
      observe({
        kind: 'console',
        at: new Date(last),
        client: undefined,
        host,
        sign: sign.id,
        stage: sign.stage,
        line,
      });
    }
  };
}

/** One line on a terminal that says how far a long piece of work is; nothing anywhere else. */

import type { Output } from './io.ts';

export interface Progress {
  /** `done` of all pieces are finished. */
  readonly update: (done: number) => void;
  /** Takes the line away, so that other text can be written. */
  readonly clear: () => void;
}

/** Milliseconds between two looks of the line. */
const pause = 100;
const widestBar = 30;

/** `what` begins the line: `hosts`. */
export function showProgress(stream: Output, what: string, total: number): Progress {
  if (stream.isTTY !== true) return { update: () => undefined, clear: () => undefined };
  let last = 0;
  let isShown = false;
  return {
    update: (done) => {
      const now = performance.now();
      if (now - last < pause) return;
      last = now;
      isShown = true;
      stream.write(`\r${formatBar({ what, done, total }, columnsOf(stream))}\u001b[K`);
    },
    clear: () => {
      if (isShown) stream.write('\r\u001b[K');
      isShown = false;
      last = 0;
    },
  };
}

/** Some terminals say that they have none. */
function columnsOf({ columns = 0 }: Output): number {
  return columns > 0 ? columns : 80;
}

interface State {
  readonly what: string;
  readonly done: number;
  readonly total: number;
}

function formatBar({ what, done, total }: State, columns: number): string {
  const count = `${what} ${String(done).padStart(String(total).length)}/${total}`;
  const width = Math.min(widestBar, columns - count.length - 4);
  if (width < 5) return count.slice(0, Math.max(0, columns - 1));
  const filled = Math.round((width * done) / Math.max(1, total));
  return `${count} [${'#'.repeat(filled)}${'.'.repeat(width - filled)}]`;
}

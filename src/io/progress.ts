/**
 * Progress output. On a terminal: a live row for work in steps, and one for each transfer. Elsewhere: nothing for work in steps,
 * and occasional text for transfers.
 */

import { formatCount, formatSize } from '../formats/messageText.ts';
import type { Io } from './io.ts';
import { canDraw, type LiveRows, showLiveRows, type Terminal } from './liveRows.ts';

export interface Progress {
  /** `done` of all pieces are finished. */
  readonly update: (done: number) => void;
  readonly end: () => void;
}

/** `what` begins the row: `hosts 5/10`. It appears with the first update. */
export function showProgress(io: Terminal, what: string, total: number): Progress {
  let row = '';
  let rows: LiveRows | undefined;
  return {
    update: (done) => {
      row = `${what} ${done}/${total}`;
      rows ??= showLiveRows(io, () => [row]);
    },
    end: () => {
      rows?.end();
      rows = undefined;
    },
  };
}

/** One of several transfers at a time. */
export interface TransferProgress {
  /** Received bytes, and the total size if known. */
  readonly update: (done: number, total: number | undefined) => void;
  readonly end: () => void;
}

/** Milliseconds between two plain lines about the same transfer. */
const PLAIN_INTERVAL = 10_000;

/** A row on a terminal; elsewhere occasional text, or what `onProgress` does. */
export function showTransfer(io: Terminal & Pick<Io, 'onProgress'>, name: string): TransferProgress {
  const { onProgress } = io;
  if (canDraw(io)) return drawTransfer(io, name);
  let next = Date.now() + PLAIN_INTERVAL;
  return {
    update: (done, total) => {
      if (onProgress !== undefined) return onProgress({ unit: 'bytes', done, total, name });
      if (Date.now() < next) return;
      next = Date.now() + PLAIN_INTERVAL;
      io.stderr.write(`Read ${name} ${formatAmount(done, total)}\n`);
    },
    end: () => undefined,
  };
}

function drawTransfer(io: Terminal, name: string): TransferProgress {
  let start: { readonly time: number; readonly done: number } | undefined;
  let row = '';
  let rows: LiveRows | undefined;
  return {
    update: (done, total) => {
      start ??= { time: Date.now(), done };
      const seconds = (Date.now() - start.time) / 1000;
      const parts = [`${name} ${formatAmount(done, total)}`];
      if (seconds > 1) {
        const speed = (done - start.done) / seconds;
        parts.push(`${formatSize(speed)}/s`);
        if (total !== undefined && speed > 0) {
          parts.push(`${formatCount(Math.ceil((total - done) / speed), 'second')} left`);
        }
      }
      row = parts.join(', ');
      rows ??= showLiveRows(io, ({ columns }) => [row.slice(0, columns - 1)]);
    },
    end: () => rows?.end(),
  };
}

function formatAmount(done: number, total: number | undefined): string {
  if (total === undefined) return formatSize(done);
  const share = total === 0 ? '' : ` (${Math.floor((done / total) * 100)}%)`;
  return `${formatSize(done)}/${formatSize(total)}${share}`;
}

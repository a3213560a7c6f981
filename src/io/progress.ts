/** Progress of work: to `onProgress`, and on a terminal as a live row. Elsewhere there is occasional text about transfers. */

import { basename } from 'node:path';
import { formatCount, formatSize } from '../formats/messageText.ts';
import type { Io, WorkProgress } from './io.ts';
import { canDraw, type LiveRows, showLiveRows, type Terminal } from './liveRows.ts';

export interface Progress {
  /** The total is undefined if it is not known. */
  readonly update: (done: number, total: number | undefined) => void;
  readonly end: () => void;
}

type ProgressIo = Terminal & Pick<Io, 'onProgress'>;

/** `hosts 5/10` */
export function showHosts(io: ProgressIo): Progress {
  return showRow(io, { unit: 'hosts' }, (done, total) => `hosts ${done}/${total}`);
}

/** Milliseconds between two plain lines about the same transfer. */
const PLAIN_INTERVAL = 10_000;

/** Bytes of a file that is downloaded or copied, which may be one of several at a time. @param name its path or URL, without secrets */
export function showTransfer(io: ProgressIo, name: string): Progress {
  const shown = basename(name);
  let start: { readonly time: number; readonly done: number } | undefined;
  const row = showRow(io, { unit: 'bytes', name }, (done, total) => {
    start ??= { time: Date.now(), done };
    const seconds = (Date.now() - start.time) / 1000;
    const parts = [`${shown} ${formatAmount(done, total)}`];
    if (seconds > 1) {
      const speed = (done - start.done) / seconds;
      parts.push(`${formatSize(speed)}/s`);
      if (total !== undefined && speed > 0) {
        parts.push(`${formatCount(Math.ceil((total - done) / speed), 'second')} left`);
      }
    }
    return parts.join(', ');
  });
  if (canDraw(io)) return row;
  let next = Date.now() + PLAIN_INTERVAL;
  const update: Progress['update'] = (done, total) => {
    row.update(done, total);
    if (Date.now() < next) return;
    next = Date.now() + PLAIN_INTERVAL;
    io.stderr.write(`Read ${shown} ${formatAmount(done, total)}\n`);
  };
  return { ...row, update };
}

/** The row appears with the first update, but not for work that is complete then. */
function showRow(
  io: ProgressIo,
  work: Pick<WorkProgress, 'name' | 'unit'>,
  format: (...given: Parameters<Progress['update']>) => string,
): Progress {
  let row = '';
  let rows: LiveRows | undefined;
  return {
    update: (done, total) => {
      io.onProgress?.({ ...work, done, total });
      if (rows === undefined && done === total) return;
      row = format(done, total);
      rows ??= showLiveRows(io, ({ columns }) => [row.slice(0, columns - 1)]);
    },
    end: () => {
      rows?.end();
      rows = undefined;
    },
  };
}

function formatAmount(done: number, total: number | undefined): string {
  if (total === undefined) return formatSize(done);
  const share = total === 0 ? '' : ` (${Math.floor((done / total) * 100)}%)`;
  return `${formatSize(done)}/${formatSize(total)}${share}`;
}

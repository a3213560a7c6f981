/**
 * Progress output. On a terminal: one line for work in steps, which is one of the live rows if there are any, and one line per
 * transfer. Elsewhere: nothing for work in steps, and occasional plain text for transfers. cli-progress draws the lines and is loaded on demand.
 */

import type { MultiBar, SingleBar } from 'cli-progress';
import { formatSize } from '../formats/messageText.ts';
import type { Io, Output } from './io.ts';
import { hasLiveRows, setLiveWork } from './liveRows.ts';

export interface Progress {
  /** `done` of all pieces are finished. */
  readonly update: (done: number) => void;
  /** Removes the line, so that other text can be written; the next `update` restores it. */
  readonly clear: () => void;
}

const nothing = (): void => undefined;

/** `what` begins the line: `hosts`. */
export function showProgress(stream: Output, what: string, total: number): Progress {
  if (stream.isTTY !== true) return { update: nothing, clear: nothing };
  if (hasLiveRows(stream)) {
    return {
      update: (done) => setLiveWork(stream, `${what} ${done}/${total}`),
      clear: () => setLiveWork(stream, undefined),
    };
  }
  let bar: SingleBar | undefined;
  void loadBar(stream, what).then((loaded) => (bar = loaded));
  let idle: NodeJS.Timeout | undefined;
  const clear = (): void => {
    clearTimeout(idle);
    idle = undefined;
    bar?.stop();
  };
  return {
    update: (done) => {
      if (bar === undefined) return;
      if (idle === undefined) bar.start(total, done);
      else bar.update(done);
      idle = idle?.refresh() ?? setTimeout(clear, LONGEST_IDLE);
    },
    clear,
  };
}

/** Milliseconds after which the line goes away by itself: as long as it is there, the program does not end. */
const LONGEST_IDLE = 30_000;

/** Undefined if it cannot be loaded: progress output is optional. */
async function loadBar(stream: Output, what: string): Promise<SingleBar | undefined> {
  const library = await import('cli-progress').catch(() => undefined);
  if (library === undefined) return undefined;
  const format = `${what} {value}/{total} [{bar}] {eta_formatted}`;
  return new library.default.SingleBar({ ...look, stream, format, barsize: 30 });
}

const look = {
  barCompleteChar: '#',
  barIncompleteChar: '.',
  etaBuffer: 200,
  clearOnComplete: true,
  linewrap: true, // else it would have to be switched on again when the program is interrupted
};

/** One of several transfers at a time. */
interface TransferProgress {
  /** Received bytes, and the total size if known. */
  readonly update: (done: number, total: number | undefined) => void;
  /** Removes its line. */
  readonly end: () => void;
}

export interface TransfersProgress {
  readonly begin: (name: string) => TransferProgress;
  /** Writes a line of text, without disturbing those that show the progress. */
  readonly say: (text: string) => void;
  readonly end: () => void;
}

/** Milliseconds between two plain lines about the same transfer. */
const PLAIN_INTERVAL = 10_000;

/** One line per transfer on a terminal; elsewhere occasional text, or what `onProgress` does. */
export async function showTransfers({
  onProgress,
  stderr: stream,
}: Pick<Io, 'onProgress' | 'stderr'>): Promise<TransfersProgress> {
  const bars = stream.isTTY === true ? await loadBars(stream) : undefined;
  const say = (text: string): void => void stream.write(`${text}\n`);
  if (bars === undefined) {
    const begin = (name: string): TransferProgress =>
      onProgress === undefined
        ? logTransfer(name, say)
        : { update: (done, total) => onProgress({ unit: 'bytes', done, total, name }), end: nothing };
    return { begin, say, end: nothing };
  }
  const open = new Set<SingleBar>();
  return {
    begin: (name) => drawTransfer(name, bars, open),
    say: (text) => {
      if (open.size > 0) bars.stop();
      say(text);
      if (open.size > 0) bars.update();
    },
    end: () => bars.stop(),
  };
}

function logTransfer(name: string, say: (text: string) => void): TransferProgress {
  let next = Date.now() + PLAIN_INTERVAL;
  return {
    update: (done, total) => {
      if (Date.now() < next) return;
      next = Date.now() + PLAIN_INTERVAL;
      const share = total === undefined || total === 0 ? '' : ` (${Math.floor((done / total) * 100)}%)`;
      say(`Read ${name} ${formatAmount(done, total)}${share}`);
    },
    end: () => undefined,
  };
}

function drawTransfer(name: string, bars: MultiBar, open: Set<SingleBar>): TransferProgress {
  let bar: SingleBar | undefined;
  let start = { time: 0, done: 0 };
  return {
    update: (done, total) => {
      if (bar === undefined) {
        start = { time: Date.now(), done };
        bar = bars.create(1, 0, { name, amount: '', speed: '' });
        open.add(bar);
      }
      const seconds = (Date.now() - start.time) / 1000;
      const speed = seconds > 1 ? `${formatSize((done - start.done) / seconds)}/s` : '';
      bar.setTotal(Math.max(total ?? done + 1, 1));
      bar.update(done, { amount: formatAmount(done, total), speed });
    },
    end: () => {
      if (bar === undefined) return;
      bars.remove(bar);
      open.delete(bar);
      bar = undefined;
    },
  };
}

function formatAmount(done: number, total: number | undefined): string {
  return total === undefined ? formatSize(done) : `${formatSize(done)}/${formatSize(total)}`;
}

/** `update` redraws all bars; the types of cli-progress do not contain it. */
type Bars = MultiBar & { readonly update: () => void };

async function loadBars(stream: Output): Promise<Bars | undefined> {
  const library = await import('cli-progress').catch(() => undefined);
  if (library === undefined) return undefined;
  const bars = new library.default.MultiBar({
    ...look,
    stream,
    format: '{name} {percentage}% [{bar}] {amount} {speed} {eta_formatted}',
    barsize: 20,
    hideCursor: false,
    gracefulExit: false,
  });
  // The types of cli-progress do not contain it.
  return 'update' in bars && typeof bars.update === 'function' ? bars : undefined;
}

/**
 * Rows at the bottom of a terminal that change in place, below the lines that the program writes meanwhile, as in `docker compose`.
 * The cursor is never hidden and stays below the rows, so that a program that is killed leaves a usable terminal.
 */

import { stripVTControlCharacters } from 'node:util';
import type { Io, Output } from './io.ts';
import { isInBackground } from './process.ts';
import { displayWidth } from './report/terminalText.ts';

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface LiveRows {
  /** Removes the rows. */
  readonly end: () => void;
}

/** Milliseconds. */
const INTERVAL = 1000;
/** Milliseconds after a line of text. A burst of lines redraws the rows once. */
const AFTER_TEXT = 100;
/** Rows that take long to format, because there are thousands of machines, are formatted less often: 5 % of the time. */
const PAUSES_PER_WORK = 20;

/** The terminals with rows, and how to draw them. */
const shown = new WeakMap<Output, Drawing>();

export function hasLiveRows(stream: Output): boolean {
  return shown.has(stream);
}

/** Adds a row for work that runs meanwhile, or removes it. It is drawn with the others. */
export function setLiveWork(stream: Output, text: string | undefined): void {
  shown.get(stream)?.setWork(text);
}

/** Runs an action during which the rows are not drawn, for example a question. */
export async function withoutLiveRows<T>(stream: Output, action: () => Promise<T>): Promise<T> {
  const drawing = shown.get(stream);
  if (drawing === undefined) return action();
  drawing.suspend();
  return action().finally(drawing.resume);
}

/**
 * Draws rows until `end` is called. Without a terminal that can draw them it draws nothing.
 * @param format returns the rows; each has fewer columns than the terminal, and all together have fewer rows
 */
export function showLiveRows(
  io: Pick<Io, 'env' | 'stderr' | 'stdout'>,
  format: (size: TerminalSize) => readonly string[],
): LiveRows {
  const { stderr, stdout } = io;
  if (!canDraw(io)) return { end: () => undefined };
  // Standard output is usually the same terminal.
  const streams = [stderr, stdout].filter(
    (stream, index, all) => stream.isTTY && all.indexOf(stream) === index,
  );
  const writers = streams.map((stream) => ({ stream, write: stream.write.bind(stream) }));
  const write = stderr.write.bind(stderr);
  const drawing = createDrawing((text) => void write(text), stderr, format);
  for (const { stream, write: original } of writers) {
    const intercepted = (...given: Parameters<typeof original>): boolean => {
      drawing.before(given[0]);
      return original(...given);
    };
    Object.assign(stream, { write: intercepted });
    shown.set(stream, drawing);
  }
  stderr.on('resize', drawing.draw);
  const stop = repeat(drawing.draw);
  return {
    end: () => {
      stop();
      stderr.off('resize', drawing.draw);
      drawing.suspend();
      for (const { stream, write: original } of writers) {
        Object.assign(stream, { write: original });
        shown.delete(stream);
      }
    },
  };
}

/** As other programs decide it: neither in CI, whose logs keep all that is drawn, nor on a terminal without cursor addressing. */
function canDraw({ env, stderr }: Pick<Io, 'env' | 'stderr'>): boolean {
  const isInCi = (env['CI'] ?? '') !== '' && env['CI'] !== 'false';
  return stderr.isTTY === true && env['TERM'] !== 'dumb' && !isInCi && !hasLiveRows(stderr);
}

/** Calls the action at once and then regularly. @returns what ends that */
function repeat(action: () => void): () => void {
  let timer: NodeJS.Timeout;
  const next = (): void => {
    const started = performance.now();
    action();
    const spent = performance.now() - started;
    timer = setTimeout(next, Math.max(INTERVAL, PAUSES_PER_WORK * spent)).unref();
  };
  next();
  return () => clearTimeout(timer);
}

interface Drawing {
  readonly draw: () => void;
  /** To be called before something else is written: removes the rows, and draws them again soon. */
  readonly before: (chunk: unknown) => void;
  /** Removes the rows until `resume` is called. */
  readonly suspend: () => void;
  readonly resume: () => void;
  readonly setWork: (text: string | undefined) => void;
}

function createDrawing(
  write: (text: string) => void,
  stream: Output,
  format: (size: TerminalSize) => readonly string[],
): Drawing {
  let drawn: readonly string[] = [];
  let isSuspended = false;
  let isAtLineStart = true;
  let work: string | undefined;
  let soon: NodeJS.Timeout | undefined;
  const size = (): TerminalSize => ({ columns: stream.columns || 80, rows: stream.rows || 24 });
  const draw = (): void => {
    clearTimeout(soon);
    soon = undefined;
    // In the background, the shell uses the line of the cursor.
    if (isSuspended || !isAtLineStart || isInBackground()) return;
    const { columns, rows: height } = size();
    const added = work === undefined ? [] : [work];
    const rows = [...format({ columns, rows: height - added.length }), ...added];
    if (rows.length === drawn.length && rows.every((row, index) => row === drawn[index])) return;
    write(`${eraseText(drawn, size())}${rows.map((row) => `${row}\n`).join('')}`);
    drawn = rows;
  };
  const erase = (): void => {
    const text = eraseText(drawn, size());
    drawn = [];
    if (text !== '' && !isInBackground()) write(text);
  };
  return {
    draw,
    before: (chunk) => {
      erase();
      isAtLineStart = endsLine(chunk) ?? isAtLineStart;
      soon ??= setTimeout(draw, AFTER_TEXT).unref();
    },
    suspend: () => {
      isSuspended = true;
      clearTimeout(soon);
      soon = undefined;
      erase();
    },
    resume: () => {
      isSuspended = false;
    },
    setWork: (text) => {
      work = text;
    },
  };
}

/** Moves the cursor up to the first of the rows, and clears what follows. A terminal that became narrower has wrapped them. */
function eraseText(drawn: readonly string[], { columns, rows }: TerminalSize): string {
  if (drawn.length === 0) return '';
  const height = drawn.reduce((sum, row) => {
    const width = displayWidth(stripVTControlCharacters(row));
    return sum + Math.max(1, Math.ceil(width / columns));
  }, 0);
  return `\r\u001b[${Math.min(height, rows - 1)}A\u001b[J`;
}

/** Undefined for an empty text. */
function endsLine(chunk: unknown): boolean | undefined {
  if (typeof chunk === 'string') return chunk === '' ? undefined : chunk.endsWith('\n');
  if (chunk instanceof Uint8Array) return chunk.length === 0 ? undefined : chunk.at(-1) === 10;
  return undefined;
}

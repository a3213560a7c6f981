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

export type Terminal = Pick<Io, 'env' | 'isQuiet' | 'stderr' | 'stdout'>;

export interface LiveRows {
  readonly end: () => void;
}

/** Milliseconds. */
const INTERVAL = 1000;
/** Milliseconds after a line of text. A burst of lines redraws the rows once. */
const AFTER_TEXT = 100;
/** Rows that take long to format, because there are thousands of machines, are formatted less often: 5 % of the time. */
const PAUSES_PER_WORK = 20;

type Format = (size: TerminalSize) => readonly string[];

/** What is drawn on a terminal: the rows of each format, the oldest on top. */
interface Screen {
  readonly formats: Set<Format>;
  readonly draw: () => void;
  readonly close: () => void;
}

const screens = new WeakMap<Output, Screen>();

/**
 * Draws rows below those that are there, until `end` is called. Without a terminal that can draw them it draws nothing.
 * @param format returns the rows; each has fewer columns than the terminal, and all together have fewer rows
 */
export function showLiveRows(io: Terminal, format: Format): LiveRows {
  if (!canDraw(io)) return { end: () => undefined };
  const screen = screens.get(io.stderr) ?? openScreen(io);
  screen.formats.add(format);
  screen.draw();
  return {
    end: () => {
      screen.formats.delete(format);
      if (screen.formats.size === 0) screen.close();
      else screen.draw();
    },
  };
}

/** As other programs decide it: neither in CI, whose logs keep all that is drawn, nor on a terminal without cursor addressing. */
export function canDraw({ env, isQuiet = false, stderr }: Terminal): boolean {
  const isInCi = (env['CI'] ?? '') !== '' && env['CI'] !== 'false';
  return stderr.isTTY === true && !isQuiet && env['TERM'] !== 'dumb' && !isInCi;
}

function openScreen({ stderr, stdout }: Terminal): Screen {
  const write = stderr.write.bind(stderr);
  const formats = new Set<Format>();
  let drawn: readonly string[] = [];
  let isAtLineStart = true;
  let timer: NodeJS.Timeout | undefined;
  let soon: NodeJS.Timeout | undefined;
  const size = (): TerminalSize => ({ columns: stderr.columns || 80, rows: stderr.rows || 24 });
  const format = (): readonly string[] => {
    let rows: readonly string[] = [];
    const { columns, rows: height } = size();
    // Those at the bottom have few rows.
    for (const one of [...formats].toReversed()) {
      rows = [...one({ columns, rows: height - rows.length }), ...rows];
    }
    return rows;
  };
  const draw = (): void => {
    clearTimeout(soon);
    soon = undefined;
    // After the text of a question, the rows wait for the answer. In the background, the shell uses the line of the cursor.
    if (!isAtLineStart || isInBackground()) return;
    const rows = format();
    if (rows.length === drawn.length && rows.every((row, index) => row === drawn[index])) return;
    write(`${eraseText(drawn, size())}${rows.map((row) => `${row}\n`).join('')}`);
    drawn = rows;
  };
  const repeat = (): void => {
    const started = performance.now();
    draw();
    const spent = performance.now() - started;
    timer = setTimeout(repeat, Math.max(INTERVAL, PAUSES_PER_WORK * spent)).unref();
  };
  const erase = (): void => {
    const text = eraseText(drawn, size());
    drawn = [];
    if (text !== '' && !isInBackground()) write(text);
  };
  // Standard output is usually the same terminal.
  const streams = stdout !== stderr && stdout.isTTY === true ? [stderr, stdout] : [stderr];
  const originals = streams.map((stream) => ({ stream, write: stream.write.bind(stream) }));
  for (const { stream, write: original } of originals) {
    const intercepted = (...given: Parameters<typeof original>): boolean => {
      erase();
      isAtLineStart = endsLine(given[0]) ?? isAtLineStart;
      soon ??= setTimeout(draw, AFTER_TEXT).unref();
      return original(...given);
    };
    Object.assign(stream, { write: intercepted });
  }
  stderr.on('resize', draw);
  timer = setTimeout(repeat, INTERVAL).unref();
  const screen: Screen = {
    formats,
    draw,
    close: () => {
      clearTimeout(timer);
      clearTimeout(soon);
      stderr.off('resize', draw);
      erase();
      for (const { stream, write: original } of originals) Object.assign(stream, { write: original });
      screens.delete(stderr);
    },
  };
  screens.set(stderr, screen);
  return screen;
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

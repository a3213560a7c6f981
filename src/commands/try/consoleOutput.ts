/**
 * Serial consoles: the one of an emulated machine is written unchanged to a file; all are read as lines without control
 * sequences, and lines that show the progress of the machine become events.
 * Firmware and boot loaders use the whole screen, so a cursor movement ends a line. Colours are removed, and other control
 * characters are replaced. It does not emulate a screen.
 */

import { maskLogLine } from '../../core/masking.ts';
import { resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { TextDecoder } from 'node:util';
import { diagnosticOf } from '../../core/finding.ts';
import { CliError } from '../../core/errors.ts';
import { fileError } from '../../io/files/fileErrors.ts';
import { openPrivate } from '../../io/files/newFile.ts';
import type { Io } from '../../io/io.ts';
import { report } from '../../io/report/report.ts';
import { findConsoleSigns } from './timeline/consoleSigns.ts';
import type { ConsoleEvent } from './timeline/events.ts';

export interface ConsoleOutput {
  write(bytes: Uint8Array): void;
  /** Resolves when the file is complete. Throws CliError if it cannot be written. */
  close(): Promise<void>;
}

/**
 * Console output may contain secrets, for example passwords in kernel arguments, so only this user can read a new file. If it cannot
 * be written, that is reported at once.
 * @param onLine gets each line, without control characters
 * @throws CliError if the file cannot be created
 */
export async function openConsoleOutput(
  file: string | undefined,
  onLine: (line: string) => void,
  io: Io,
): Promise<ConsoleOutput> {
  const text = createConsoleText(onLine);
  const place = file === undefined ? undefined : resolve(io.cwd, file);
  const action = { path: file ?? '', what: 'Console (--console)', place };
  const handle =
    place === undefined
      ? undefined
      : await openPrivate(place).catch((error: unknown) => {
          throw fileError(error, { ...action, action: 'create' });
        });
  let problem: unknown;
  const stream = handle?.createWriteStream().on('error', (error) => {
    problem = fileError(error, { ...action, action: 'write' });
    if (problem instanceof CliError) report(io, { ...diagnosticOf(problem), severity: 'warning' });
  });
  return {
    write: (bytes) => {
      text.push(bytes);
      if (problem === undefined) stream?.write(bytes);
    },
    close: async () => {
      text.end();
      if (stream !== undefined) await finished(stream.end()).catch(() => undefined);
      if (problem !== undefined) throw problem;
    },
  };
}

interface ConsoleText {
  push(bytes: Uint8Array): void;
  /** Ends the last, incomplete line. */
  end(): void;
}

/** Maximum number of characters of a line; longer ones are wrapped. Errors of podman with a signed URL have about 900. */
const LONGEST_LINE = 1000;

const ESCAPE = '\u001B';
const BELL = '\u0007';
const PARAMETERS = '\\[[0-?]{0,1000}[ -/]{0,1000}';
const STRING = `[\\]P][^${BELL}${ESCAPE}\\n]{0,1000}`;
/**
 * A break of lines, or a control sequence (ECMA-48, section 5.4): it ends with a letter, a string for the terminal with BEL or with
 * ESC \; other sequences have one character, those that select a character set two.
 */
const BREAK_OR_SEQUENCE = new RegExp(
  `(\\r|\\n|${ESCAPE}(?:${PARAMETERS}[@-~]|${STRING}(?:${BELL}|${ESCAPE}\\\\)|[()#%]?[^[\\]P()#%\\n${ESCAPE}]))`,
);
/** The beginning of a sequence, whose end is still to come. */
const OPEN_SEQUENCE = new RegExp(`${ESCAPE}(?:${PARAMETERS}|${STRING}${ESCAPE}?|[()#%]?)$`);
/** Moves the cursor to another line or erases the screen. */
const MOVE = new RegExp(`^${ESCAPE}(?:\\[[0-9;?]*[ABEFHJdf]|[cDEM])$`);
const MOVE_TO_COLUMN = new RegExp(`^${ESCAPE}\\[\\d{1,4};(\\d{1,4})H$`);

/** @param onLine gets each line without its line break; empty lines are omitted */
export function createConsoleText(onLine: (line: string) => void): ConsoleText {
  const decoder = new TextDecoder('utf-8');
  let line = '';
  let rest = '';
  const endLine = (): void => {
    const text = line.trimEnd();
    if (text !== '') onLine(text);
    line = '';
  };
  const append = (text: string): void => {
    for (const character of text) {
      if (character === '\b') line = line.slice(0, -1);
      else line += character === '\t' ? ' ' : HARMFUL.test(character) ? '?' : character;
      if (line.length >= LONGEST_LINE) endLine();
    }
  };
  const process = (text: string): void => {
    for (const [index, part] of text.split(BREAK_OR_SEQUENCE).entries()) {
      if (index % 2 === 0) append(part);
      else if (part === '\r' || part === '\n' || (MOVE.test(part) && !movesToEnd(part, line.length)))
        endLine();
    }
  };
  return {
    push: (bytes) => {
      const text = rest + decoder.decode(bytes, { stream: true });
      const end = OPEN_SEQUENCE.exec(text)?.index ?? text.length;
      rest = text.slice(end);
      process(text.slice(0, end));
    },
    end: () => {
      process(rest + decoder.decode());
      endLine();
    },
  };
}

/**
 * Whether a sequence moves the cursor to the end of a text of this length: consoles in series print such sequences within a line.
 * Column 1 starts another line.
 */
function movesToEnd(sequence: string, length: number): boolean {
  const column = Number(MOVE_TO_COLUMN.exec(sequence)?.[1]);
  return column > 1 && (column === length || column === length + 1);
}

/** Control characters, and characters that change the writing direction or are invisible. */
const HARMFUL = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Columns of the terminals that firmware and boot loaders assume: they wrap longer lines. */
const COLUMNS = 80;

/** Number of lines that are kept. */
const LAST_LINES = 3;
/** Characters of a line. */
const LONGEST_LAST_LINE = 160;

const PROBLEM_WORDS =
  /\b(?:errors?|fail(?:ed|s|ure)?|fatal|panic|cannot|can't|could ?n(?:o|')t|couldn't|unable|denied|refused|rejected|timed? ?out|not found|no such|missing|invalid|corrupt(?:ed)?|abort(?:ed)?|emergency)\b/i;

/** Messages of healthy machines that contain such words. */
const HARMLESS_LINE =
  /^(?:\[ {0,5}\d{1,7}\.\d{6}\] )?(?:audit|kauditd|ACPI|SELinux|EDAC|mei_me|integrity|tsc|PCI|pci|pnp|x86\/|systemd-udevd|multipathd)\b|\bDirect firmware load\b|\bres=success\b/;

interface LastLines {
  /** Adds a line, and returns the ones to show, the latest one last. */
  add(line: string): readonly string[];
}

/**
 * The last lines of one console that the table does not contain, since its machine was started, for a boot whose cause is not
 * known: those that report a problem in any words, otherwise any.
 */
function createLastLines(): LastLines {
  let any: readonly string[] = [];
  let problems: readonly string[] = [];
  return {
    add: (line) => {
      const masked = maskLogLine(line).trim();
      const text = masked.length > LONGEST_LAST_LINE ? `${masked.slice(0, LONGEST_LAST_LINE)}…` : masked;
      if (text === '') return problems.length > 0 ? problems : any;
      any = [...any, text].slice(-LAST_LINES);
      if (PROBLEM_WORDS.test(text) && !HARMLESS_LINE.test(text) && !problems.includes(text))
        problems = [...problems, text].slice(-LAST_LINES);
      return problems.length > 0 ? problems : any;
    },
  };
}

/**
 * Turns lines into events.
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
  /** The beginning of a wrapped line; otherwise empty. */
  let wrapped = '';
  let lastLines = createLastLines();
  const nextEvent = () => {
    // Many lines may arrive at once, but their order matters.
    last = Math.max(Date.now(), last + 1);
    return { kind: 'console', at: new Date(last), client: undefined, host } as const;
  };
  return (text) => {
    const now = new Date();
    const alone = findConsoleSigns(text, now);
    const found = alone.length === 0 && wrapped !== '' ? findConsoleSigns(wrapped + text, now) : alone;
    // A line that fills the terminal, except for a space at its end, which is removed.
    const isWrapped = text.length === COLUMNS || text.length === COLUMNS - 1;
    // Many lines say in their second part why a program failed.
    const isReason = found.some(({ sign }) => sign.proves !== undefined || sign.suggests.length > 0);
    wrapped = !isReason && isWrapped ? text.padEnd(COLUMNS) : '';
    if (found.length === 0) {
      const event = { ...nextEvent(), sign: undefined, stage: undefined, line: text };
      observe({ ...event, lastLines: lastLines.add(text) });
    }
    for (const { line, sign } of found) {
      if (sign.id === 'kernel-started') lastLines = createLastLines();
      if (sign.id === 'kernel-started' || sign.id === 'kernel-live') isOfDisk = false;
      if (isOfDisk) continue;
      isOfDisk = sign.id === 'kernel-disk';
      observe({ ...nextEvent(), sign: sign.id, stage: sign.stage, line });
    }
  };
}

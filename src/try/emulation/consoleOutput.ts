/**
 * The serial console of an emulated machine: written unchanged to a file, and read as lines without control sequences.
 * Firmware and boot loaders use the whole screen, so a cursor movement ends a line. Colours are removed, and other control
 * characters are replaced. It does not emulate a screen.
 */

import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { TextDecoder } from 'node:util';
import { fileError } from '../../io/files/fileErrors.ts';
import type { Io } from '../../io/io.ts';

export interface ConsoleOutput {
  write(bytes: Uint8Array): void;
  /** Resolves when the file is complete. Throws CliError if it cannot be written. */
  close(): Promise<void>;
}

/** Console output may contain secrets, for example passwords in kernel arguments. */
const MODE = 0o600;

/**
 * @param onLine gets each line, without control characters
 * @throws CliError if the file cannot be created
 */
export async function openConsoleOutput(
  file: string | undefined,
  onLine: (line: string) => void,
  { cwd }: Pick<Io, 'cwd'>,
): Promise<ConsoleOutput> {
  const text = createConsoleText();
  const show = (lines: readonly string[]): void => lines.forEach((line) => onLine(line));
  const action = { path: file ?? '', what: 'Console (--console)' };
  const handle =
    file === undefined
      ? undefined
      : await open(resolve(cwd, file), 'w', MODE).catch((error: unknown) => {
          throw fileError(error, { ...action, action: 'create' });
        });
  let written: Promise<unknown> = Promise.resolve();
  return {
    write: (bytes) => {
      show(text.push(bytes));
      written = written.then(() => handle?.appendFile(bytes));
      written.catch(() => undefined); // `close` reports it
    },
    close: async () => {
      show(text.end());
      try {
        await written;
      } catch (error) {
        throw fileError(error, { ...action, action: 'write' });
      } finally {
        await handle?.close();
      }
    },
  };
}

export interface ConsoleText {
  /** Returns the complete lines without line breaks and without empty lines. */
  push(bytes: Uint8Array): string[];
  /** Returns the last, incomplete line. */
  end(): string[];
}

/** Maximum number of characters of a line; longer ones are wrapped. Errors of podman with a signed URL have about 900. */
const LONGEST_LINE = 1000;
/** Maximum number of characters of an escape sequence. */
const LONGEST_SEQUENCE = 1000;

export function createConsoleText(): ConsoleText {
  const decoder = new TextDecoder('utf-8');
  let line = '';
  let sequence = '';
  const done: string[] = [];
  const endLine = (): void => {
    const text = line.trimEnd();
    if (text !== '') done.push(text);
    line = '';
  };
  const append = (character: string): void => {
    line += character;
    if (line.length >= LONGEST_LINE) endLine();
  };
  const process = (character: string): void => {
    if (character === ESCAPE) {
      sequence = ESCAPE;
    } else if (sequence !== '' && character !== '\n') {
      sequence += character;
      if (!isComplete(sequence)) return;
      if (movesCursor(sequence)) endLine();
      sequence = '';
    } else if (character === '\n' || character === '\r') {
      sequence = '';
      endLine();
    } else if (character === '\b') {
      line = line.slice(0, -1);
    } else {
      append(character === '\t' ? ' ' : isHarmful(character) ? '?' : character);
    }
  };
  const flush = (): string[] => done.splice(0);
  return {
    push: (bytes) => {
      for (const character of decoder.decode(bytes, { stream: true })) process(character);
      return flush();
    },
    end: () => {
      for (const character of decoder.decode()) process(character);
      endLine();
      return flush();
    },
  };
}

const ESCAPE = '\u001B';

/**
 * Control sequences (ECMA-48, section 5.4) end with a letter. Strings for the terminal end with BEL, or with ESC \, which
 * starts another sequence. Other sequences have one character.
 */
function isComplete(sequence: string): boolean {
  const [, second = '', ...rest] = sequence;
  const last = rest.at(-1);
  if (sequence.length >= LONGEST_SEQUENCE) return true;
  if (second === '[') return last !== undefined && last >= '@' && last <= '~';
  if (second === ']' || second === 'P') return last === '\u0007';
  return !'()#%'.includes(second) || last !== undefined;
}

/** Whether a sequence moves the cursor to another line or erases the screen. */
function movesCursor(sequence: string): boolean {
  return /^(?:\[[0-9;?]*[ABEFHJdf]|[cDEM])$/.test(sequence.slice(ESCAPE.length));
}

/** Control characters, and characters that change the writing direction or are invisible. */
function isHarmful(character: string): boolean {
  return /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u.test(character);
}

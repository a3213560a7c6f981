/**
 * The serial console of an emulated machine: kept in a file as it came, and shown as lines that no terminal obeys. Firmware
 * and boot loaders draw on the whole screen: a move of the cursor to another place ends a line, colours vanish, and what is
 * left of control characters becomes visible. Left out: a screen, as nobody looks at a menu that passes by.
 */

import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { TextDecoder } from 'node:util';
import { fileError } from '../../io/files/fileErrors.ts';
import type { Io } from '../../io/io.ts';

export interface ConsoleOutput {
  take(bytes: Uint8Array): void;
  /** Resolves when all is in the file. Throws CliError where that could not be written. */
  close(): Promise<void>;
}

/** What a machine says may be a secret, as passwords in kernel arguments are. */
const MODE = 0o600;

/** @throws CliError where the file cannot be made */
export async function openConsoleOutput(
  file: string | undefined,
  say: (line: string) => void,
  { cwd }: Pick<Io, 'cwd'>,
): Promise<ConsoleOutput> {
  const text = createConsoleText();
  const show = (lines: readonly string[]): void => lines.forEach((line) => say(`console| ${line}`));
  const action = { path: file ?? '', what: 'Console (--console)' };
  const handle =
    file === undefined
      ? undefined
      : await open(resolve(cwd, file), 'w', MODE).catch((error: unknown) => {
          throw fileError(error, { ...action, action: 'create' });
        });
  let written: Promise<unknown> = Promise.resolve();
  return {
    take: (bytes) => {
      show(text.push(bytes));
      written = written.then(() => handle?.appendFile(bytes));
      written.catch(() => undefined); // told when it is closed
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
  /** The lines that are complete by this, without line breaks; none is empty. */
  push(bytes: Uint8Array): string[];
  /** The line that was begun. */
  end(): string[];
}

/** Characters of a line; longer ones go on in the next. */
const LONGEST_LINE = 400;
/** Characters of an escape sequence that are waited for. */
const LONGEST_SEQUENCE = 64;

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
  const write = (character: string): void => {
    line += character;
    if (line.length >= LONGEST_LINE) endLine();
  };
  const take = (character: string): void => {
    if (character === ESCAPE) {
      sequence = ESCAPE;
    } else if (sequence !== '') {
      sequence += character;
      if (!isComplete(sequence)) return;
      if (movesCursor(sequence)) endLine();
      sequence = '';
    } else if (character === '\n' || character === '\r') {
      endLine();
    } else if (character === '\b') {
      line = line.slice(0, -1);
    } else {
      write(character === '\t' ? ' ' : isHarmful(character) ? '?' : character);
    }
  };
  const flush = (): string[] => done.splice(0);
  return {
    push: (bytes) => {
      for (const character of decoder.decode(bytes, { stream: true })) take(character);
      return flush();
    },
    end: () => {
      for (const character of decoder.decode()) take(character);
      endLine();
      return flush();
    },
  };
}

const ESCAPE = '\u001B';

/**
 * Control sequences (ECMA-48, section 5.4) end with a letter, strings for the terminal with BEL or ESC \, where the
 * escape begins anew; others are one character long.
 */
function isComplete(sequence: string): boolean {
  const [, second = '', ...rest] = sequence;
  const last = rest.at(-1);
  if (sequence.length >= LONGEST_SEQUENCE) return true;
  if (second === '[') return last !== undefined && last >= '@' && last <= '~';
  if (second === ']' || second === 'P') return last === '\u0007';
  return !'()#%'.includes(second) || last !== undefined;
}

/** To another line, or the whole screen is erased. */
function movesCursor(sequence: string): boolean {
  return /^(?:\[[0-9;?]*[ABEFHJdf]|[cDEM])$/.test(sequence.slice(ESCAPE.length));
}

/** Control characters, and those that turn the direction of writing or hide. */
function isHarmful(character: string): boolean {
  return /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u.test(character);
}

/**
 * Expands arguments to files: files themselves, folders with the files of interest, patterns that no shell has expanded, and
 * `-` for standard input. Names are sorted and unique. Links to files are followed. A folder is searched once, even if several
 * links lead to it, so link loops end. Hidden files are skipped unless they are named.
 */

import { type Dirent, readdirSync, type Stats, statSync } from 'node:fs';
import { join, normalize, resolve } from 'node:path';
import { CliError } from '../../core/errors.ts';
import { shorten } from '../../core/foreignText.ts';
import { errorCode, fileError } from './fileErrors.ts';
import type { Io } from '../io.ts';
import { splitPath } from './platform.ts';

export type InputFile =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'error'; readonly path: string; readonly error: CliError };

/** Which files of a folder are meant, by their absolute path. */
export interface Interest {
  isWanted(path: string): boolean;
  /** For a message, e.g. `*.ign`. */
  readonly description: string;
}

/** Expands the arguments one after the other, while files that came before may already be read. */
export function* expandInputs(
  inputs: readonly string[],
  interest: Interest,
  { cwd }: Pick<Io, 'cwd'>,
): Iterable<InputFile> {
  const seen = new Set<string>();
  for (const input of inputs) {
    for (const found of expandInput(input, interest, cwd)) {
      const isRead = found.kind === 'file' && found.path !== '-';
      const key = isRead ? resolve(cwd, found.path) : found.path;
      if (seen.has(key)) continue;
      seen.add(key);
      yield found;
    }
  }
}

/** What cannot be looked at counts as a file: reading it gives the error. */
function* expandInput(input: string, interest: Interest, cwd: string): Iterable<InputFile> {
  const stats = input === '-' || input === '' ? 'unknown' : lookAt(resolve(cwd, input));
  const isPattern = stats === 'ENOENT' && isGlob(input);
  if (!isPattern && (typeof stats === 'string' || !stats.isDirectory())) {
    yield { kind: 'file', path: input };
    return;
  }
  const search = isPattern
    ? patternSearch(input)
    : {
        folder: normalize(input),
        depth: Infinity,
        isShown: (name: string) => !name.startsWith('.'),
        isFound: (_steps: readonly string[], path: string) => interest.isWanted(resolve(cwd, path)),
      };
  let isEmpty = true;
  for (const found of searchFolder(search, cwd)) {
    isEmpty = false;
    yield found;
  }
  if (!isEmpty) return;
  const error = isPattern
    ? // Usually, a long pattern is the content of a file in place of its path.
      new CliError(`No file matches ${shorten(input, 80)}`, {
        code: 'ERR_FILE_MISSING',
        hint: 'use a pattern with *, ?, […], or ** for folders of any depth',
      })
    : new CliError(`No file to check in ${input}`, {
        code: 'ERR_FILE_MISSING',
        hint: `pass other files by name or pattern; in a folder, only ${interest.description} are checked`,
      });
  yield { kind: 'error', path: input, error };
}

/** What is there, or the code of the error. Asking other threads, as promises do, takes several times as long. */
function lookAt(place: string): Stats | string {
  try {
    return statSync(place);
  } catch (error) {
    return errorCode(error) ?? 'unknown';
  }
}

interface Search {
  readonly folder: string;
  /** Of the files; 1 for those in the folder itself. */
  readonly depth: number;
  /** Whether a file or folder of this name counts. */
  readonly isShown: (name: string) => boolean;
  /** @param steps of the path below the folder */
  readonly isFound: (steps: readonly string[], path: string) => boolean;
}

/** @param visited every folder that has been listed, by device and inode */
function* searchFolder(
  search: Search,
  cwd: string,
  above: readonly string[] = [],
  visited = new Set<string>(),
): Iterable<InputFile> {
  const folder = join(search.folder, above.join('/'));
  const place = resolve(cwd, folder);
  let entries: readonly Dirent[] = [];
  try {
    const { dev, ino } = statSync(place);
    if (visited.has(`${dev} ${ino}`)) return;
    visited.add(`${dev} ${ino}`);
    entries = readdirSync(place, { withFileTypes: true });
  } catch (error) {
    const shown = fileError(error, { path: folder, what: 'Folder', action: 'read' });
    if (!(shown instanceof CliError)) throw error;
    if (errorCode(error) !== 'ENOENT') yield { kind: 'error', path: folder, error: shown };
    return;
  }
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (!search.isShown(entry.name)) continue;
    const steps = [...above, entry.name];
    const path = join(search.folder, steps.join('/'));
    const stats = entry.isSymbolicLink() ? lookAt(resolve(cwd, path)) : entry;
    // A link that leads nowhere is a file that cannot be read. Pipes and devices are read only where they are named.
    const isFile = typeof stats === 'string' || stats.isFile();
    if (isFile && search.isFound(steps, path)) yield { kind: 'file', path };
    else if (!isFile && stats.isDirectory() && steps.length < search.depth) {
      yield* searchFolder(search, cwd, steps, visited);
    }
  }
}

function patternSearch(pattern: string): Search {
  const { root, steps } = splitPath(pattern);
  const first = steps.findIndex(isGlob);
  const globs = steps.slice(first);
  const expression = parseGlob(globs);
  const showsHidden = globs.some((step) => /^\\?\./.test(step));
  return {
    folder: join(root, steps.slice(0, first).join('/')),
    depth: globs.includes('**') ? Infinity : globs.length,
    isShown: (name) => showsHidden || !name.startsWith('.'),
    isFound: (found) => expression.test(found.join('/')),
  };
}

/** Whether a path has a character that makes it a pattern. */
export function isGlob(path: string): boolean {
  return /[*?[]/.test(path);
}

/** A closing bracket that comes first in a class belongs to it; a bracket that is never closed is a plain character. */
const TOKEN = /\*+|\?|\[(?:([!^])|(?![!^]))(.[^\]]*)\]|\\?(.)/gsu;

/**
 * The expression for the steps of a pattern, with slashes between them: `*`, `?`, `[…]` with ranges and `!`, a backslash before what
 * is meant as it is, and `**` for any number of steps. A dot in front of a name has to be in the pattern, as in shells. Left out:
 * braces and extended patterns, which shells expand before anything else.
 */
export function parseGlob(steps: readonly string[]): RegExp {
  const sources = steps.map((step, index) => {
    const isLast = index === steps.length - 1;
    if (step === '**') return String.raw`(?:(?!\.)[^/]+/)*${isLast ? String.raw`(?!\.)[^/]+` : ''}`;
    const name = step.replaceAll(TOKEN, (token, negation = '', members?: string, character?: string) => {
      if (character !== undefined) return literal(character);
      if (members !== undefined) return `(?!/)[${negation && '^'}${classOf(members)}]`;
      return token === '?' ? '[^/]' : '[^/]*';
    });
    return `${/^\\?\./.test(step) ? '' : String.raw`(?!\.)`}${name}${isLast ? '' : '/'}`;
  });
  return new RegExp(`^${sources.join('')}$`, 'su');
}

/** Ranges that run backwards contain nothing. */
function classOf(members: string): string {
  return members.replaceAll(/(.)-(.)|./gsu, (member, first?: string, last = '') => {
    if (first === undefined) return literal(member);
    return (first.codePointAt(0) ?? 0) <= (last.codePointAt(0) ?? 0)
      ? `${literal(first)}-${literal(last)}`
      : '';
  });
}

function literal(character: string): string {
  return String.raw`\u{${character.codePointAt(0)?.toString(16)}}`;
}

/**
 * Expands arguments to files: files themselves, folders with the files of interest, patterns that no shell has expanded, and
 * `-` for standard input. Names are sorted and unique. Links to files are followed. A folder is searched once, even if several
 * links lead to it, so link loops end. Hidden files are skipped unless they are named.
 */

import { type Dirent, readdirSync, type Stats, statSync } from 'node:fs';
import { join, normalize, resolve } from 'node:path';
import { CliError } from '../../core/errors.ts';
import { errorCode, fileError } from './fileErrors.ts';
import type { Io } from '../io.ts';
import { splitPath } from './platform.ts';

/** A name to read, or an error. */
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
export async function* expandInputs(
  inputs: readonly string[],
  interest: Interest,
  io: Pick<Io, 'cwd'>,
): AsyncIterable<InputFile> {
  const seen = new Set<string>();
  for (const input of inputs) {
    for await (const found of expandInput(input, interest, io.cwd)) {
      const isRead = found.kind === 'file' && found.path !== '-';
      const key = isRead ? resolve(io.cwd, found.path) : found.path;
      if (seen.has(key)) continue;
      seen.add(key);
      yield found;
    }
  }
}

/** What cannot be looked at counts as a file: reading it gives the error. */
async function* expandInput(input: string, interest: Interest, cwd: string): AsyncIterable<InputFile> {
  if (input === '-' || input === '') {
    yield { kind: 'file', path: input };
    return;
  }
  const stats = lookAt(resolve(cwd, input));
  const isPattern = stats === 'ENOENT' && isGlob(input);
  if (!isPattern && (typeof stats === 'string' || !stats.isDirectory())) {
    yield { kind: 'file', path: input };
    return;
  }
  const walk: Walk = { cwd, interest, visited: new Set() };
  let isEmpty = true;
  for await (const found of isPattern ? expandPattern(input, walk) : searchFolder(normalize(input), walk)) {
    isEmpty = false;
    yield found;
  }
  if (!isEmpty) return;
  yield { kind: 'error', path: input, error: isPattern ? noMatch(input) : noFile(input, interest) };
}

/** What is there, or the code of the error. Asking other threads, as promises do, takes several times as long. */
function lookAt(place: string): Stats | string {
  try {
    return statSync(place);
  } catch (error) {
    return errorCode(error) ?? 'unknown';
  }
}

function noMatch(pattern: string): CliError {
  return new CliError(`No file matches ${pattern}`, {
    code: 'ERR_FILE_MISSING',
    hint: 'use a pattern with *, ?, […], or ** for folders of any depth',
  });
}

function noFile(folder: string, { description }: Interest): CliError {
  return new CliError(`No file to check in ${folder}`, {
    code: 'ERR_FILE_MISSING',
    hint: `pass other files by name or pattern; in a folder, only ${description} are checked`,
  });
}

interface Walk {
  readonly cwd: string;
  readonly interest: Interest;
  /** Every folder that has been listed, by {@link keyOf}. */
  readonly visited: Set<string>;
}

async function* searchFolder(folder: string, walk: Walk): AsyncIterable<InputFile> {
  for await (const entry of listFolder(folder, walk, '')) {
    if (!('name' in entry)) yield entry;
    else if (entry.name.startsWith('.')) continue;
    else if (entry.kind === 'folder') yield* searchFolder(entry.path, walk);
    else if (walk.interest.isWanted(resolve(walk.cwd, entry.path))) yield { kind: 'file', path: entry.path };
  }
}

async function* expandPattern(pattern: string, walk: Walk): AsyncIterable<InputFile> {
  const { root, steps } = splitPath(pattern);
  const fixed = steps.findIndex(isGlob);
  const base = join(root, steps.slice(0, fixed).join('/'));
  yield* matchSteps(base, steps.slice(fixed).map(parseStep), walk);
}

async function* matchSteps(
  folder: string,
  steps: readonly StepPattern[],
  walk: Walk,
): AsyncIterable<InputFile> {
  const [step, ...rest] = steps;
  if (step === undefined) return;
  if (step === 'folders' && rest.length > 0) yield* matchSteps(folder, rest, walk);
  for await (const entry of listFolder(folder, walk, String(steps.length))) {
    if (!('name' in entry)) {
      yield entry;
      continue;
    }
    const isMatch = step === 'folders' ? !entry.name.startsWith('.') : step.test(entry.name);
    if (!isMatch) continue;
    if (entry.kind === 'folder') yield* matchSteps(entry.path, step === 'folders' ? steps : rest, walk);
    else if (rest.length === 0) yield { kind: 'file', path: entry.path };
  }
}

interface Entry {
  readonly name: string;
  readonly path: string;
  readonly kind: 'file' | 'folder';
}

/** Sorted by name. `part` separates the searches of one walk with different patterns. */
async function* listFolder(folder: string, walk: Walk, part: string): AsyncIterable<Entry | InputFile> {
  const place = resolve(walk.cwd, folder);
  let key = '';
  let entries: readonly Dirent[] = [];
  try {
    key = keyOf(statSync(place), part);
    if (walk.visited.has(key)) return;
    walk.visited.add(key);
    entries = readdirSync(place, { withFileTypes: true });
  } catch (error) {
    const shown = fileError(error, { path: folder, what: 'Folder', action: 'read' });
    if (!(shown instanceof CliError)) throw error;
    if (errorCode(error) !== 'ENOENT') yield { kind: 'error', path: folder, error: shown };
    return;
  }
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    const kind = kindOf(entry, resolve(walk.cwd, path));
    if (kind !== 'other') yield { name: entry.name, path, kind };
  }
}

/** Device and inode. */
function keyOf({ dev, ino }: Stats, part: string): string {
  return `${dev} ${ino} ${part}`;
}

/** Pipes and devices are read only where they are named. A link that leads nowhere is a file that cannot be read. */
function kindOf(entry: Dirent, place: string): Entry['kind'] | 'other' {
  const stats = entry.isSymbolicLink() ? lookAt(place) : entry;
  if (typeof stats === 'string') return 'file';
  return stats.isDirectory() ? 'folder' : stats.isFile() ? 'file' : 'other';
}

/**
 * A pattern for one step of a path: `*`, `?`, `[…]` with ranges and `!`, and a backslash before what is meant as it is.
 * `folders` is `**`, which matches any number of steps. Left out: braces and extended patterns, which shells expand before anything
 * else.
 */
export type StepPattern = 'folders' | RegExp;

/** Whether a path has a character that makes it a pattern. */
export function isGlob(path: string): boolean {
  return /[*?[]/.test(path);
}

/** A closing bracket that comes first in a class belongs to it; a bracket that is never closed is a plain character. */
const TOKEN = /\*+|\?|\[(?:([!^])|(?![!^]))(.[^\]]*)\]|\\?(.)/gsu;

/** Reads one step of a pattern, between slashes. A dot in front of a name has to be in the pattern, as in shells. */
export function parseStep(step: string): StepPattern {
  if (step === '**') return 'folders';
  const source = step.replaceAll(TOKEN, (token, negation = '', members?: string, character?: string) => {
    if (character !== undefined) return literal(character);
    if (members !== undefined) return `[${negation && '^'}${classOf(members)}]`;
    return token === '?' ? '.' : '.*';
  });
  return new RegExp(`^${/^\\?\./.test(step) ? '' : String.raw`(?!\.)`}${source}$`, 'su');
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

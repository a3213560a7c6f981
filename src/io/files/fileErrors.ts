/** System errors about files and standard streams as sentences for the user. */

import { type StatsFs, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { getSystemErrorMap } from 'node:util';
import { type ErrorCode, CliError } from '../../core/errors.ts';
import { unreplacedIn } from '../../core/placeholders.ts';
import { formatSizeInWords } from '../../formats/messageText.ts';
import { quoteShellWord } from '../../formats/shell.ts';

/** The failed action and its file, e.g. `{ path: 'worker.ign', what: 'Ignition config', action: 'read' }`. */
interface FileAction {
  readonly path: string;
  readonly what: string;
  readonly action: 'read' | 'write' | 'create';
  /** The absolute path, to find the free space on a full disk; default: that of the system error. */
  readonly place?: string | undefined;
  /** Bytes of the complete file, if known. */
  readonly size?: number | undefined;
}

/** The code of a system error, e.g. `ENOENT`; undefined for any other value, such as a CliError with a code of its own. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || error instanceof CliError || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** An error with the code of a system error, for conditions that the system would report too late or not at all. */
export function systemError(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** Returns other errors unchanged. */
export function fileError(error: unknown, action: FileAction): unknown {
  const code = errorCode(error);
  if (code === undefined) return error;
  const isOfPath = error instanceof Error && 'path' in error && typeof error.path === 'string';
  const { place = isOfPath ? String(error.path) : undefined } = action;
  const [shownCode, message, hint] = describe(code, { ...action, place });
  return new CliError(message, { code: shownCode, hint, cause: error });
}

function describe(
  code: string,
  action: FileAction,
): readonly [code: ErrorCode, message: string, hint: string] {
  const { action: verb, path, what } = action;
  const isRead = verb === 'read';
  switch (code) {
    case 'ENOENT':
      return ['ERR_FILE_MISSING', ...describeMissing(action)];
    case 'ENOTDIR': {
      const hint = isRead
        ? `pass the path of a folder: ${path} is a file, or below one`
        : `use another path: ${path} is below a file`;
      return ['ERR_FILE_MISSING', `A part of the path is not a folder: ${path}`, hint];
    }
    case 'EACCES':
    case 'EPERM': {
      const hint = isRead
        ? 'grant this user read permission for the file'
        : 'grant this user write permission, or use another path';
      return ['ERR_FILE_ACCESS', `No permission to ${verb} ${path}`, hint];
    }
    case 'EROFS': {
      const message = `Cannot ${verb} ${path}: the file system is read-only`;
      return ['ERR_FILE_ACCESS', message, 'write to another path with -o'];
    }
    case 'EEXIST':
      return ['ERR_FILE_EXISTS', `File exists: ${path}`, `use another path than ${path}`];
    case 'ENOSPC':
    case 'EDQUOT':
      return ['ERR_DISK_FULL', ...describeFull(action)];
    case 'ETXTBSY':
    case 'EBUSY':
      return ['ERR_BUSY', `${path} is in use`, 'stop the program that uses it'];
    case 'EISDIR':
      return [generalCode(verb), `${path} is a directory`, `pass the path of a file (${what})`];
    case 'ENAMETOOLONG': {
      // Usually the content of a file in place of its path.
      const message = `The path is too long: ${path.slice(0, 80)}…`;
      return [generalCode(verb), message, 'use a shorter path, and not the content of a file'];
    }
    default: {
      const hint = `read the access rights: ls -ld ${[dirname(path), path].map(quoteShellWord).join(' ')}`;
      return [generalCode(verb), `Cannot ${verb} ${path}: ${reasonOf(code)}`, hint];
    }
  }
}

/** A full disk is a problem of the whole run, not of the host or the file that meets it first. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof CliError && error.code === 'ERR_DISK_FULL';
}

/** @param fix how to write to this path anyway, in the imperative: `replace it with --overwrite` */
export function existsError(path: string, fix: string, cause?: unknown): CliError {
  const hint = `${fix}, or use another path`;
  return new CliError(`File exists: ${path}`, { code: 'ERR_FILE_EXISTS', hint, cause });
}

/** @param message names the path */
export function emptyPathError(message: string): CliError {
  return new CliError(message, { code: 'ERR_FILE_MISSING', hint: 'pass the path of a file instead of ""' });
}

function generalCode(action: string): ErrorCode {
  return action.startsWith('read') ? 'ERR_FILE_READ' : 'ERR_FILE_WRITE';
}

type Described = readonly [message: string, hint: string];

/** What is given in place of a path may contain secrets. */
function describeMissing({ path, what, action }: FileAction): Described {
  if (path.includes('\n')) {
    return [
      `${what}: expected a path, found text of several lines`,
      'save the text as input.txt, and pass input.txt',
    ];
  }
  const unreplaced = unreplacedIn(path);
  if (unreplaced !== undefined) return [`${what}: the path ${unreplaced.problem}`, unreplaced.hint];
  if (action === 'create') {
    const folder = quoteShellWord(dirname(path));
    return [`The folder for ${path} does not exist`, `create the folder first: mkdir -p ${folder}`];
  }
  const shown = path.replace(/\/\/[^/]*@/, '//(secret)@'); // it may be a URL
  return [`${what} not found: ${shown}`, 'create the file, or use a path that exists'];
}

/** `No space left to create t/h1.iso: 352 KiB required, 316 KiB free in /srv/t` */
function describeFull({ action, path, place, size = 0 }: FileAction): Described {
  const message = `No space left to ${action} ${path}`;
  const folder = place === undefined ? undefined : dirname(place);
  const system = folder === undefined ? undefined : fileSystemOf(folder);
  if (system === undefined) return [message, 'free some space, or write to another disk'];
  const { bavail, bsize } = system;
  const bytes = bavail * bsize; // without what only root may use
  const free = `${formatSizeInWords(bytes)} free in ${folder}`;
  if (size <= bytes) return [`${message}: ${free}`, 'free some space, or write to another disk'];
  return [
    `${message}: ${formatSizeInWords(size)} required, ${free}`,
    `free at least ${formatSizeInWords(size - bytes)}, or write to another disk`,
  ];
}

/** Undefined if the system does not say. */
function fileSystemOf(folder: string): StatsFs | undefined {
  try {
    return statfsSync(folder);
  } catch {
    return undefined;
  }
}

/**
 * A system error as a CliError such as `cannot write to standard output: No space left on device`. Any other value is
 * returned unchanged.
 * @param action what failed, e.g. `write to standard output`
 */
export function streamError(error: unknown, action: string): unknown {
  const code = errorCode(error);
  return code === undefined
    ? error
    : new CliError(`cannot ${action}: ${reasonOf(code)}`, {
        code: code === 'ENOSPC' || code === 'EDQUOT' ? 'ERR_DISK_FULL' : generalCode(action),
        cause: error,
      });
}

/** `No space left on device` for ENOSPC; a code that the system does not have as it is. */
function reasonOf(code: string): string {
  const [, text = code] = Array.from(getSystemErrorMap().values()).find(([name]) => name === code) ?? [];
  return text.replace(/^(?:i\/o|[a-z])/, (start) => start.toUpperCase());
}

/**
 * The chunks of standard input.
 * @throws CliError for system errors
 */
export async function* stdinChunks(stdin: AsyncIterable<unknown>): AsyncGenerator<Uint8Array, void> {
  try {
    for await (const chunk of stdin) yield chunk instanceof Uint8Array ? chunk : Buffer.from(String(chunk));
  } catch (error) {
    throw streamError(error, 'read standard input');
  }
}

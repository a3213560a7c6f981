/** System errors about files and standard streams as sentences for the user. */

import { getSystemErrorMap } from 'node:util';
import { type ErrorCode, CliError } from '../../core/errors.ts';

/** The failed action and its file, e.g. `{ path: 'worker.ign', what: 'Ignition config', action: 'read' }`. */
interface FileAction {
  readonly path: string;
  readonly what: string;
  readonly action: 'read' | 'write' | 'create';
}

/** The code of a system error, e.g. `ENOENT`; undefined for any other value, such as a CliError with a code of its own. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || error instanceof CliError || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Returns other errors unchanged. */
export function fileError(error: unknown, action: FileAction): unknown {
  const code = errorCode(error);
  if (error instanceof CliError || code === undefined) return error;
  const { message, hint } = describe(code, action);
  return new CliError(message, { code: kindOf(code, action.action), hint, cause: error });
}

/** @param message names the path */
export function emptyPathError(message: string, noun = 'file'): CliError {
  return new CliError(message, { code: 'ERR_FILE_MISSING', hint: `pass the path of a ${noun}` });
}

/** The error code for a system error. */
function kindOf(code: string | undefined, action: string): ErrorCode {
  return kinds[code ?? ''] ?? (action.startsWith('read') ? 'ERR_FILE_READ' : 'ERR_FILE_WRITE');
}

const kinds: Readonly<Record<string, ErrorCode>> = {
  ENOENT: 'ERR_FILE_MISSING',
  ENOTDIR: 'ERR_FILE_MISSING',
  EACCES: 'ERR_FILE_ACCESS',
  EPERM: 'ERR_FILE_ACCESS',
  EROFS: 'ERR_FILE_ACCESS',
  EEXIST: 'ERR_FILE_EXISTS',
  ENOSPC: 'ERR_DISK_FULL',
  EDQUOT: 'ERR_DISK_FULL',
  EFBIG: 'ERR_TOO_LARGE',
  ETXTBSY: 'ERR_BUSY',
  EBUSY: 'ERR_BUSY',
};

const URL_START = /^[a-z][a-z0-9+.-]+:\/\//i;

interface Description {
  readonly message: string;
  readonly hint: string;
}

function describeMissing(path: string, what: string, action: FileAction['action']): Description {
  if (path.includes('\n')) {
    return {
      message: `${what}: expected a path, found text of several lines`,
      hint: 'pass the path of a file',
    };
  }
  if (URL_START.test(path)) {
    const message = `${what} not found: ${path.replace(/\/\/[^/]*@/, '//(secret)@')}`;
    return { message, hint: 'download the file first, and pass its path' };
  }
  return action === 'create'
    ? { message: `The folder for ${path} does not exist`, hint: 'create the folder first' }
    : { message: `${what} not found: ${path}`, hint: 'use a path that exists' };
}

function describe(code: string, { path, what, action }: FileAction): Description {
  switch (code) {
    case 'ENOENT':
      return describeMissing(path, what, action);
    case 'ENOTDIR':
      return {
        message: `A part of the path is not a folder: ${path}`,
        hint: 'use a path with only folders before its last part',
      };
    case 'EISDIR':
      return { message: `${path} is a directory`, hint: `pass the path of a file (${what})` };
    case 'EACCES':
    case 'EPERM':
      return {
        message: `No permission to ${action} ${path}`,
        hint:
          action === 'read'
            ? 'grant this user read permission for the file'
            : 'grant this user write permission, or use another path',
      };
    case 'EROFS':
      return {
        message: `Cannot ${action} ${path}: the file system is read-only`,
        hint: 'write to another path with -o',
      };
    case 'EEXIST':
      return { message: `File exists: ${path}`, hint: 'use another path' };
    case 'ENOSPC':
    case 'EDQUOT':
      return {
        message: `No space left to ${action} ${path}`,
        hint: 'free some space, or write to another disk',
      };
    case 'EFBIG':
      return {
        message: `${path} would be larger than the file system allows`,
        hint: 'write to another file system',
      };
    case 'ELOOP':
      return {
        message: `Too many levels of symbolic links: ${path}`,
        hint: 'use a path without a symbolic link loop',
      };
    case 'ENAMETOOLONG':
      return { message: `The path is too long: ${path.slice(0, 80)}…`, hint: 'use a shorter path' };
    case 'ETXTBSY':
    case 'EBUSY':
      return { message: `${path} is in use`, hint: 'stop the program that uses it' };
    default:
      return { message: `Cannot ${action} ${path} (${code})`, hint: 'check the file and its parent folder' };
  }
}

/**
 * A system error as a CliError such as `cannot write to standard output: No space left on device`. Any other value is
 * returned unchanged.
 * @param action what failed, e.g. `write to standard output`
 */
export function streamError(error: unknown, action: string): unknown {
  const reason = reasonOf(error);
  return reason === undefined
    ? error
    : new CliError(`cannot ${action}: ${reason}`, { code: kindOf(errorCode(error), action), cause: error });
}

function reasonOf(error: unknown): string | undefined {
  const code = errorCode(error);
  if (code === undefined || error instanceof CliError) return undefined;
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

/** Recognises an image that was given in the place of another input, by its content. */

import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { CliError } from '../../core/errors.ts';
import { detectImageKind, type ImageKind } from '../../image/imageKind.ts';
import { bytesAccess } from '../../image/overlay.ts';
import type { Io } from '../../io/io.ts';

/** The files of an option, none of which is an image. */
export interface OptionFiles {
  readonly flag: string;
  /** With its article, e.g. `an Ignition config`. */
  readonly what: string;
  readonly paths: readonly string[] | undefined;
}

/** The file of an option for one Ignition config; none for standard input. */
export function configFile(flag: string, path: string | undefined): OptionFiles {
  return { flag, what: 'an Ignition config', paths: path === undefined ? [] : [path] };
}

/**
 * @param image the argument that has to be an image; undefined for commands without one
 * @throws CliError where a file of an option is an image; it names both places if they are swapped
 */
export async function refuseSwapped(
  image: string | undefined,
  options: readonly OptionFiles[],
  io: Pick<Io, 'cwd'>,
): Promise<void> {
  const given = options.flatMap(({ paths = [], ...option }) => paths.map((path) => ({ ...option, path })));
  for (const { flag, what, path } of given) {
    const kind = await kindOf(path, io);
    if (kind === undefined || kind === 'other') continue;
    const isSwapped = image !== undefined && (await kindOf(image, io)) === 'other';
    if (kind === 'initramfs' && !isSwapped) continue; // it may be a config that is compressed
    const noun = kind === 'iso' ? 'an ISO image' : 'an initramfs';
    throw new CliError(`${path} is ${noun}, not ${what}`, {
      code: 'ERR_SETTING',
      hint: isSwapped ? `swap the two files: ${flag} ${image} ${path}` : `give ${flag} the path of ${what}`,
    });
  }
}

/** Bytes up to the end of what tells that something is an ISO. */
const HEAD = 32_774;

/** Undefined for what is no regular file: a pipe can be read only once. */
async function kindOf(path: string, { cwd }: Pick<Io, 'cwd'>): Promise<ImageKind | undefined> {
  const head = readHead(resolve(cwd, path));
  return head === undefined ? undefined : detectImageKind(bytesAccess(head));
}

/** What cannot be read is reported by the one who reads it. */
function readHead(place: string): Uint8Array | undefined {
  try {
    if (!statSync(place).isFile()) return undefined;
    const file = openSync(place, 'r');
    try {
      const head = Buffer.alloc(HEAD);
      return head.subarray(0, readSync(file, head));
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}

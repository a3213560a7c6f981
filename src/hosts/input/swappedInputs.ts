/** Detects images that were passed instead of another input, by their content. */

import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { CliError } from '../../core/errors.ts';
import { detectKind, type ImageKind } from '../../image/imageKind.ts';
import { bytesAccess } from '../../image/overlay.ts';
import type { Io } from '../../io/io.ts';
import { explainOther } from './contentKind.ts';
import { nouns } from './liveParts.ts';

/** The files of an option that does not accept images. */
export interface OptionFiles {
  readonly flag: string;
  /** With its article, e.g. `an Ignition config`. */
  readonly what: string;
  readonly paths: readonly string[] | undefined;
}

/** The file of an option for one Ignition config. @param path undefined for standard input */
export function configFile(flag: string, path: string | undefined): OptionFiles {
  return { flag, what: 'an Ignition config', paths: path === undefined ? [] : [path] };
}

/**
 * @param image the argument that must be an image; undefined for commands without one
 * @throws CliError if a file of an option is an image; if the two are swapped, the hint contains the correct order
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
    if (kind === 'initramfs' && !isSwapped) continue; // may be a compressed config
    throw new CliError(`${path} is ${nouns[kind]}, not ${what}`, {
      code: 'ERR_SETTING',
      hint: isSwapped ? `swap the two files: ${flag} ${image} ${path}` : `pass ${what} to ${flag}`,
    });
  }
}

/**
 * @param initrd path of an input that must be an initramfs; undefined for standard input
 * @throws CliError if it is an ISO image, a kernel or a document
 */
export async function refuseIso(initrd: string | undefined, io: Pick<Io, 'cwd'>): Promise<void> {
  if (initrd === undefined) return;
  const kind = await kindOf(initrd, io);
  if (kind === 'kernel' || kind === 'other') {
    const other = await explainOther(
      'an initramfs',
      initrd,
      readFileHead(resolve(io.cwd, initrd)) ?? Buffer.alloc(0),
    );
    if (other !== undefined) throw other;
  }
  if (kind !== 'iso') return;
  throw new CliError(`${initrd} is an ISO image, not an initramfs`, {
    code: 'ERR_SETTING',
    hint: 'use the `iso` commands for this file, or extract its initramfs with `iso extract pxe`',
  });
}

/** Bytes that are needed to detect an ISO. */
const HEAD = 32_774;

/** Undefined for files that are not regular: a pipe can be read only once. */
async function kindOf(path: string, { cwd }: Pick<Io, 'cwd'>): Promise<ImageKind | undefined> {
  const head = readFileHead(resolve(cwd, path));
  return head === undefined ? undefined : detectKind(bytesAccess(head));
}

/** The start of a regular file. Errors are ignored here: reading the file later reports them. */
export function readFileHead(place: string): Uint8Array | undefined {
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

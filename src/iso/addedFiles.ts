/**
 * Files of the user that are embedded together with the Ignition config: added to the initramfs (`--initrd-file`,
 * `--initrd-archive`), or to the medium (`--iso-file`).
 */

import { CliError, FormatError, UsageError } from '../core/errors.ts';
import { decompressMember } from '../formats/compression.ts';
import { readArchiveFiles } from '../formats/tar.ts';
import { CONFIG_NAME } from '../image/embeddedIgnition.ts';
import { readInitrd } from '../image/initrd.ts';
import type { MediumFile } from '../image/mediumFiles.ts';
import { readUserFile } from '../io/files/files.ts';
import type { OpenImage } from '../io/images/imageBytes.ts';
import { openImage } from '../io/images/imageFile.ts';
import type { Io } from '../io/io.ts';

export interface InitrdFileOptions {
  /** `HOST_PATH:IMAGE_PATH` */
  readonly initrdFile?: readonly string[];
  /** Paths of archives: tar or cpio, compressed or not. */
  readonly initrdArchive?: readonly string[];
}

export interface MediumFileOptions {
  /** `HOST_PATH:NAME` */
  readonly isoFile?: readonly string[];
}

const MAX_BYTES = 512 * 1024 * 1024;

/**
 * Returns the files by their paths in the initramfs.
 * @throws UsageError for invalid options, CliError for files that cannot be read
 */
export async function readInitrdFiles(
  { initrdFile = [], initrdArchive = [] }: InitrdFileOptions,
  io: Io,
): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  const add = (path: string, data: Uint8Array): void => {
    const name = imagePath(path);
    if (files.has(name))
      throw new CliError(`${name} is added to the initramfs twice`, {
        code: 'ERR_SETTING',
        hint: 'remove the duplicate --initrd-file or --initrd-archive',
      });
    files.set(name, data);
  };
  for (const option of initrdFile) {
    const { hostPath, name } = splitOption('--initrd-file', option);
    add(name, await readUserFile(hostPath, io, { what: 'File for the initramfs', maxBytes: MAX_BYTES }));
  }
  for (const path of initrdArchive) {
    for (const [name, data] of await readArchive(path, io)) add(name, data);
  }
  return files;
}

/**
 * Opens the files for the medium, calls `use`, and closes the files.
 * @throws UsageError for invalid options, CliError for files that cannot be read
 */
export async function withMediumFiles<T>(
  { isoFile = [] }: MediumFileOptions,
  io: Io,
  use: (files: readonly MediumFile[]) => Promise<T>,
): Promise<T> {
  const opened: (MediumFile & { readonly content: OpenImage })[] = [];
  try {
    for (const option of isoFile) {
      const { hostPath, name } = splitOption('--iso-file', option);
      opened.push({ name, content: await openImage(hostPath, io) });
    }
    return await use(opened);
  } finally {
    for (const { content } of opened) await content.close();
  }
}

/** The path on the host may contain colons, the name must not. */
function splitOption(flag: string, option: string): { readonly hostPath: string; readonly name: string } {
  const colon = option.lastIndexOf(':');
  const [hostPath, name] = [option.slice(0, Math.max(0, colon)), option.slice(colon + 1)];
  if (hostPath !== '' && name !== '') return { hostPath, name };
  throw new UsageError(`invalid value '${option}' for '${flag}': PATH:NAME is required`, {
    hint: `use for example ${flag} ./ca.crt:etc/pki/ca.crt`,
  });
}

/** The path relative to the root, without `.` and `..`, as the kernel unpacks it. */
function imagePath(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.length === 0 || parts.includes('..') || path.includes('\0')) {
    throw new CliError(`Invalid path in the initramfs: ${path}`, {
      code: 'ERR_SETTING',
      hint: 'use a path such as etc/pki/ca.crt, without ".."',
    });
  }
  const name = parts.join('/');
  if (name !== CONFIG_NAME) return name;
  throw new CliError(`${CONFIG_NAME} is reserved for the Ignition config`, {
    code: 'ERR_SETTING',
    hint: 'use --ignition-file for the Ignition config',
  });
}

async function readArchive(path: string, io: Io): Promise<ReadonlyMap<string, Uint8Array>> {
  const bytes = await readUserFile(path, io, { what: 'Archive for the initramfs', maxBytes: MAX_BYTES });
  try {
    const { data } = await decompressMember(bytes, { maxBytes: MAX_BYTES });
    return isCpio(data) ? await readInitrd(bytes, { maxBytes: MAX_BYTES }) : await readArchiveFiles(data);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    const { hint = 'use a tar or a cpio archive, compressed or not' } = error;
    throw new CliError(`${path}: ${error.message}`, { code: 'ERR_FORMAT', hint, cause: error });
  }
}

const CPIO_MAGIC = new Set(['070701', '070702']);

function isCpio(bytes: Uint8Array): boolean {
  return CPIO_MAGIC.has(Buffer.from(bytes.subarray(0, 6)).toString('latin1'));
}

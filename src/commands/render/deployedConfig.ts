/** What is deployed: the Ignition config in a file, in a live ISO, in an initramfs, or at a URL of one of them. */

import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CliError, FormatError } from '../../errors.ts';
import { detectCompression } from '../../formats/compression.ts';
import type { Config } from '../../ignition/config.ts';
import { readConfig } from '../../ignition/validate.ts';
import { CONFIG_NAME, readIgnition } from '../../image/embeddedIgnition.ts';
import { readInitrd } from '../../image/initrd.ts';
import { openLiveIso } from '../../image/liveIso.ts';
import { bytesAccess } from '../../image/overlay.ts';
import type { RandomAccess } from '../../image/randomAccess.ts';
import { fileError } from '../../io/fileErrors.ts';
import { type Expected, readStdin, readUserFile } from '../../io/files.ts';
import { openImage } from '../../io/imageFile.ts';
import type { Io } from '../../io/io.ts';
import { isRemote, openRemoteFile } from '../../io/remoteFile.ts';

const what = 'Deployed config (--diff)';
/** Of anything but an ISO, of which only a part is read. */
const expected: Expected = { what, maxBytes: 64 * 1024 * 1024 };

/** Reads the config that `source` names; `-` is standard input. Throws CliError where there is none. */
export async function readDeployedConfig(source: string, io: Io): Promise<Config> {
  if (source === '-') return extractConfig(bytesAccess(await readStdin(io, expected)), 'standard input');
  if (isRemote(source)) {
    const file = await openRemoteFile(source, expected);
    return extractConfig(file, file.name);
  }
  if (!(await isRegularFile(source, io))) {
    return extractConfig(bytesAccess(await readUserFile(source, io, expected)), source);
  }
  const image = await openImage(source, io);
  try {
    return await extractConfig(image, source);
  } finally {
    await image.close();
  }
}

/** Pipes and block devices are no regular files. */
async function isRegularFile(path: string, { cwd }: Io): Promise<boolean> {
  const stats = await stat(resolve(cwd, path)).catch((error: unknown) => {
    throw fileError(error, { path, what, action: 'read' });
  });
  return stats.isFile() || stats.isBlockDevice();
}

async function extractConfig(image: RandomAccess, name: string): Promise<Config> {
  try {
    return decodeConfig(await extractDocument(image, name), name);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    const { hint = 'give an Ignition config, a live ISO or an initramfs with one in it' } = error;
    throw new CliError(`${name}: ${error.message}`, { hint, cause: error });
  }
}

async function extractDocument(image: RandomAccess, name: string): Promise<Uint8Array> {
  if (await isIso(image)) return found(await readIgnition(await openLiveIso(image)), name);
  if (image.size > expected.maxBytes) {
    throw new CliError(`${name} is too large: more than ${expected.maxBytes} bytes`, {
      hint: 'give an Ignition config, a live ISO, or the appended part of an initramfs alone',
    });
  }
  const bytes = await image.read(0, image.size);
  return isArchive(bytes) ? found((await readInitrd(bytes, unpacked)).get(CONFIG_NAME), name) : bytes;
}

/** Where every ISO 9660 image says what it is (ECMA-119, 8.1). */
const isoMark = { offset: 32_769, text: 'CD001' };
const unpacked = { maxBytes: 256 * 1024 * 1024 };

async function isIso(image: RandomAccess): Promise<boolean> {
  const { offset, text } = isoMark;
  if (image.size < offset + text.length) return false;
  return Buffer.from(await image.read(offset, text.length)).toString('latin1') === text;
}

/** A cpio archive, compressed or not. */
function isArchive(bytes: Uint8Array): boolean {
  return (
    detectCompression(bytes) !== 'none' || Buffer.from(bytes.subarray(0, 4)).toString('latin1') === '0707'
  );
}

function found(config: Uint8Array | undefined, name: string): Uint8Array {
  if (config !== undefined) return config;
  throw new CliError(`${name} holds no Ignition config`, {
    hint: 'embed one with `iso ignition embed`, or give the file that is deployed',
  });
}

function decodeConfig({ buffer, byteOffset, byteLength }: Uint8Array, name: string): Config {
  const read = readConfig(Buffer.from(buffer, byteOffset, byteLength));
  if (read.status === 'read') return read.config;
  const { message, hint = 'check it with `validate`' } = read.finding;
  throw new CliError(`${name} is no Ignition config that can be read: ${message}`, { hint });
}

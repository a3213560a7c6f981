/**
 * Network settings of the live system: NetworkManager keyfiles in a folder of the initramfs, which the first boot uses. They
 * are in the same archive as the Ignition config: in the embed area of an ISO, or appended to the initramfs for network boot.
 */

import { isUtf8 } from 'node:buffer';
import { CliError, FormatError } from '../core/errors.ts';
import { sortedByPath } from '../formats/cpio.ts';
import type { KeyfileProblem } from '../network/keyfile/profile.ts';
import { readKeyfile } from '../network/keyfile/readKeyfile.ts';
import type { LocateLine } from '../network/convertedKeyfile.ts';
import type { EmbedFiles } from './embedArea.ts';
import type { Existing } from './embeddedIgnition.ts';
import type { ImageChange } from './imageChange.ts';
import type { LiveFeatures } from './liveFeatures.ts';
import type { LiveIso } from './liveIso.ts';

export interface NetworkFile {
  /** Name without folder, for example `eth0.nmconnection`. */
  readonly name: string;
  readonly data: Uint8Array;
  /** Where its lines come from. */
  readonly locate?: LocateLine;
}

const NETWORK_FOLDER = 'etc/coreos-firstboot-network';

/** Limit in bytes for keyfiles in hostile images. Real ones have some hundred bytes. */
const MAX_KEYFILE = 16 * 1024 * 1024;

/** Whether a path is in the folder or in a subfolder, as in coreos-installer. */
export function isNetworkPath(path: string): boolean {
  return path.startsWith(`${NETWORK_FOLDER}/`);
}

/**
 * Returns the network settings of an archive, sorted by path.
 * @throws CliError if the archive contains none; FormatError if one has no name
 */
export function listNetworkSettings(files: EmbedFiles): NetworkFile[] {
  const members = sortedByPath(files).filter(([path]) => isNetworkPath(path));
  if (members.length === 0) {
    throw new CliError('No embedded network settings.', {
      code: 'ERR_IMAGE',
      hint: 'use `iso network embed` or `pxe network wrap` to add network settings',
    });
  }
  return members.map(([path, data]) => ({ name: lastPart(path), data }));
}

export function replaceNetworkSettings(
  files: EmbedFiles,
  keyfiles: readonly NetworkFile[],
): Map<string, Uint8Array> {
  const others = [...files].filter(([path]) => !isNetworkPath(path));
  return new Map([...others, ...networkMembers(keyfiles)]);
}

/** @throws CliError if the live system does not support embedded network settings */
export function requireNetworkFeature({ liveInitrdNetwork }: LiveFeatures): void {
  if (liveInitrdNetwork) return;
  throw new CliError('This OS image does not support customizing network settings.', {
    code: 'ERR_IMAGE',
    hint: 'use a newer image, or configure the network in the Ignition config and with kernel arguments (ip=)',
  });
}

/**
 * Embeds keyfiles in a live ISO, instead of all embedded keyfiles.
 * @throws CliError if there are keyfiles that may not be replaced, the image does not support them, or they do not fit
 */
export async function embedNetworkSettings(
  iso: LiveIso,
  keyfiles: readonly NetworkFile[],
  existing: Existing,
): Promise<ImageChange> {
  requireNetworkFeature(await iso.features());
  const before = await iso.embeddedFiles();
  if (existing === 'refuse' && [...before.keys()].some(isNetworkPath)) {
    throw new CliError('This ISO image already has embedded network settings; use -f to force.', {
      code: 'ERR_IMAGE',
    });
  }
  return iso.change({ files: replaceNetworkSettings(before, keyfiles) });
}

/** If the image contains no network settings, only what is left of earlier ones is removed. */
export async function removeNetworkSettings(iso: LiveIso): Promise<ImageChange> {
  const before = await iso.embeddedFiles();
  const after = replaceNetworkSettings(before, []);
  return iso.change(after.size === before.size ? {} : { files: after });
}

/**
 * The keyfiles as members of an archive for the initramfs.
 * @throws CliError if two keyfiles have the same name
 */
export function networkMembers(keyfiles: readonly NetworkFile[]): Map<string, Uint8Array> {
  const members = new Map<string, Uint8Array>();
  for (const { name, data } of keyfiles) {
    const path = `${NETWORK_FOLDER}/${name}`;
    if (members.has(path)) {
      throw new CliError(`multiple input files named '${name}'`, {
        code: 'ERR_SETTING',
        hint: `rename one of the files ${name}, because the image stores them in one folder`,
      });
    }
    members.set(path, data);
  }
  return members;
}

/** The last part of the path, like `basename`; paths in an archive are untrusted. */
function lastPart(path: string): string {
  const name = path.split('/').findLast((step) => step !== '' && step !== '.') ?? '';
  if (name !== '..') return name;
  throw new FormatError(`missing filename in ${path}`, {
    hint: 'create the archive again, for example with coreos-installer, which does not create such names',
  });
}

/** Why NetworkManager ignores a keyfile, or a part of it. */
export function findKeyfileProblems(data: Uint8Array): readonly KeyfileProblem[] {
  const isTooLarge = data.length > MAX_KEYFILE;
  if (!isTooLarge && isUtf8(data)) return readKeyfile('', Buffer.from(data).toString()).problems;
  const [message, hint] = isTooLarge
    ? [`the keyfile is too large: ${data.length} > ${MAX_KEYFILE} bytes`, 'use a keyfile of NetworkManager']
    : ['the keyfile is not UTF-8 text', 'save the file as UTF-8'];
  return [{ severity: 'error', message, hint, line: undefined }];
}

/**
 * Network settings of the live system: NetworkManager's keyfiles in a folder of the initramfs, from where the first boot
 * takes them. They are members of the same archive as the Ignition config, in the embed area of an ISO or behind the
 * initramfs for network boot. What is in a keyfile does not matter here.
 */

import { CliError, FormatError } from '../core/errors.ts';
import { parseKeyfile } from '../formats/keyfile.ts';
import type { Existing } from './embeddedIgnition.ts';
import { type ImageChange, unchanged } from './imageChange.ts';
import { sortedByPath, writeInitrd } from './initrd.ts';
import type { LiveFeatures } from './liveFeatures.ts';
import type { LiveIso } from './liveIso.ts';

/** A keyfile of the live system. */
export interface NetworkFile {
  /** Without folder, e.g. `eth0.nmconnection`. */
  readonly name: string;
  readonly data: Uint8Array;
}

/** Members of an archive by path. */
type Files = ReadonlyMap<string, Uint8Array>;

/** Where the initramfs looks for them. */
export const NETWORK_FOLDER = 'etc/coreos-firstboot-network';

/** Whether a member is one of the network settings; those in folders below count, as they do for coreos-installer. */
export function isNetworkPath(path: string): boolean {
  return path.startsWith(`${NETWORK_FOLDER}/`);
}

/**
 * The network settings among the members of an archive, in the order of their paths, by bytes.
 * @throws CliError where there are none; FormatError where one has no name
 */
export function listNetworkSettings(files: Files): NetworkFile[] {
  const members = sortedByPath(files).filter(([path]) => isNetworkPath(path));
  if (members.length === 0) {
    throw new CliError('No embedded network settings.', {
      code: 'ERR_IMAGE',
      hint: 'embed some with `iso network embed`, or wrap them with `pxe network wrap`',
    });
  }
  return members.map(([path, data]) => ({ name: nameOf(path), data }));
}

/** The members with these network settings, and no others. */
export function replaceNetworkSettings(
  files: Files,
  keyfiles: readonly NetworkFile[],
): Map<string, Uint8Array> {
  const others = [...files].filter(([path]) => !isNetworkPath(path));
  return new Map([...others, ...networkMembers(keyfiles)]);
}

/**
 * An archive of its own, to be put behind an initramfs.
 * @throws CliError where two keyfiles have one name
 */
export function wrapNetworkSettings(keyfiles: readonly NetworkFile[]): Uint8Array {
  return writeInitrd(networkMembers(keyfiles));
}

/** @throws CliError where the live system would not look at network settings */
export function requireNetworkFeature({ liveInitrdNetwork }: LiveFeatures): void {
  if (liveInitrdNetwork) return;
  throw new CliError('This OS image does not support customizing network settings.', {
    code: 'ERR_IMAGE',
    hint: 'use a newer image, or give the network in the Ignition config and by kernel arguments (ip=)',
  });
}

/**
 * Puts keyfiles into a live ISO; with `replace`, the old ones are gone.
 * @throws CliError where the image has some that may not be replaced, knows no such thing, or where they do not fit
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

/** Nothing changes where there are none. */
export async function removeNetworkSettings(iso: LiveIso): Promise<ImageChange> {
  const before = await iso.embeddedFiles();
  const after = replaceNetworkSettings(before, []);
  return after.size === before.size ? unchanged : iso.change({ files: after });
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
        hint: 'the files lie in one folder of the image: rename one of them',
      });
    }
    members.set(path, data);
  }
  return members;
}

/** The last step that names something, as `basename` gives it: an archive may have any path. */
function nameOf(path: string): string {
  const name = path.split('/').findLast((step) => step !== '' && step !== '.') ?? '';
  if (name !== '..') return name;
  throw new FormatError(`missing filename in ${path}`, {
    hint: 'the archive was not made by coreos-installer; look into it with `dev show initrd`',
  });
}

/** What is wrong with it, as a clause; undefined where nothing is. */
export function findKeyfileProblem(data: Uint8Array): string | undefined {
  try {
    const sections = parseKeyfile(new TextDecoder('utf-8', { fatal: true }).decode(data));
    return sections.some(({ name }) => name === 'connection') ? undefined : 'it has no section [connection]';
  } catch (error) {
    return error instanceof FormatError ? error.message : 'it is not UTF-8 text';
  }
}

/**
 * The images of one host, as changes of images that all hosts share. The caller writes the result to a file, or serves it
 * without a copy.
 */

import { CONFIG_NAME } from './embeddedIgnition.ts';
import type { Growth } from './growth.ts';
import { changedImage, type ImageChange } from './imageChange.ts';
import { writeInitrd } from './initrd.ts';
import { requireKargsAreas } from './kargsAreas.ts';
import { editKargs } from './kargsEdit.ts';
import { type LiveIso, openLiveIso } from './liveIso.ts';
import type { MediumFile } from './mediumFiles.ts';
import { type NetworkFile, networkMembers, replaceNetworkSettings } from './networkSettings.ts';
import { adaptKargs, type Reconstruction } from './minimalIso/extract.ts';
import type { RandomAccess } from './overlay.ts';

/** The files of one host that the initramfs reads. */
export interface InitramfsContents {
  /** The Ignition config. */
  readonly config: Uint8Array;
  /**
   * The network of the host. The initramfs fetches the root filesystem and remote configs before it applies the config, so
   * a static network in the config alone is too late. Empty: the network settings of the image stay.
   */
  readonly network: readonly NetworkFile[];
}

/** Returns the files as one archive, to append to an initramfs. */
export function hostArchive({ config, network }: InitramfsContents): Uint8Array {
  return writeInitrd(new Map([...networkMembers(network), [CONFIG_NAME, config]]));
}

/** The contents of an ISO of one host that the base image does not have. */
export interface HostContents extends InitramfsContents {
  /** Kernel arguments besides those of the image. */
  readonly kargs: readonly string[];
  readonly mediumFiles?: readonly MediumFile[];
}

/** @throws CliError if the contents do not fit */
export async function hostIso(
  iso: LiveIso,
  { config, kargs, mediumFiles = [], network }: HostContents,
): Promise<ImageChange> {
  const before = await iso.embeddedFiles();
  const files = network.length === 0 ? before : replaceNetworkSettings(before, network);
  const append = (current: string): string => editKargs(current, { append: kargs }).kargs;
  return iso.change({
    files: new Map([...files, [CONFIG_NAME, config]]),
    mediumFiles,
    ...(kargs.length > 0 && { kargs: append(requireKargsAreas(await iso.kargsAreas()).current) }),
  });
}

/**
 * Returns the changes that make the minimal ISO of one host from the released one, in this order.
 * @param rootfsUrl URL from which the live system fetches its root filesystem
 * @throws CliError if the contents do not fit
 */
export async function hostMinimalIso(
  minimal: Reconstruction,
  { rootfsUrl, ...contents }: HostContents & { readonly rootfsUrl: string },
  growth: Growth,
): Promise<readonly ImageChange[]> {
  const adaptation = await adaptKargs(minimal, rootfsUrl);
  const iso = await openLiveIso(changedImage(minimal.image, adaptation), growth);
  return [adaptation, await hostIso(iso, contents)];
}

/** Appends an archive to an initramfs. No padding is required: the kernel aligns only uncompressed archives. */
export function hostInitramfs({ size }: RandomAccess, contents: InitramfsContents): ImageChange {
  return { patches: [{ offset: size, data: hostArchive(contents) }] };
}

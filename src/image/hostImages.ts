/**
 * The images of one host, as changes of images that all hosts share. The caller writes the result to a file, or serves it
 * without a copy.
 */

import { CONFIG_NAME, embedIgnition } from './embeddedIgnition.ts';
import type { Growth } from './growth.ts';
import { bothChanges, changedImage, type ImageChange, patchesOnly } from './imageChange.ts';
import { writeInitrd } from './initrd.ts';
import { requireKargsAreas } from './kargsAreas.ts';
import { editKargs } from './kargsEdit.ts';
import { type LiveIso, openLiveIso } from './liveIso.ts';
import type { MediumFile } from './mediumFiles.ts';
import { adaptKargs, type Reconstruction } from './minimalIso/extract.ts';
import type { BufferReader, RandomAccess } from './overlay.ts';

/** Contents of the ISO of one host that the shared ISO does not have. */
export interface HostContents {
  /** The Ignition config. */
  readonly config: Uint8Array;
  /** Kernel arguments to append to those of the image. */
  readonly kargs: readonly string[];
  readonly mediumFiles?: readonly MediumFile[];
}

/** @throws CliError if the contents do not fit, or the image is not a live ISO */
export async function hostIso(
  image: RandomAccess,
  contents: HostContents,
  growth: Growth,
): Promise<ImageChange> {
  const { config, kargs, mediumFiles = [] } = contents;
  const iso = await openLiveIso(image, growth);
  const embedded = await embedIgnition(iso, { config, existing: 'replace', mediumFiles });
  return kargs.length === 0 ? embedded : bothChanges(embedded, await appendKargs(iso, kargs));
}

/** The minimal ISO of one host. */
export interface HostMinimalIso {
  readonly image: Required<BufferReader>;
  /** Changes to apply to the released minimal ISO, in this order. */
  readonly changes: readonly ImageChange[];
}

/**
 * @param rootfsUrl URL from which the live system fetches its root filesystem
 * @throws CliError if the contents do not fit
 */
export async function hostMinimalIso(
  minimal: Reconstruction,
  { rootfsUrl, ...contents }: HostContents & { readonly rootfsUrl: string },
  growth: Growth,
): Promise<HostMinimalIso> {
  const adaptation = await adaptKargs(minimal, rootfsUrl);
  const adapted = changedImage(minimal.image, adaptation);
  const change = await hostIso(adapted, contents, growth);
  return { image: changedImage(adapted, change), changes: [adaptation, change] };
}

/** Appends the config as an archive. No padding is required: the kernel aligns only uncompressed archives. */
export function hostInitramfs({ size }: RandomAccess, config: Uint8Array): ImageChange {
  return patchesOnly([{ offset: size, data: configArchive(config) }]);
}

/** An archive that contains only the config, to load after an initramfs. */
export function configArchive(config: Uint8Array): Uint8Array {
  return writeInitrd(new Map([[CONFIG_NAME, config]]));
}

async function appendKargs(iso: LiveIso, append: readonly string[]): Promise<ImageChange> {
  const { current } = requireKargsAreas(await iso.kargsAreas());
  return iso.change({ kargs: editKargs(current, { append }).kargs });
}

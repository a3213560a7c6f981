/**
 * The images of one host, made from images that all hosts share: what goes where, without a copy. Whoever needs files
 * writes the result, and whoever serves them reads it as it is asked for.
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

/** What an ISO of one host has, and the shared one does not. */
export interface HostContents {
  /** The Ignition config. */
  readonly config: Uint8Array;
  /** Kernel arguments besides those of the image. */
  readonly kargs: readonly string[];
  readonly mediumFiles?: readonly MediumFile[];
}

/** @throws CliError where something does not fit, or the image is no live ISO */
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

/** A minimal ISO of one host. */
export interface HostMinimalIso {
  readonly image: Required<BufferReader>;
  /** What makes it from the minimal ISO as it was built, in this order. */
  readonly changes: readonly ImageChange[];
}

/**
 * @param rootfsUrl from where the live system fetches its root filesystem
 * @throws CliError where something does not fit
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

/** Archives follow each other; the kernel needs those that are not compressed at a multiple of 4 bytes only. */
export function hostInitramfs({ size }: RandomAccess, config: Uint8Array): ImageChange {
  return patchesOnly([{ offset: size, data: configArchive(config) }]);
}

/** The config alone as an archive, which boot loaders can put behind an initramfs. */
export function configArchive(config: Uint8Array): Uint8Array {
  return writeInitrd(new Map([[CONFIG_NAME, config]]));
}

async function appendKargs(iso: LiveIso, append: readonly string[]): Promise<ImageChange> {
  const { current } = requireKargsAreas(await iso.kargsAreas());
  return iso.change({ kargs: editKargs(current, { append }).kargs });
}

/** The Ignition config in the embed area of a live ISO. Other files of the area are kept. */

import { CliError } from '../core/errors.ts';
import type { EmbedFiles } from './embedArea.ts';
import type { ImageChange } from './imageChange.ts';
import type { LiveIso } from './liveIso.ts';
import type { MediumFile } from './mediumFiles.ts';

/** Bytes that releases of Fedora CoreOS and RHEL CoreOS reserve for the Ignition config. */
export const EMBED_AREA_SIZE = 256 * 1024;

/** File in the archive of the embed area that Ignition reads. */
export const CONFIG_NAME = 'config.ign';

/** What to do if the image already contains a config or settings. */
export type Existing = 'refuse' | 'replace';

export async function readIgnition(iso: LiveIso): Promise<Uint8Array | undefined> {
  return (await iso.embeddedFiles()).get(CONFIG_NAME);
}

export interface Embedding {
  readonly config: Uint8Array;
  readonly existing: Existing;
  /** Additional files for the initramfs, by path; they replace existing files. */
  readonly initrdFiles?: EmbedFiles;
  /** Files for the medium itself. */
  readonly mediumFiles?: readonly MediumFile[];
}

/** @throws CliError if a config exists and may not be replaced, or the files do not fit */
export async function embedIgnition(iso: LiveIso, embedding: Embedding): Promise<ImageChange> {
  const { config, existing, initrdFiles = [], mediumFiles = [] } = embedding;
  const before = await iso.embeddedFiles();
  if (before.has(CONFIG_NAME) && existing === 'refuse') {
    throw new CliError('This ISO image already has an embedded Ignition config; use -f to force.', {
      code: 'ERR_IMAGE',
    });
  }
  return iso.change({ files: new Map([...before, ...initrdFiles, [CONFIG_NAME, config]]), mediumFiles });
}

/** If the image contains no config, only what is left of earlier ones is removed. */
export async function removeIgnition(iso: LiveIso): Promise<ImageChange> {
  const after = new Map(await iso.embeddedFiles());
  return iso.change(after.delete(CONFIG_NAME) ? { files: after } : {});
}

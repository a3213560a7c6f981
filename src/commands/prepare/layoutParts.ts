/** The images and configs of a layout with fixed names, by architecture. */

import { join } from 'node:path';
import { type Architecture, architectures } from '../../core/architecture.ts';
import type { ConfigArtifact } from '../../core/artifacts.ts';
import { UsageError } from '../../core/errors.ts';
import { filesFor, type FixedLayout, type LayoutFiles } from '../../hosts/artifacts/layoutFiles.ts';
import type { HostConfigs } from '../../hosts/plan/agentArchives.ts';
import { imagesKey } from '../../hosts/plan/baseCatalog.ts';
import type { BaseSet } from '../../hosts/plan/baseImages.ts';
import { type InputImages, readImageInputs } from '../../hosts/plan/imageInputs.ts';
import { statsOf } from '../../io/files/fileStates.ts';
import type { PrepareOptions } from './options.ts';
import type { PrepareRun } from './run.ts';

export interface LayoutJob extends PrepareRun {
  readonly fixed: FixedLayout;
}

/** The files of one architecture, or the config without images. */
export interface LayoutPart {
  readonly architecture: Architecture;
  readonly artifacts: readonly ConfigArtifact[];
  readonly files: LayoutFiles;
  readonly configs: HostConfigs;
  readonly images: InputImages;
  /** The open images; undefined without images. */
  readonly base: BaseSet | undefined;
}

/** Whether options set the images. Otherwise the config is embedded in the ISOs that are in the folder. */
export function hasImages({ iso = [], kernel, initramfs, rootfs, images }: PrepareOptions): boolean {
  return iso.length > 0 || [kernel, initramfs, rootfs, images].some((given) => given !== undefined);
}

/**
 * The architecture with the plain names comes first: x86_64 if it is there, because most machines have it. Without images, the
 * result is empty. If no image is given, the ISO in the folder is used, as configure-coreos-ipa does.
 */
export async function findImages(job: LayoutJob): Promise<ReadonlyMap<Architecture, InputImages>> {
  const { folder, layout, options, io } = job;
  const wanted = hasImages(options) ? options : { iso: await isosInPlace(job) };
  const named = await readImageInputs(wanted, folder.digests, io);
  const found = new Map<Architecture, InputImages>();
  for (const [name, images] of named) {
    const { architecture, stream } = imagesKey(name);
    if (stream !== undefined) {
      throw new UsageError(`--layout ${layout} does not support streams, but ${name} has one`, {
        hint: 'pass the images without a stream, or remove --layout to write the files of each host',
      });
    }
    found.set(architecture, images);
  }
  const usual = found.get('x86_64');
  return usual === undefined ? found : new Map([['x86_64', usual], ...found]);
}

async function isosInPlace({ fixed, folder }: LayoutJob): Promise<string[]> {
  const paths = [fixed.files.iso, ...architectures.map((name) => filesFor(fixed, name).iso)];
  const found: string[] = [];
  for (const path of paths.map((name) => join(folder.path, name))) {
    if ((await statsOf(path))?.isFile() === true) found.push(path);
  }
  return found;
}

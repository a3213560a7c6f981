/** A customisation of a live ISO. It takes the place of everything that was embedded, not only of an earlier one. */

import { CliError, FormatError } from '../../core/errors.ts';
import type { ByteSource } from '../../formats/byteSource.ts';
import type { EmbedFiles } from '../embedArea.ts';
import { CONFIG_NAME, type Existing } from '../embeddedIgnition.ts';
import type { ImageChange } from '../imageChange.ts';
import { readInitrdFrom } from '../initrd.ts';
import { editKargs, type KargsEdits, type KargsRemark } from '../kargsEdit.ts';
import { type LiveFeatures, noFeatures, parseFeatures } from '../liveFeatures.ts';
import type { LiveIso } from '../liveIso.ts';
import { isNetworkPath } from '../networkSettings.ts';

export interface CustomizedIso {
  readonly change: ImageChange;
  readonly remarks: readonly KargsRemark[];
}

/** @throws CliError where an Ignition config, network settings or other kernel arguments are embedded */
export async function checkPristine(iso: LiveIso, existing: Existing): Promise<void> {
  if (existing === 'replace') return;
  const areas = await iso.kargsAreas();
  const hasKargs = areas !== undefined && areas.current !== areas.defaults.trim();
  if (!hasKargs && !isCustomized(await iso.embeddedFiles())) return;
  throw new CliError('This ISO image is already customized; use -f to force.');
}

/** Whether an archive has an Ignition config or network settings. */
function isCustomized(files: EmbedFiles): boolean {
  return [...files.keys()].some((path) => path === CONFIG_NAME || isNetworkPath(path));
}

/**
 * Kernel arguments are made from the image's defaults; without edits they stay.
 * @throws CliError where something does not fit, or the image reserves no place for kernel arguments
 */
export async function customizeIso(
  iso: LiveIso,
  files: EmbedFiles,
  edits: KargsEdits,
): Promise<CustomizedIso> {
  const hasEdits = [edits.append, edits.delete, edits.replace].some((list = []) => list.length > 0);
  if (!hasEdits) return { change: await iso.change({ files }), remarks: [] };
  const areas = await iso.kargsAreas();
  if (areas === undefined) {
    throw new CliError('This OS image does not support customizing live kernel arguments.', {
      hint: 'images before 2020-10 reserve no place for them: use a newer one',
    });
  }
  const { kargs, remarks } = editKargs(areas.defaults, edits);
  return { change: await iso.change({ files, kargs }), remarks };
}

const STAMP = 'etc/coreos-live-initramfs';
const FEATURES = 'etc/coreos/features.json';
const wanted: ReadonlySet<string> = new Set([STAMP, FEATURES, CONFIG_NAME]);

/** Bytes of these files; real ones have some hundred. */
const MAX_KEPT = 16 * 1024 * 1024;

/**
 * What the live system can be told. All of the initramfs is read.
 * @throws FormatError for an initramfs of anything else, and for one that is customised; what the source throws
 */
export async function readLiveInitrd(initrd: ByteSource): Promise<LiveFeatures> {
  const files: EmbedFiles = await readInitrdFrom(initrd, {
    wants: (path) => wanted.has(path) || isNetworkPath(path),
    maxKept: MAX_KEPT,
  });
  if (!files.has(STAMP)) {
    throw new FormatError('not a CoreOS live initramfs image', {
      hint: `it has no file ${STAMP}: use the initramfs of a live PXE image of CoreOS`,
    });
  }
  if (isCustomized(files)) {
    throw new FormatError('input is already customized', {
      hint: 'start from the initramfs as it was released',
    });
  }
  const features = files.get(FEATURES);
  return features === undefined ? noFeatures : parseFeatures(features, `${FEATURES} in the initramfs`);
}

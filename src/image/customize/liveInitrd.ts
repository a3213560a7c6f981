/** The initramfs of a CoreOS live system for network boot, to which a customisation is appended as an archive of its own. */

import { FormatError } from '../../core/errors.ts';
import type { ByteSource } from '../../formats/byteSource.ts';
import type { EmbedFiles } from '../embedArea.ts';
import { CONFIG_NAME } from '../embeddedIgnition.ts';
import { readInitrdFrom } from '../initrd.ts';
import { type LiveFeatures, noFeatures, parseFeatures } from '../liveFeatures.ts';
import { isNetworkPath } from '../networkSettings.ts';
import { isCustomized } from './customizeIso.ts';

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

/** The initramfs of a CoreOS live system for network boot, to which a customisation is appended as an archive of its own. */

import { CliError } from '../../errors.ts';
import type { EmbedFiles } from '../embedArea.ts';
import { CONFIG_NAME } from '../embeddedIgnition.ts';
import { readInitrd } from '../initrd.ts';
import { type LiveFeatures, noFeatures, parseFeatures } from '../liveFeatures.ts';
import { isNetworkPath } from '../networkSettings.ts';
import { isCustomized } from './customizeIso.ts';

const STAMP = 'etc/coreos-live-initramfs';
const FEATURES = 'etc/coreos/features.json';
const wanted: ReadonlySet<string> = new Set([STAMP, FEATURES, CONFIG_NAME]);

/**
 * What the live system can be told.
 * @throws CliError for an initramfs of anything else, and for one that is customised
 */
export async function readLiveInitrd(initrd: Uint8Array): Promise<LiveFeatures> {
  const files: EmbedFiles = await readInitrd(initrd, {
    wants: (path) => wanted.has(path) || isNetworkPath(path),
  });
  if (!files.has(STAMP)) {
    throw new CliError('not a CoreOS live initramfs image', {
      hint: `it has no file ${STAMP}: use the initramfs of a live PXE image of CoreOS`,
    });
  }
  if (isCustomized(files)) {
    throw new CliError('input is already customized', {
      hint: 'start from the initramfs as it was released',
    });
  }
  const features = files.get(FEATURES);
  return features === undefined ? noFeatures : parseFeatures(features, `${FEATURES} in the initramfs`);
}

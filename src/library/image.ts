/**
 * `ironic-coreos/image`: live ISOs and initramfs archives. An image is anything with `size` and `read(offset, length)`. A change
 * is a list of patches; nothing is written.
 */

import { openImage as openSource } from '../imagefile/imageFile.ts';
import type { OpenImage } from '../imagefile/openImage.ts';
import type { OpenOptions } from './call.ts';

export { CliError, FormatError, UsageError, type ErrorCode } from '../core/errors.ts';
export type { ByteSource } from '../formats/byteReader.ts';
export { embedIgnition as planIgnition, readIgnition, type Embedding } from '../image/embeddedIgnition.ts';
export type { Growth } from '../image/growth.ts';
export { changedImage, type ImageChange } from '../image/imageChange.ts';
export { readInitrd, readInitrdFrom, sourceOfImage, writeInitrd } from '../image/initrd.ts';
export { editKargs, type KargsEdits } from '../image/kargsEdit.ts';
export { openLiveIso, type IsoContents, type LiveIso } from '../image/liveIso.ts';
export { resetIso as planReset } from '../image/liveIso.ts';
export { listNetworkSettings, type NetworkFile } from '../image/networkSettings.ts';
export { bytesAccess, chunksOf, overlay, type ByteRange, type Patch } from '../image/overlay.ts';
export type { RandomAccess } from '../image/overlay.ts';
export { writeSampleIso, type SampleIso } from '../image/sampleIso.ts';
export type { OpenImage } from '../imagefile/openImage.ts';

/**
 * Opens a file, a block device or a URL (http://, https://). Only the required parts are read. The caller closes it.
 * @throws CliError if it cannot be opened
 */
export async function openImage(
  source: string,
  { cwd = process.cwd(), env, signal }: OpenOptions = {},
): Promise<OpenImage> {
  return openSource(source, { cwd, signal, ...(env && { env }) });
}

/** An image with its change to standard output: what stays as it was goes there at once where the system lets it. */

import { type ImageChange, changedImage } from '../../image/imageChange.ts';
import { keptRanges } from '../../image/keptRanges.ts';
import { lentChunksOf } from '../../image/overlay.ts';
import { copyNow } from './copyRange.ts';
import type { OpenImage } from './imageBytes.ts';
import type { Io } from '../io.ts';
import { type DirectStdout, openDirectStdout, writeLentToStdout } from '../stdout.ts';

/**
 * Writes all of the image as it is after the change. Ends quietly when the reader has gone.
 * @throws CliError in the user's terms
 */
export async function streamImage(
  image: OpenImage,
  change: ImageChange,
  io: Pick<Io, 'stdout'>,
): Promise<void> {
  const { readNow } = image;
  const direct = readNow === undefined ? undefined : openDirectStdout(io);
  if (readNow === undefined || direct === undefined) return streamInOrder(image, change, io);
  try {
    await streamDirectly({ ...image, readNow }, change, direct);
  } finally {
    direct.close();
  }
}

async function streamInOrder(image: OpenImage, change: ImageChange, io: Pick<Io, 'stdout'>): Promise<void> {
  const { inOrder = (use) => use(image) } = image;
  await inOrder(async (bytes) => {
    const changed = changedImage(bytes, change);
    await writeLentToStdout(io, lentChunksOf(changed, { offset: 0, length: changed.size }));
  });
}

type FileImage = OpenImage & Required<Pick<OpenImage, 'readNow'>>;

async function streamDirectly(image: FileImage, change: ImageChange, direct: DirectStdout): Promise<void> {
  const changed = changedImage(image, change);
  const end = { offset: changed.size, length: 0 };
  let written = 0;
  for (const kept of [...keptRanges(image, change), end]) {
    const patched = { offset: written, length: kept.offset - written };
    for await (const chunk of lentChunksOf(changed, patched)) {
      if (direct.write(chunk) === 'reader gone') return;
    }
    if ((await copyNow(image.readNow, kept, direct)) === 'reader gone') return;
    written = kept.offset + kept.length;
  }
}

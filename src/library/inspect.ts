/** What an image contains, as `ironic-coreos inspect` reports it. */

import type { InspectionReport } from '../commands/inspect/inspectionReport.ts';
import { call, type CallOptions } from './call.ts';
import { requireContent } from './content.ts';

/**
 * Reads only the required parts of the image.
 * @param image the path, the URL or the bytes of a live ISO, an initramfs, an Ignition config or an archive of a container image
 * @throws ReportedError if it cannot be read
 */
export async function inspect(
  image: string | Uint8Array,
  options: CallOptions = {},
): Promise<InspectionReport> {
  const { result } = await call(options, async (io) => {
    requireContent(image, 'image');
    const { inspectImage } = await import('../commands/inspect/inspect.ts');
    return inspectImage(image, io);
  });
  return result.document;
}

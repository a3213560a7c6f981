/**
 * What an archive of the agent's image takes of a host's memory, where everything of a live system is: the unpacked layers
 * for good, and for a while what podman makes on the way there.
 */

import type { ArchivedImage, ContainerArchive } from '../formats/containerArchive.ts';
import type { AgentArchive } from './settings.ts';

/** One reason for so many bytes. */
export interface ArchiveMemoryPart {
  readonly what: string;
  readonly bytes: number;
}

/** What the part is called that is there in any case. */
export const UNPACKED_IMAGE = 'unpacked image of the agent';

/** Most at one time, while the image is being loaded. */
export function archiveMemory(
  archive: Pick<ContainerArchive, 'form' | 'size' | 'unpackedSize'>,
  image: ArchivedImage,
  { url }: Pick<AgentArchive, 'url'>,
): ArchiveMemoryPart[] {
  const unpacked = image.layers.reduce((sum, { unpackedSize }) => sum + unpackedSize, 0);
  // podman takes an OCI archive apart in /var/tmp before it reads it, and unpacks a compressed docker archive there.
  const isCopied = archive.form === 'oci-archive' || archive.unpackedSize !== archive.size;
  return [
    { what: UNPACKED_IMAGE, bytes: unpacked },
    ...(url === undefined
      ? []
      : [{ what: 'archive of that image, until it is loaded', bytes: archive.size }]),
    ...(isCopied
      ? [{ what: 'copy of that archive while podman loads it', bytes: archive.unpackedSize }]
      : []),
  ];
}

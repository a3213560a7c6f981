/** Which memory a host needs for what was prepared for it, by the way in which it boots. */

import { archiveMemory } from '../../agent/agentArchive.ts';
import type { ArchivedImage, ContainerArchive } from '../../formats/containerArchive.ts';
import {
  liveMemory,
  type LiveParts,
  type MemoryPart,
  totalMemory,
} from '../../image/inspection/memoryNeed.ts';
import type { ConfigArtifact } from './artifacts.ts';

/** `network`: a boot loader fetches kernel and initramfs. A minimal ISO has these, and fetches the rest. */
export type BootWay = 'network' | 'minimal-iso' | 'iso';

export interface MemoryNeed {
  readonly boot: BootWay;
  /** Bytes of all parts together. An agent's image that is pulled is not among them. */
  readonly minimum: number;
  readonly parts: readonly MemoryPart[];
}

/** Of machines that no inventory lists. */
export interface UnlistedMemory extends MemoryNeed {
  readonly architecture: string;
}

/** The image that comes along. */
export interface ArchiveToLoad {
  readonly content: ContainerArchive;
  readonly image: ArchivedImage;
  /** Where hosts fetch it that are not told otherwise by their folder. */
  readonly url?: string;
}

/** None where neither images nor an archive are known. */
export function memoryNeeds(
  configs: readonly ConfigArtifact[],
  sizes: LiveParts | undefined,
  archive: ArchiveToLoad | undefined,
): MemoryNeed[] {
  if (sizes === undefined && archive === undefined) return [];
  return bootWays(configs).map((boot) => {
    const parts = [
      ...liveMemory(boot === 'iso' ? 'medium' : 'network', sizes),
      ...(archive === undefined ? [] : archiveParts(archive, boot)),
    ];
    return { boot, minimum: totalMemory(parts), parts };
  });
}

function bootWays(configs: readonly ConfigArtifact[]): BootWay[] {
  const isNetwork = configs.some((artifact) => artifact !== 'iso' && artifact !== 'minimal-iso');
  return [
    ...(isNetwork ? (['network'] as const) : []),
    ...(['minimal-iso', 'iso'] as const).filter((way) => configs.includes(way)),
  ];
}

/** On the full ISO it costs no memory itself, unless it is fetched even so. */
function archiveParts({ content, image, url }: ArchiveToLoad, boot: BootWay): MemoryPart[] {
  const isFetched = boot !== 'iso' || url !== undefined;
  return archiveMemory(content, image, isFetched ? { url: url ?? '' } : {});
}

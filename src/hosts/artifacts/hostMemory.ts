/** The memory that a host needs, for each way to boot its artifacts. */

import { archiveMemory } from '../../agent/agentArchive.ts';
import type { HostArchive } from '../plan/agentArchives.ts';
import { liveMemory, type MemoryPart, totalMemory } from '../../image/inspection/memoryNeed.ts';
import type { BaseSet } from '../plan/baseImages.ts';
import { type BootWay, type ConfigArtifact, hostArtifacts } from '../../core/artifacts.ts';

export interface MemoryNeed {
  readonly boot: BootWay;
  /** Bytes of all parts together, without an agent image that is pulled from a registry. */
  readonly minimum: number;
  readonly parts: readonly MemoryPart[];
}

/** For machines that the inventory does not list. */
export interface UnlistedMemory extends MemoryNeed {
  readonly architecture: string;
}

/** Empty if neither images nor an archive are known. */
export function memoryNeeds(
  configs: readonly ConfigArtifact[],
  base: BaseSet | undefined,
  archive: Pick<HostArchive, 'content' | 'image' | 'url'> | undefined,
): MemoryNeed[] {
  if (base === undefined && archive === undefined) return [];
  const { initramfs, rootfs } = base?.parts ?? {};
  const sizes = base && { rootfs: rootfs?.bytes.size, initramfs: initramfs?.bytes.size };
  const used = new Set(configs.map((name) => hostArtifacts[name].way ?? 'network'));
  const ways = (['network', 'minimal-iso', 'iso'] as const).filter((way) => used.has(way));
  return ways.map((boot) => {
    const ofSystem = liveMemory(boot === 'iso' ? 'medium' : 'network', sizes);
    // On a full ISO, the archive itself needs no memory, unless it is fetched from a URL.
    const url = archive?.url ?? (boot === 'iso' ? undefined : '');
    const ofArchive = archive === undefined ? [] : archiveMemory(archive.content, archive.image, { url });
    const parts = [...ofSystem, ...ofArchive];
    return { boot, minimum: totalMemory(parts), parts };
  });
}

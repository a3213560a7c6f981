/** Which memory hosts need, told once for all hosts of which the same is true. */

import { UNPACKED_IMAGE } from '../../agent/archiveMemory.ts';
import { ADVISED_FOR_AGENT } from '../../image/inspection/memoryNeed.ts';
import type { Io } from '../../io/io.ts';
import type { BootWay, MemoryNeed, UnlistedMemory } from '../../prepare/hostMemory.ts';
import type { ManifestHost } from '../../prepare/manifest.ts';
import { formatSizeInWords } from '../../formats/byteSize.ts';
import { addToGroup, formatGroup, type HostGroups } from '../hosts/hostGroups.ts';

/** The manifest has it for each of them. */
export function tellMemory(
  hosts: readonly ManifestHost[],
  unlisted: readonly UnlistedMemory[],
  io: Io,
): void {
  const groups: HostGroups = new Map();
  const byName = hosts.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  for (const { name, memory = [] } of byName) {
    for (const need of memory) addToGroup(groups, formatNeed(need), name);
  }
  for (const need of unlisted) {
    addToGroup(groups, formatNeed(need), `machines that are not listed (${need.architecture})`);
  }
  for (const [said, names] of groups) io.stderr.write(`memory of ${formatGroup(names)}: ${said}\n`);
}

const ways: Readonly<Record<BootWay, string>> = {
  network: 'booting over the network',
  'minimal-iso': 'booting from a minimal ISO',
  iso: 'booting from an ISO',
};

/** `at least 3.2 GiB booting from an ISO (…)` */
export function formatNeed({ boot, minimum, parts }: MemoryNeed): string {
  const hasArchive = parts.some(({ what }) => what === UNPACKED_IMAGE);
  const reasons = parts.map(({ what, bytes }) => `${formatSizeInWords(bytes)} for the ${what}`).join(', ');
  const advice = hasArchive
    ? ''
    : `, and the image of the agent, which is pulled: ${formatSizeInWords(ADVISED_FOR_AGENT)} are advised`;
  return `at least ${formatSizeInWords(minimum)} ${ways[boot]} (${reasons})${advice}`;
}

/** How much memory machines need for what was prepared: one line for all of them; the manifest has the parts of each. */

import { UNPACKED_IMAGE } from '../agent/archiveMemory.ts';
import { formatSizeInWords, formatWordList } from '../formats/messageText.ts';
import type { BootWay, MemoryNeed, UnlistedMemory } from '../hosts/artifacts/hostMemory.ts';
import type { ManifestHost } from '../hosts/artifacts/manifest.ts';
import { ADVISED_FOR_AGENT } from '../image/inspection/memoryNeed.ts';
import type { Io } from '../io/io.ts';

/** Nothing where it is not known. Why, and for which hosts, is a note for `--verbose`. */
export function tellMemory(
  hosts: readonly Pick<ManifestHost, 'name' | 'memory'>[],
  unlisted: readonly UnlistedMemory[],
  { stderr, note }: Pick<Io, 'stderr' | 'note'>,
): void {
  const all = [
    ...hosts.flatMap(({ name, memory = [] }) => memory.map((need) => ({ who: name, need }))),
    ...unlisted.map((need) => ({ who: `machines that are not listed (${need.architecture})`, need })),
  ];
  const line = formatNeeds(all.map(({ need }) => need));
  if (line === undefined) return;
  stderr.write(`memory: ${line}\n`);
  for (const { who, need } of all) note?.(`memory of ${who} ${ways[need.boot]}: ${formatParts(need)}`);
}

const ways: Readonly<Record<BootWay, string>> = {
  network: 'over the network',
  'minimal-iso': 'from a minimal ISO',
  iso: 'from an ISO',
};

/** `at least 2 GiB to boot over the network, and 2 to 3.2 GiB from an ISO`; undefined without any. */
function formatNeeds(needs: readonly MemoryNeed[]): string | undefined {
  if (needs.length === 0) return undefined;
  const byWay = Object.keys(ways)
    .filter(isWay)
    .map((boot) => ({ boot, sizes: formatRange(needs.filter((need) => need.boot === boot)) }))
    .filter(({ sizes }) => sizes !== '');
  const sizes = [...new Set(byWay.map((way) => way.sizes))];
  const clauses = sizes.map((size, index) => {
    const waysOfSize = byWay.filter((way) => way.sizes === size).map(({ boot }) => ways[boot]);
    return `${size} ${index === 0 ? 'to boot ' : ''}${formatWordList(waysOfSize)}`;
  });
  const isPulled = needs.some(({ parts }) => !parts.some(({ what }) => what === UNPACKED_IMAGE));
  const advice = `; ${formatSizeInWords(ADVISED_FOR_AGENT)} recommended, as the agent image is pulled`;
  return `at least ${clauses.join(', ')}${isPulled ? advice : ''}`;
}

function isWay(name: string): name is BootWay {
  return Object.hasOwn(ways, name);
}

/** `2 GiB`, or where hosts need different amounts `2 GiB to 3.2 GiB`; empty without any. */
function formatRange(needs: readonly MemoryNeed[]): string {
  const minima = needs.map(({ minimum }) => minimum);
  const ends = [Math.min(...minima), Math.max(...minima)].map(formatSizeInWords);
  return needs.length === 0 ? '' : [...new Set(ends)].join(' to ');
}

/** `2 GiB for the live system, 2.9 MiB for the root filesystem` */
function formatParts({ parts }: MemoryNeed): string {
  return parts.map(({ what, bytes }) => `${formatSizeInWords(bytes)} for the ${what}`).join(', ');
}

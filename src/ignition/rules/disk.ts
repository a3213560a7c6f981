/** Disks, and relations between their partitions. */

import type { Finding } from '../../core/finding.ts';
import { groupBy } from '../../core/lists.ts';
import type { Disk, Partition } from '../config.ts';
import { errorRules, found, issue } from '../../core/rule.ts';
import { type Check, isNonZero } from '../check.ts';
import { devicePathIssue } from './path.ts';

export const diskRules = errorRules({
  'disk-device-required': [
    'disk device is required',
    'set "device" to the path of the device, e.g. /dev/disk/by-id/NAME',
  ],
  'partition-numbers-collide': [
    'partition numbers collide',
    'use a different number for each partition of the disk, or 0 for the next free one',
  ],
  'partitions-overlap': [
    'partitions overlap',
    'start the partition after the end of the previous one, or remove startMiB',
  ],
  'partition-labels-collide': [
    'cannot use the same partition label twice',
    'use a different label for each partition of the disk',
  ],
});

export const checkDisk: Check<Disk> = ({ device, partitions = [] }) => {
  if (!device) return [issue(diskRules['disk-device-required'], ['device'])];
  const overlapping = firstOverlap(partitions);
  return found(
    devicePathIssue(device, ['device']),
    numbersIssue(partitions),
    overlapping !== undefined && issue(diskRules['partitions-overlap'], ['partitions', overlapping]),
    labelsIssue(partitions),
  );
};

/** If several numbers collide, Ignition reports any of them; this function returns the first one. */
function numbersIssue(partitions: readonly Partition[]): Finding | undefined {
  const numbered = partitions.flatMap(({ number }, index) =>
    isNonZero(number) ? [{ index, number: BigInt(number) }] : [],
  );
  const groups = [...groupBy(numbered, ({ number }) => number).values()];
  const [, second] = groups.find(({ length }) => length > 1) ?? [];
  return second && issue(diskRules['partition-numbers-collide'], ['partitions', second.index]);
}

function labelsIssue(partitions: readonly Partition[]): Finding | undefined {
  const seen = new Set<string>();
  for (const [index, { label }] of partitions.entries()) {
    if (label === undefined) continue;
    if (seen.has(label)) return issue(diskRules['partition-labels-collide'], ['partitions', index]);
    seen.add(label);
  }
  return undefined;
}

/** From the first MiB to the last, both included. */
interface Extent {
  readonly index: number;
  readonly start: bigint;
  readonly end: bigint;
}

/**
 * Finds a partition that overlaps another one, with the arithmetic of Ignition: 64-bit sums may wrap around and sizes may be
 * negative, so an end may be before its start. Compares as many as a GPT has. Returns the index that Ignition reports.
 */
export function firstOverlap(partitions: readonly Partition[]): number | undefined {
  const extents = partitions.slice(0, 128).flatMap(extentOf);
  for (const extent of extents) {
    const other = extents.find((candidate) => candidate !== extent && overlaps(extent, candidate));
    if (other !== undefined) return other.index;
  }
  return undefined;
}

/** With start 0 the tool chooses the start, with size 0 it fills the disk; then only the start is fixed. */
function extentOf({ sizeMiB, startMiB }: Partition, index: number): readonly Extent[] {
  if (!isNonZero(startMiB) || sizeMiB === undefined) return [];
  const start = BigInt(startMiB);
  const end = isNonZero(sizeMiB) ? BigInt.asIntN(64, start + BigInt(sizeMiB) - 1n) : start;
  return [{ index, start, end }];
}

function overlaps(extent: Extent, other: Extent): boolean {
  const contains = (place: bigint): boolean => place >= other.start && place <= other.end;
  const spans = extent.start < other.start && extent.end > other.end;
  return contains(extent.start) || contains(extent.end) || spans;
}

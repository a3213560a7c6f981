/**
 * Which partition of a disk overlaps another, told as Ignition tells it: 64-bit sums may wrap around and sizes may be
 * negative, so an end may come before its start. Comparing every pair is too slow for a list made to be slow; sorting finds
 * out whether a partition has a partner, and only one of them is then compared with all others.
 */

import type { Partition } from '../config.ts';
import { isNonZero } from './integers.ts';

/** From the first MiB to the last, both included. */
interface Extent {
  readonly index: number;
  readonly start: bigint;
  readonly end: bigint;
}

/** The index of the partition that Ignition names, or undefined where none overlap. */
export function firstOverlap(partitions: readonly Partition[]): number | undefined {
  const extents = partitions.flatMap(extentOf);
  if (extents.length < 2) return undefined;
  const sorted = sortedExtents(extents);
  const first = extents.find((extent) => hasPartner(extent, sorted));
  if (first === undefined) return undefined;
  return extents.find((other) => other !== first && overlaps(first, other))?.index;
}

/** A start of 0 lets the tool choose, a size of 0 fills up; only the place of the start is known then. */
function extentOf({ sizeMiB, startMiB }: Partition, index: number): readonly Extent[] {
  if (!isNonZero(startMiB) || sizeMiB === undefined) return [];
  const start = BigInt(startMiB);
  const end = isNonZero(sizeMiB) ? BigInt.asIntN(64, start + BigInt(sizeMiB) - 1n) : start;
  return [{ index, start, end }];
}

function overlaps(extent: Extent, other: Extent): boolean {
  const holds = (place: bigint): boolean => place >= other.start && place <= other.end;
  const spans = extent.start < other.start && extent.end > other.end;
  return holds(extent.start) || holds(extent.end) || spans;
}

interface SortedExtents {
  readonly byStart: readonly Extent[];
  /** For every count of extents in order of start, the two of them that reach furthest. */
  readonly furthest: readonly (readonly Extent[])[];
  /** For every place in that order, the smallest end from there on. */
  readonly smallestEnd: readonly bigint[];
}

function sortedExtents(extents: readonly Extent[]): SortedExtents {
  const byStart = extents.toSorted((a, b) => (a.start < b.start ? -1 : Number(a.start > b.start)));
  const furthest: (readonly Extent[])[] = [[]];
  for (const extent of byStart) furthest.push(furthestTwo(furthest.at(-1) ?? [], extent));
  const smallestEnd: bigint[] = [];
  let smallest: bigint | undefined;
  for (const { end } of byStart.toReversed()) {
    smallest = smallest === undefined || end < smallest ? end : smallest;
    smallestEnd.push(smallest);
  }
  return { byStart, furthest, smallestEnd: smallestEnd.toReversed() };
}

function furthestTwo([first, second]: readonly Extent[], next: Extent): readonly Extent[] {
  if (first === undefined) return [next];
  if (next.end > first.end) return [next, first];
  return second === undefined || next.end > second.end ? [first, next] : [first, second];
}

/** Whether any other extent makes {@link overlaps} true. */
function hasPartner(extent: Extent, { byStart, furthest, smallestEnd }: SortedExtents): boolean {
  const isHeld = (place: bigint): boolean => {
    const reaching = furthest[countStartingBy(byStart, place)] ?? [];
    return reaching.some((other) => other !== extent && other.end >= place);
  };
  const smallest = smallestEnd[countStartingBy(byStart, extent.start)];
  return isHeld(extent.start) || isHeld(extent.end) || (smallest !== undefined && smallest < extent.end);
}

/** How many extents, in order of start, start at `place` or before. */
function countStartingBy(byStart: readonly Extent[], place: bigint): number {
  let low = 0;
  let high = byStart.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const extent = byStart[middle];
    if (extent !== undefined && extent.start <= place) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A cpio archive read at once. */

import { ByteFeed } from '../../src/formats/byteFeed.ts';
import { walkCpio } from '../../src/formats/cpio.ts';

export interface CpioMember {
  readonly path: string;
  readonly mode: number;
  /** A view of the archive. */
  readonly data: Uint8Array;
}

/** `end` is the offset of the first byte after the trailer and its padding. */
export function readCpio(
  bytes: Uint8Array,
  offset = 0,
): { readonly members: readonly CpioMember[]; readonly end: number } {
  const feed = ByteFeed.whole('cpio', bytes, offset);
  const members: CpioMember[] = [];
  for (const entry of walkCpio(feed, () => true)) {
    if (entry?.data !== undefined) members.push({ path: entry.path, mode: entry.mode, data: entry.data });
  }
  return { members, end: feed.offset };
}

/**
 * An image with changes that are not written to it. Every customisation is a list of patches; writing in place, writing
 * a copy, streaming and serving are consumers of one overlay.
 */

import type { RandomAccess } from './randomAccess.ts';

/** Bytes that take the place of what an image has at `offset`. Large data may be read when it is needed. */
export interface Patch {
  readonly offset: number;
  readonly data: Uint8Array | RandomAccess;
}

/** Bytes per chunk where an image is copied or streamed: large enough to be fast, small enough to hold several. */
export const CHUNK = 1024 * 1024;

/**
 * The image as it is after the patches. It is longer than the base where a patch reaches beyond its end; a gap in
 * between reads as zeros.
 * @throws RangeError for patches that overlap, which is a defect of the caller
 */
export function overlay(base: RandomAccess, patches: readonly Patch[]): RandomAccess {
  const regions = sortedRegions(patches);
  const size = Math.max(base.size, regions.at(-1)?.end ?? 0);
  return {
    size,
    read: async (offset, length) => {
      checkRange({ size }, offset, length);
      const result = new Uint8Array(length);
      await fill(result, offset, { offset: 0, end: base.size, source: base });
      for (let index = firstRegionAfter(regions, offset); index < regions.length; index++) {
        const region = regions[index];
        if (region === undefined || region.offset >= offset + length) break;
        await fill(result, offset, region);
      }
      return result;
    },
  };
}

/** The bytes of a patch, whatever they come from. */
export function patchSource({ data }: Patch): RandomAccess {
  return data instanceof Uint8Array ? bytesAccess(data) : data;
}

/** Bytes in memory, as something to be read from. What it returns shares their memory. */
export function bytesAccess(bytes: Uint8Array): RandomAccess {
  return {
    size: bytes.length,
    read: async (offset, length) => {
      checkRange({ size: bytes.length }, offset, length);
      return bytes.subarray(offset, offset + length);
    },
  };
}

/** So many zeros that need no memory until they are read. */
export function zeros(size: number): RandomAccess {
  return {
    size,
    read: async (offset, length) => {
      checkRange({ size }, offset, length);
      return new Uint8Array(length);
    },
  };
}

/** A stretch of an image. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** The bytes of a range in chunks. The next one is being read while the last one is in use. */
export async function* chunksOf(source: RandomAccess, range: ByteRange): AsyncGenerator<Uint8Array, void> {
  const end = range.offset + range.length;
  const readAt = (offset: number): Promise<Uint8Array> | undefined => {
    if (offset >= end) return undefined;
    const chunk = source.read(offset, Math.min(CHUNK, end - offset));
    chunk.catch(() => undefined); // is rethrown where it is awaited; until then nobody listens
    return chunk;
  };
  let next = readAt(range.offset);
  for (let offset = range.offset; next !== undefined; offset += CHUNK) {
    const chunk = await next;
    next = readAt(offset + CHUNK);
    yield chunk;
  }
}

/** A patch with its end, ready to be searched. */
interface Region {
  readonly offset: number;
  readonly end: number;
  readonly source: RandomAccess;
}

function sortedRegions(patches: readonly Patch[]): Region[] {
  const regions = patches
    .map((patch) => {
      const source = patchSource(patch);
      return { offset: patch.offset, end: patch.offset + source.size, source };
    })
    .filter(({ offset, end }) => end > offset)
    .toSorted((left, right) => left.offset - right.offset);
  let end = 0;
  for (const region of regions) {
    if (region.offset < end) throw new RangeError(`patches overlap at ${region.offset}`);
    end = region.end;
  }
  return regions;
}

/** Index of the first region that ends after `offset`. */
function firstRegionAfter(regions: readonly Region[], offset: number): number {
  let low = 0;
  let high = regions.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((regions[middle]?.end ?? 0) > offset) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Copies what `region` has of the range that `target` stands for. */
async function fill(target: Uint8Array, targetOffset: number, region: Region): Promise<void> {
  const start = Math.max(region.offset, targetOffset);
  const end = Math.min(region.end, targetOffset + target.length);
  if (start >= end) return;
  target.set(await region.source.read(start - region.offset, end - start), start - targetOffset);
}

/** For readers: refuses a range that the source does not have. */
export function checkRange({ size }: { readonly size: number }, offset: number, length: number): void {
  if (offset < 0 || length < 0 || offset + length > size || !Number.isSafeInteger(offset + length)) {
    throw new RangeError(`${length} bytes at ${offset} are not within ${size} bytes`);
  }
}

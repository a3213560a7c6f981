/**
 * An image with changes that are not written to it. Every customisation is a list of patches; writing in place, writing
 * a copy, streaming and serving are consumers of one overlay.
 */

/** Bytes that take the place of what an image has at `offset`. Large data may be read when it is needed. */
export interface Patch {
  readonly offset: number;
  readonly data: Uint8Array | RandomAccess;
}

/** Bytes per chunk where an image is copied or streamed: large enough to be fast, small enough to hold several. */
export const CHUNK = 1024 * 1024;

/** Bytes that may know how to come into memory that is used again: new memory takes longer than the copying itself. */
export interface BufferReader extends RandomAccess {
  /** Like `read`, of as many bytes as `target` has. */
  readonly readInto?: (target: Uint8Array, offset: number) => Promise<void>;
}

/**
 * The image as it is after the patches. It is longer than the base where a patch reaches beyond its end; a gap in
 * between reads as zeros.
 * @throws RangeError for patches that overlap, which is a defect of the caller
 */
export function overlay(base: BufferReader, patches: readonly Patch[]): Required<BufferReader> {
  const regions = sortedRegions(patches);
  const size = Math.max(base.size, regions.at(-1)?.end ?? 0);
  const readInto = async (target: Uint8Array, offset: number): Promise<void> => {
    checkRange({ size }, offset, target.length);
    target.fill(0, Math.min(target.length, Math.max(0, base.size - offset)));
    await fill(target, offset, { offset: 0, end: base.size, source: base });
    for (let index = firstRegionAfter(regions, offset); index < regions.length; index++) {
      const region = regions[index];
      if (region === undefined || region.offset >= offset + target.length) break;
      await fill(target, offset, region);
    }
  };
  const read = async (offset: number, length: number): Promise<Uint8Array> => {
    checkRange({ size }, offset, length);
    const result = Buffer.allocUnsafe(length);
    await readInto(result, offset);
    return result;
  };
  return { size, read, readInto };
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

/** A stretch of something, as something of its own. */
export function slice(source: BufferReader, { offset, length }: ByteRange): Required<BufferReader> {
  const size = length;
  return {
    size,
    read: async (start, count) => {
      checkRange({ size }, start, count);
      return source.read(offset + start, count);
    },
    readInto: async (target, start) => {
      checkRange({ size }, start, target.length);
      await readTo(source, target, offset + start);
    },
  };
}

/** The bytes of a range in chunks. The next one is being read while the last one is in use. */
export function chunksOf(source: RandomAccess, range: ByteRange): AsyncGenerator<Uint8Array, void> {
  return readAhead(range, (offset, length) => source.read(offset, length));
}

/** The same in the same memory again and again: each chunk is only lent, until the next one is asked for. */
export function reusedChunks(source: BufferReader, range: ByteRange): AsyncGenerator<Uint8Array, void> {
  const most = Math.min(CHUNK, range.length);
  let [lent, free] = [Buffer.allocUnsafe(most), Buffer.allocUnsafe(most)];
  return readAhead(range, async (offset, length) => {
    [lent, free] = [free, lent];
    const chunk = lent.subarray(0, length);
    await readTo(source, chunk, offset);
    return chunk;
  });
}

type Read = (offset: number, length: number) => Promise<Uint8Array>;

async function* readAhead(range: ByteRange, read: Read): AsyncGenerator<Uint8Array, void> {
  const end = range.offset + range.length;
  const readAt = (offset: number): Promise<Uint8Array> | undefined => {
    if (offset >= end) return undefined;
    const chunk = read(offset, Math.min(CHUNK, end - offset));
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

async function readTo(source: BufferReader, target: Uint8Array, offset: number): Promise<void> {
  if (source.readInto !== undefined) return source.readInto(target, offset);
  target.set(await source.read(offset, target.length));
}

/** A patch with its end, ready to be searched. */
interface Region {
  readonly offset: number;
  readonly end: number;
  readonly source: BufferReader;
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
  const part = target.subarray(start - targetOffset, end - targetOffset);
  await readTo(region.source, part, start - region.offset);
}

/** For readers: refuses a range that the source does not have. */
export function checkRange({ size }: { readonly size: number }, offset: number, length: number): void {
  if (offset < 0 || length < 0 || offset + length > size || !Number.isSafeInteger(offset + length)) {
    throw new RangeError(`${length} bytes at ${offset} are not within ${size} bytes`);
  }
}

export interface RandomAccess {
  /** Bytes. */
  readonly size: number;
  /** Exactly `length` bytes from `offset`; reading past the end is an error of the caller. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** The same of a whole image. */
export interface ImageAccess extends RandomAccess {
  /** A device goes on behind the image that is on it. */
  readonly isDevice?: boolean;
}

/**
 * An image with unwritten changes. Every customization is a list of patches. In-place edits, copies, streams and the server
 * use the same overlay.
 */

/** Bytes that replace those of an image at `offset`. Large data may be a source that is read on demand. */
export interface Patch {
  readonly offset: number;
  readonly data: Uint8Array | RandomAccess;
}

/** Bytes per chunk for copies and streams: large enough to be fast, small enough to keep several in memory. */
export const CHUNK = 1024 * 1024;

/**
 * The image with the patches. It is larger than the base if a patch exceeds its end; gaps are zeros.
 * @throws RangeError if patches overlap, which is a defect of the caller
 */
export function overlay(base: RandomAccess, patches: readonly Patch[]): ImageBytes {
  const regions = sortedRegions(patches);
  const size = Math.max(base.size, regions.at(-1)?.end ?? 0);
  const readInto: ImageBytes['readInto'] = async (target, offset) => {
    target.fill(0, Math.min(target.length, Math.max(0, base.size - offset)));
    await fill(target, offset, { offset: 0, end: base.size, source: base });
    for (const region of regions) {
      if (region.offset >= offset + target.length) break;
      if (region.end > offset) await fill(target, offset, region);
    }
  };
  return readerOf(size, readInto, ({ offset, length }) => {
    const end = offset + length;
    const isUnchanged =
      end <= base.size && regions.every((region) => region.offset >= end || region.end <= offset);
    return isUnchanged ? originOf(base, { offset, length }) : undefined;
  });
}

/**
 * A source of `size` bytes.
 * @param fillFrom fills its first argument; the range is within the source
 * @param originElsewhere the origin of a range that another source contains without a change
 */
export function readerOf(
  size: number,
  fillFrom: ImageBytes['readInto'],
  originElsewhere?: (range: ByteRange) => Origin | undefined,
): ImageBytes {
  const reader: ImageBytes = {
    size,
    read: async (offset, length) => {
      checkRange({ size }, offset, length);
      const result = Buffer.allocUnsafe(length);
      await fillFrom(result, offset);
      return result;
    },
    readInto: async (target, offset) => {
      checkRange({ size }, offset, target.length);
      await fillFrom(target, offset);
    },
    origin: (range) => originElsewhere?.(range) ?? { source: reader, offset: range.offset },
  };
  return reader;
}

/** Where the bytes of the range are stored. */
function originOf(source: RandomAccess, range: ByteRange): Origin {
  return source.origin?.(range) ?? { source, offset: range.offset };
}

/** The bytes of a patch as a source. */
export function patchSource({ data }: Patch): RandomAccess {
  return data instanceof Uint8Array ? bytesAccess(data) : data;
}

/** A source of bytes in memory. The returned arrays share that memory. */
export function bytesAccess(bytes: Uint8Array): RandomAccess {
  return {
    size: bytes.length,
    read: async (offset, length) => {
      checkRange({ size: bytes.length }, offset, length);
      return bytes.subarray(offset, offset + length);
    },
  };
}

/** A source of zeros, which needs no memory until they are read. */
export function zeros(size: number): RandomAccess {
  return readerOf(size, async (target) => {
    target.fill(0);
  });
}

export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** Whether a value of a document is an offset or a size in bytes. */
export function isByteCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** Whether the bytes at an offset are this text, one byte for each character. */
export async function hasTextAt(source: RandomAccess, offset: number, text: string): Promise<boolean> {
  if (source.size < offset + text.length) return false;
  return Buffer.from(await source.read(offset, text.length)).toString('latin1') === text;
}

/** The parts of a range that none of the other ranges covers, in order. */
export function gapsIn(range: ByteRange, covered: readonly ByteRange[]): ByteRange[] {
  const end = range.offset + range.length;
  const sorted = covered.toSorted((a, b) => a.offset - b.offset);
  const gaps: ByteRange[] = [];
  let { offset } = range;
  for (const next of [...sorted, { offset: end, length: 0 }]) {
    const length = Math.min(next.offset, end) - offset;
    if (length > 0) gaps.push({ offset, length });
    offset = Math.max(offset, next.offset + next.length);
  }
  return gaps;
}

/** Where a patch writes. */
export function patchRange(patch: Patch): ByteRange {
  return { offset: patch.offset, length: patchSource(patch).size };
}

/** A range of a source, as a source. */
export function slice(source: RandomAccess, { offset, length }: ByteRange): ImageBytes {
  return readerOf(
    length,
    (target, start) => readTo(source, target, offset + start),
    (range) => originOf(source, { offset: offset + range.offset, length: range.length }),
  );
}

/** Yields the bytes of a range in chunks. The next chunk is read while the current one is used. */
export function chunksOf(source: RandomAccess, range: ByteRange): AsyncGenerator<Uint8Array, void> {
  return readAhead(range, (offset, length) => source.read(offset, length));
}

/** Like `chunksOf`, but reuses memory: a chunk is valid only until the next one is requested. */
export function reusedChunks(source: RandomAccess, range: ByteRange): AsyncGenerator<Uint8Array, void> {
  const most = Math.min(CHUNK, range.length);
  let lent = Buffer.allocUnsafe(most);
  let free = most < range.length ? Buffer.allocUnsafe(most) : lent;
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
    chunk.catch(() => undefined); // the error is thrown later, where the chunk is awaited
    return chunk;
  };
  let next = readAt(range.offset);
  for (let offset = range.offset; next !== undefined; offset += CHUNK) {
    const chunk = await next;
    next = readAt(offset + CHUNK);
    yield chunk;
  }
}

async function readTo(source: RandomAccess, target: Uint8Array, offset: number): Promise<void> {
  if (source.readInto !== undefined) return source.readInto(target, offset);
  target.set(await source.read(offset, target.length));
}

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
    .toSorted((a, b) => a.offset - b.offset);
  let end = 0;
  for (const region of regions) {
    if (region.offset < end) throw new RangeError(`patches overlap at ${region.offset}`);
    end = region.end;
  }
  return regions;
}

/** Copies the part of `region` that is in the range of `target`. */
async function fill(target: Uint8Array, targetOffset: number, region: Region): Promise<void> {
  const start = Math.max(region.offset, targetOffset);
  const end = Math.min(region.end, targetOffset + target.length);
  if (start >= end) return;
  const part = target.subarray(start - targetOffset, end - targetOffset);
  await readTo(region.source, part, start - region.offset);
}

/** Throws if the range is outside of the source. */
export function checkRange({ size }: { readonly size: number }, offset: number, length: number): void {
  if (offset < 0 || length < 0 || offset + length > size || !Number.isSafeInteger(offset + length)) {
    throw new RangeError(`${length} bytes at ${offset} are not within ${size} bytes`);
  }
}

/** A source of bytes. */
export interface RandomAccess {
  /** Bytes. */
  readonly size: number;
  /** Reads exactly `length` bytes at `offset`; reading past the end is a defect of the caller. */
  read(offset: number, length: number): Promise<Uint8Array>;
  /** Fills `target`, which is faster than new memory for each read. */
  readonly readInto?: (target: Uint8Array, offset: number) => Promise<void>;
  /** Where the bytes of a range are stored: ranges with the same origin and length have the same bytes. */
  readonly origin?: (range: ByteRange) => Origin;
}

export interface Origin {
  readonly source: RandomAccess;
  readonly offset: number;
}

/** A source that can fill existing memory. */
export type ImageBytes = Required<RandomAccess>;

/** A source that is a whole image. */
export interface ImageAccess extends RandomAccess {
  /** A block device is larger than the image on it. */
  readonly isDevice?: boolean;
}

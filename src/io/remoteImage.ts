/**
 * Images on HTTP servers. Only the parts that are needed are fetched, in blocks, of which some are kept; a copy is
 * fetched by one request. Where a server knows no parts, the image is fetched once to a temporary file.
 */

import { type ByteRange, checkRange } from '../image/overlay.ts';
import {
  type Answer,
  brokenAnswer,
  defaultTimeout,
  parseSource,
  readBody,
  request,
  type Source,
} from './http.ts';
import type { ImageBytes, OpenImage } from './imageBytes.ts';
import { openSpooled } from './spooledImage.ts';

/** Large enough for few requests, and for all that tells an ISO to come with the first one. */
const BLOCK = 256 * 1024;
/** Blocks that are kept. */
const MAX_BLOCKS = 32;
/** Longer reads are not cut into blocks, nor kept. */
const LARGE = 2 * BLOCK;

/**
 * Opens the image at an http:// or https:// URL; `timeout` is in milliseconds.
 * @throws CliError in the user's terms; reading throws it too, where the file has become another meanwhile
 */
export async function openRemoteImage(url: string, timeout = defaultTimeout): Promise<OpenImage> {
  const source = parseSource(url, timeout);
  const answer = await request(source, { start: 0, end: BLOCK - 1 });
  if (answer.status === 200) return openSpooled(source.name, answer.parts);
  const size = answer.status === 416 ? 0 : answer.total;
  if (answer.status === 416) answer.cancel();
  if (size === undefined || answer.start !== 0) throw brokenAnswer(source.name);
  const remote: Remote = { source, size, version: answer.version };
  const blocks: Blocks = new Map();
  if (answer.status === 206) {
    blocks.set(
      0,
      Promise.resolve(await takePart(remote, answer, { offset: 0, length: Math.min(BLOCK, size) })),
    );
  }
  const read = async (offset: number, length: number): Promise<Uint8Array> => {
    checkRange({ size }, offset, length);
    return length > LARGE
      ? fetchRange(remote, { offset, length })
      : readBlocks(remote, blocks, { offset, length });
  };
  return {
    kind: 'remote',
    name: source.name,
    size,
    read,
    readInto: async (target, offset) => target.set(await read(offset, target.length)),
    inOrder: (use) => readInOrder(remote, use),
    close: async () => blocks.clear(),
  };
}

interface Remote {
  readonly source: Source;
  /** Bytes. */
  readonly size: number;
  /** That all answers have to have. */
  readonly version: string | null;
}

/** By number, the one that was used last at the end. */
type Blocks = Map<number, Promise<Uint8Array>>;

async function readBlocks(
  remote: Remote,
  blocks: Blocks,
  { offset, length }: ByteRange,
): Promise<Uint8Array> {
  const result = new Uint8Array(length);
  for (let start = offset; start < offset + length;) {
    const number = Math.floor(start / BLOCK);
    const inBlock = start - number * BLOCK;
    const block = await readBlock(remote, blocks, number);
    const piece = block.subarray(inBlock, inBlock + offset + length - start);
    result.set(piece, start - offset);
    start += piece.length;
  }
  return result;
}

function readBlock(remote: Remote, blocks: Blocks, number: number): Promise<Uint8Array> {
  const offset = number * BLOCK;
  const block =
    blocks.get(number) ?? fetchRange(remote, { offset, length: Math.min(BLOCK, remote.size - offset) });
  blocks.delete(number);
  blocks.set(number, block);
  const [oldest] = blocks.keys();
  if (blocks.size > MAX_BLOCKS && oldest !== undefined) blocks.delete(oldest);
  block.catch(() => blocks.delete(number)); // whoever waits for it hears of the failure
  return block;
}

async function fetchRange(remote: Remote, range: ByteRange): Promise<Uint8Array> {
  const { offset: start, length } = range;
  return takePart(remote, await request(remote.source, { start, end: start + length - 1 }), range);
}

/** The body of an answer to a request for a range, if it is just that of the same file. */
async function takePart(remote: Remote, answer: Answer, { offset, length }: ByteRange): Promise<Uint8Array> {
  const { source, size, version } = remote;
  const isSame = answer.status === 206 && answer.total === size && answer.version === version;
  if (!isSame || answer.start !== offset) {
    answer.cancel();
    throw brokenAnswer(source.name);
  }
  const body = await readBody(answer, source.name, length);
  if (body.length !== length) throw brokenAnswer(source.name);
  return body;
}

/** A file that is written to while it is read may keep its size, so it is looked at again when all has come. */
async function readInOrder<T>(remote: Remote, use: (bytes: ImageBytes) => Promise<T>): Promise<T> {
  const { source, size, version } = remote;
  const answer = await request(source);
  const parts = answer.parts[Symbol.asyncIterator]();
  try {
    const isSame = answer.status === 200 && (answer.total ?? size) === size && answer.version === version;
    if (!isSame) throw brokenAnswer(source.name);
    const result = await use(readStream(remote, parts));
    if (size > 0) await fetchRange(remote, { offset: size - 1, length: 1 });
    return result;
  } finally {
    answer.cancel();
  }
}

/** Reads one range behind the other. */
function readStream({ source, size }: Remote, parts: AsyncIterator<Uint8Array>): ImageBytes {
  let position = 0;
  let rest: Uint8Array = new Uint8Array();
  const readInto = async (target: Uint8Array, offset: number): Promise<void> => {
    if (offset !== position) throw new RangeError(`a stream at ${position} cannot be read at ${offset}`);
    position += target.length;
    for (let filled = 0; filled < target.length;) {
      if (rest.length === 0) {
        const part = await parts.next();
        if (part.done === true) throw brokenAnswer(source.name);
        rest = part.value;
      }
      const piece = rest.subarray(0, target.length - filled);
      target.set(piece, filled);
      filled += piece.length;
      rest = rest.subarray(piece.length);
    }
  };
  const read = async (offset: number, length: number): Promise<Uint8Array> => {
    const bytes = Buffer.allocUnsafe(length);
    await readInto(bytes, offset);
    return bytes;
  };
  return { size, read, readInto };
}

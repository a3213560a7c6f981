/**
 * Images on HTTP servers. Only the parts that are needed are fetched, in blocks, of which some are kept. Large reads that
 * follow each other, as those of a copy, share one request, or more where the connection breaks off. If a server ignores
 * ranges, the image is fetched once to a temporary file.
 */

import { quoteShellWord } from '../formats/shell.ts';
import { CliError } from '../core/errors.ts';
import { formatSizeInWords } from '../formats/messageText.ts';
import { type ByteRange, readerOf } from '../image/overlay.ts';
import { createHttpClient, type HttpAnswer, type HttpClient } from '../http/client/httpClient.ts';
import { parseHttpUrl } from '../http/client/httpUrl.ts';
import type { Io } from '../io/io.ts';
import { countRetries, defaultRetries, type RetryPolicy, withRetries } from '../http/client/retries.ts';
import type { OpenImage } from './openImage.ts';
import { openSpooled } from './spool.ts';

/** Large enough for few requests, and for reading all ISO metadata with the first request. */
const BLOCK = 256 * 1024;
/** Blocks that are kept. */
const MAX_BLOCKS = 32;
/** Larger reads are streamed, and not kept. */
const LARGE = 2 * BLOCK;

/** By what an image is fetched. */
export interface RemoteAccess {
  /** Is closed with the image. */
  readonly client: HttpClient;
  readonly policy: RetryPolicy;
}

/** By the proxies of the environment, and telling on standard error what is tried again. */
export function accessFor(io: Partial<Io>): RemoteAccess {
  const say = (text: string): void => void io.stderr?.write(`${text}\n`);
  return { client: createHttpClient(io), policy: { ...defaultRetries, signal: io.signal, say } };
}

/**
 * Opens the image at an http:// or https:// URL.
 * @throws CliError; reading throws it too, where the file has become another meanwhile
 */
export async function openRemoteImage(url: string, access: RemoteAccess): Promise<OpenImage> {
  const { client, policy } = access;
  try {
    const { name } = parseHttpUrl(url);
    return await withRetries(policy, () => openOnce({ ...access, url: new URL(url), name }));
  } catch (error) {
    await client.close();
    throw error;
  }
}

interface Remote extends RemoteAccess {
  readonly url: URL;
  /** The URL as it may be shown. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** That all answers have to have. */
  readonly version: string | undefined;
  /** By number, the one that was used last at the end. */
  readonly blocks: Map<number, Promise<Uint8Array>>;
}

type RemoteFile = Omit<Remote, 'blocks' | 'size' | 'version'>;

async function openOnce(file: RemoteFile): Promise<OpenImage> {
  const { client, url } = file;
  const answer = await client.get(url, { headers: rangeHeader({ offset: 0, length: BLOCK }) });
  if (answer.status === 200) return openWhole(file, answer, 'the server ignores range requests');
  if (statesNoSize(answer)) {
    answer.dismiss();
    const whole = await client.get(url);
    if (whole.status === 200) return openWhole(file, whole, 'the server does not state the size of the file');
    whole.dismiss();
    throw brokenAnswer(file);
  }
  const size = answer.status === 416 ? 0 : placeOf(answer).total;
  const remote: Remote = { ...file, size, version: versionOf(answer), blocks: new Map() };
  if (answer.status === 416) answer.dismiss();
  else {
    const first = new Uint8Array(Math.min(BLOCK, size));
    await takeRange(remote, answer, first, 0);
    remote.blocks.set(0, Promise.resolve(first));
  }
  return imageOf(remote);
}

/** @param reason why the file is not fetched in parts */
async function openWhole(
  { client, name, policy }: RemoteFile,
  answer: HttpAnswer,
  reason: string,
): Promise<OpenImage> {
  const { total } = placeOf(answer);
  const size = total === 0 ? 'of unknown size' : formatSizeInWords(total);
  policy.say(`${name}: ${reason}; downloading the whole file (${size})`);
  const image = await openSpooled(name, answer.parts, total).catch((error: unknown) => {
    answer.dismiss();
    throw error;
  });
  await client.close();
  return image;
}

function imageOf(remote: Remote): OpenImage {
  const { blocks, name, size, client } = remote;
  let stream: Stream | undefined;
  let streaming = Promise.resolve();
  const readStream = async (target: Uint8Array, offset: number): Promise<void> => {
    let current = stream;
    stream = undefined; // one that fails is not continued
    if (current?.position() !== offset) {
      current?.close();
      current = openStream(remote, offset);
    }
    await current.read(target);
    stream = current;
  };
  const readInto = async (target: Uint8Array, offset: number): Promise<void> => {
    if (target.length <= LARGE && stream?.position() !== offset) return readBlocks(remote, target, offset);
    streaming = streaming.catch(() => undefined).then(() => readStream(target, offset));
    return streaming;
  };
  // A file that is written to while it is streamed may keep its size; all other responses have been compared.
  const checkUnchanged = async (): Promise<void> => {
    if (stream !== undefined) await fetchRange(remote, new Uint8Array(1), size - 1);
  };
  const close = async (): Promise<void> => {
    stream?.close();
    blocks.clear();
    await client.close();
  };
  return { name, ...readerOf(size, readInto), checkUnchanged, close };
}

/** @param offset place in the image of the bytes that fill `target`; also below */
async function readBlocks(remote: Remote, target: Uint8Array, offset: number): Promise<void> {
  for (let filled = 0; filled < target.length;) {
    const number = Math.floor((offset + filled) / BLOCK);
    const inBlock = offset + filled - number * BLOCK;
    const block = await readBlock(remote, number);
    const piece = block.subarray(inBlock, inBlock + target.length - filled);
    target.set(piece, filled);
    filled += piece.length;
  }
}

function readBlock(remote: Remote, number: number): Promise<Uint8Array> {
  const { blocks, size } = remote;
  const offset = number * BLOCK;
  const block =
    blocks.get(number) ?? fetchRange(remote, new Uint8Array(Math.min(BLOCK, size - offset)), offset);
  blocks.delete(number);
  blocks.set(number, block);
  const [oldest] = blocks.keys();
  if (blocks.size > MAX_BLOCKS && oldest !== undefined) blocks.delete(oldest);
  block.catch(() => blocks.delete(number)); // the caller that awaits the block gets the error
  return block;
}

/** Returns `target`. */
async function fetchRange(remote: Remote, target: Uint8Array, offset: number): Promise<Uint8Array> {
  const { client, policy, url } = remote;
  const headers = rangeHeader({ offset, length: target.length });
  await withRetries(policy, async () =>
    takeRange(remote, await client.get(url, { headers }), target, offset),
  );
  return target;
}

/** The body of an answer to a request for a range, if it is just that of the same file. */
async function takeRange(
  remote: Remote,
  answer: HttpAnswer,
  target: Uint8Array,
  offset: number,
): Promise<void> {
  checkAnswer(remote, answer, offset);
  let filled = 0;
  for await (const part of answer.parts) {
    if (filled + part.length > target.length) throw brokenAnswer(remote);
    target.set(part, filled);
    filled += part.length;
  }
  if (filled < target.length) throw brokenAnswer(remote);
}

/** Reads the image from an offset to its end. */
interface Stream {
  /** Offset of the next byte in the image. */
  readonly position: () => number;
  readonly read: (target: Uint8Array) => Promise<void>;
  readonly close: () => void;
}

/** Where the connection breaks off, another one brings the rest. */
function openStream(remote: Remote, start: number): Stream {
  let position = start;
  let received = start;
  let rest: Uint8Array = new Uint8Array();
  let answer: HttpAnswer | undefined;
  let parts: AsyncIterator<Uint8Array> | undefined;
  const retry = countRetries(remote.policy, () => received);
  const nextPart = async (): Promise<Uint8Array> => {
    if (parts === undefined) {
      answer = await requestFrom(remote, received);
      parts = answer.parts[Symbol.asyncIterator]();
    }
    try {
      const part = await parts.next();
      if (part.done === true) throw brokenAnswer(remote);
      received += part.value.length;
      return part.value;
    } catch (error) {
      parts = undefined;
      throw error;
    }
  };
  const read = async (target: Uint8Array): Promise<void> => {
    for (let filled = 0; filled < target.length;) {
      if (rest.length === 0) rest = await retry(nextPart);
      const piece = rest.subarray(0, target.length - filled);
      target.set(piece, filled);
      filled += piece.length;
      rest = rest.subarray(piece.length);
    }
    position += target.length;
  };
  return { position: () => position, read, close: () => answer?.dismiss() };
}

/** A request for the whole file has no range, which every server supports best. */
async function requestFrom(remote: Remote, offset: number): Promise<HttpAnswer> {
  const { client, url, size } = remote;
  const headers = offset === 0 ? {} : rangeHeader({ offset, length: size - offset });
  const answer = await client.get(url, { headers });
  checkAnswer(remote, answer, offset);
  return answer;
}

/** Whether it is of the same file, and starts there. */
function checkAnswer(remote: Remote, answer: HttpAnswer, offset: number): void {
  const { start, total } = placeOf(answer, remote.size);
  const isRight = start === offset && total === remote.size && versionOf(answer) === remote.version;
  if (answer.status !== 416 && isRight) return;
  answer.dismiss();
  throw brokenAnswer(remote);
}

/**
 * Where the body starts, and the bytes of the whole file; `size` is taken for these where the server sends all of it, but does
 * not say how much that is.
 */
function placeOf(
  { status, headers }: HttpAnswer,
  size = 0,
): { readonly start: number; readonly total: number } {
  if (status === 200) {
    const length = /^\d{1,15}$/.exec(headers.get('content-length') ?? '')?.[0];
    return { start: 0, total: length === undefined ? size : Number(length) };
  }
  const [, start = '0', total = '0'] =
    /^bytes (\d{1,15})-\d{1,15}\/(\d{1,15})$/.exec(headers.get('content-range') ?? '') ?? [];
  return { start: Number(start), total: Number(total) };
}

/** RFC 9110, section 14.4: a server that does not know the size of the file sends `*` in its place. */
function statesNoSize({ headers, status }: HttpAnswer): boolean {
  return status === 206 && headers.get('content-range')?.endsWith('/*') === true;
}

/** A different value means different content. */
function versionOf({ headers }: HttpAnswer): string | undefined {
  return headers.get('etag') ?? headers.get('last-modified');
}

function rangeHeader({ offset, length }: ByteRange): Readonly<Record<string, string>> {
  return { range: `bytes=${offset}-${offset + length - 1}` };
}

/** For an answer that does not belong to those before it. */
function brokenAnswer({ name }: RemoteFile): CliError {
  return new CliError(`File changed on the server, or the response is invalid: ${name}`, {
    code: 'ERR_IMAGE_CHANGED',
    hint: `run the command again, or download the file first: curl -fLO ${quoteShellWord(name)}`,
  });
}

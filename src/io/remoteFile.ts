/**
 * Files on HTTP servers: read from anywhere by Range requests where the server knows them, else fetched as a whole within
 * a limit. TLS is verified, redirects are followed. User names, passwords and queries of URLs are never shown. Left out:
 * proxies, and resuming what broke off.
 */

import { bytesAccess, checkRange } from '../image/overlay.ts';
import type { RandomAccess } from '../image/randomAccess.ts';
import type { Expected } from './files.ts';
import { type Answer, brokenAnswer, parseSource, type Range, readBody, request, type Source } from './http.ts';

export interface RemoteFile extends RandomAccess {
  /** The URL as it may be shown. */
  readonly name: string;
}

/** Without an answer, or between two parts of one. */
const defaultTimeout = 30_000;
/** Bytes that are asked for first; more than the places hold by which an ISO is told. */
const firstBytes = 64 * 1024;

/**
 * Opens a file at an http:// or https:// URL; `timeout` is in milliseconds. Where the server sends everything or
 * nothing, the limit of `expected` counts.
 * @throws CliError in the user's terms
 */
export async function openRemoteFile(
  url: string,
  { what, maxBytes }: Expected,
  timeout = defaultTimeout,
): Promise<RemoteFile> {
  const source = parseSource(url, timeout);
  const { name } = source;
  const first = await requestRange(source, { start: 0, end: firstBytes - 1 }, maxBytes);
  if (first.status === 416) return { name, ...bytesAccess(new Uint8Array()) };
  if (first.status === 200) return { name, ...bytesAccess(first.body) };
  const { body: head, total: size } = first;
  if (first.start !== 0 || size === undefined || size < head.length) throw brokenAnswer(name);
  const read = async (offset: number, length: number): Promise<Uint8Array> => {
    checkRange({ size }, offset, length);
    const end = offset + length;
    if (end <= head.length) return head.subarray(offset, end);
    const part = await requestRange(source, { start: offset, end: end - 1 }, length);
    const isSame = part.status === 206 && part.total === size && part.version === first.version;
    if (!isSame || part.start !== offset || part.body.length !== length) throw brokenAnswer(name, what);
    return part.body;
  };
  return { name, size, read };
}

/** An answer that has been read. */
interface WholeAnswer extends Omit<Answer, 'parts' | 'cancel'> {
  readonly body: Uint8Array;
}

/** A part, or all where the server knows no parts; the body has no more than `maxBytes`. */
async function requestRange(source: Source, range: Range, maxBytes: number): Promise<WholeAnswer> {
  const answer = await request(source, range);
  return { ...answer, body: await readBody(answer, source.name, maxBytes) };
}

/** Contents as the data URL that Butane chooses: the shortest of percent-encoded, base64, and base64 of gzip. */

import { encodeGzip } from '../formats/gzip.ts';
import type { Resource } from '../ignition/config.ts';

/**
 * The source of contents, and their compression: an empty one prevents that a merged config inherits another. Source:
 * `MakeDataURL` in Butane's `base/util/url.go`.
 * @param compression of the contents as given: nothing is compressed twice
 */
export function dataUrlOf(contents: Uint8Array, compression = ''): Resource {
  const bytes = Buffer.from(contents.buffer, contents.byteOffset, contents.byteLength);
  const escapedLength = bytes.reduce((length, byte) => length + (isUnreserved(byte) ? 1 : 3), 1);
  const base64Length = BASE64_PREFIX.length + Math.ceil(bytes.length / 3) * 4;
  const shortest = Math.min(escapedLength, base64Length);
  if (compression === '' && shortest > SHORTEST_GZIP) {
    const packed = `${BASE64_PREFIX}${Buffer.from(encodeGzip(bytes)).toString('base64')}`;
    if (packed.length + 'gzip'.length < shortest) return { source: `data:${packed}`, compression: 'gzip' };
  }
  const source =
    base64Length < escapedLength ? `data:${BASE64_PREFIX}${bytes.toString('base64')}` : percentEncoded(bytes);
  return { source, compression };
}

const BASE64_PREFIX = ';base64,';

/** Header and trailer of gzip alone, in base64, are longer. */
const SHORTEST_GZIP = 32;

/** The form of version 1.0.0 for all contents. */
export function percentEncoded(bytes: Uint8Array): string {
  const parts = Array.from(bytes, (byte) =>
    isUnreserved(byte) ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
  );
  return `data:,${parts.join('')}`;
}

/** Letters, digits and `-_.!~*'()`, as in RFC 2396. */
function isUnreserved(byte: number): boolean {
  return unreserved[byte] === 1;
}

const unreserved = new Uint8Array(256);
for (const byte of Buffer.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!~*'()")) {
  unreserved[byte] = 1;
}

/** Contents as the data URL that Butane chooses: the shortest of percent-encoded, base64, and base64 of gzip. */

import { encodeGzip } from '../formats/gzip.ts';
import type { Resource } from '../ignition/config.ts';
import { base64DataUrl } from '../ignition/dataFile.ts';

/**
 * The source of contents, and their compression: an empty one prevents that a merged config inherits another. Source:
 * `MakeDataURL` in Butane's `base/util/url.go`.
 * @param compression of the contents as given: nothing is compressed twice
 */
export function dataUrlOf(contents: Uint8Array, compression = ''): Resource {
  const [escaped, encoded] = [percentEncoded(contents), base64DataUrl(contents)];
  const source = encoded.length < escaped.length ? encoded : escaped;
  if (compression === '') {
    const packed = base64DataUrl(encodeGzip(contents));
    if (packed.length + 'gzip'.length < source.length) return { source: packed, compression: 'gzip' };
  }
  return { source, compression };
}

/** The form of version 1.0.0 for all contents: letters, digits and `-_.!~*'()` are as they are (RFC 2396). */
export function percentEncoded(contents: Uint8Array): string {
  const text = Buffer.from(contents).toString('latin1');
  const escaped = text.replaceAll(
    /[^\w.!~*'()-]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
  return `data:,${escaped}`;
}

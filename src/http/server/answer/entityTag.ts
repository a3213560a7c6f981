/** The entity tag of an image, computed from the digest of its base image and all changes, without reading the whole image. */

import { createHash } from 'node:crypto';
import type { ImageChange } from '../../../image/imageChange.ts';
import { chunksOf, patchSource, type RandomAccess } from '../../../image/overlay.ts';

export interface TaggedImage {
  /** Identifies the base image: its kind and SHA-256. */
  readonly base: string;
  readonly changes: readonly ImageChange[];
  /** Known digests of large data, which are then not read. */
  readonly known?: ReadonlyMap<RandomAccess, string>;
}

/** A strong entity tag (RFC 9110, section 8.8.1), including its quotes. */
export async function imageTag({ base, changes, known }: TaggedImage): Promise<string> {
  const hash = createHash('sha256').update(base);
  for (const { patches, size } of changes) {
    for (const { offset, data } of patches) {
      const source = patchSource({ offset, data });
      hash.update(`\n${offset} ${source.size} `);
      const digest = data instanceof Uint8Array ? undefined : known?.get(data);
      if (digest !== undefined) hash.update(digest);
      else {
        const all = { offset: 0, length: source.size };
        for await (const chunk of chunksOf(source, all)) hash.update(chunk);
      }
    }
    hash.update(`\nsize ${size ?? 'as it is'}`);
  }
  return quoted(hash.digest());
}

export function bytesTag(bytes: Uint8Array): string {
  return quoted(createHash('sha256').update(bytes).digest());
}

export function digestTag(sha256: string): string {
  return quoted(Buffer.from(sha256, 'hex'));
}

/** Long enough to be unique, and short in a log. */
const TAG_BYTES = 18;

function quoted(digest: Buffer): string {
  return `"${digest.subarray(0, TAG_BYTES).toString('base64url')}"`;
}

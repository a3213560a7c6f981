/**
 * The stream hash of a root filesystem: the builder of CoreOS (stage org.osbuild.coreos.live-artifacts) writes it into the initramfs,
 * and the live system checks it (35coreos-live of fedora-coreos-config).
 */

import { createHash } from 'node:crypto';
import type { RandomAccess } from './overlay.ts';

/** The digests of a file, block by block. */
export interface StreamHash {
  /** Bytes of a block. */
  readonly block: number;
  /** Hexadecimal SHA-256 of each block. */
  readonly digests: readonly string[];
}

/** Limit of the output in bytes; a gigabyte takes about 32 KiB. */
const MAX_OUTPUT = 1024 * 1024;

/** Reads the output of `rdcore stream-hash`; undefined for another format. */
export function parseStreamHash(output: Uint8Array): StreamHash | undefined {
  const text = Buffer.from(output.subarray(0, MAX_OUTPUT)).toString('latin1');
  const [title = '', ...digests] = text.trim().split('\n');
  const [, block = ''] = /^stream-hash sha256 ([1-9]\d{0,8})$/.exec(title) ?? [];
  const isValid = block !== '' && digests.length > 0 && digests.every((it) => /^[0-9a-f]{64}$/.test(it));
  return isValid ? { block: Number(block), digests } : undefined;
}

/** Whether a file has this stream hash. Compares the size, the first block and the last one, which differ between builds. */
export async function hasStreamHash(file: RandomAccess, { block, digests }: StreamHash): Promise<boolean> {
  if (Math.ceil(file.size / block) !== digests.length) return false;
  for (const index of new Set([0, digests.length - 1])) {
    const offset = index * block;
    const bytes = await file.read(offset, Math.min(block, file.size - offset));
    if (createHash('sha256').update(bytes).digest('hex') !== digests[index]) return false;
  }
  return true;
}

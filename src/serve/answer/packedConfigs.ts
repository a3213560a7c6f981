/**
 * The configs of all hosts in little memory. They are alike but for a few lines, so each is packed against the first one:
 * ten thousand of them take some megabytes.
 */

import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** Configs by the name of the host. */
export interface PackedConfigs {
  add(host: string, config: Uint8Array): void;
  /** Undefined for a host that is not there. */
  get(host: string): Uint8Array | undefined;
  /** Bytes that all of them take. */
  readonly size: number;
}

/** What deflate can look back at: of a longer text, its end. */
const WINDOW = 32 * 1024;

interface Packed {
  readonly bytes: Uint8Array;
  /** Bytes when unpacked. */
  readonly length: number;
}

export function createPackedConfigs(): PackedConfigs {
  const packed = new Map<string, Packed>();
  let dictionary: Buffer | undefined;
  let size = 0;
  return {
    add: (host, config) => {
      dictionary ??= Buffer.from(config.subarray(-WINDOW));
      // Memory of its own: neither the spare room of zlib's, nor a piece of the pool, which would keep all of that.
      const bytes = new Uint8Array(deflateRawSync(config, { dictionary }));
      size += bytes.length - (packed.get(host)?.bytes.length ?? 0);
      packed.set(host, { bytes, length: config.length });
    },
    get: (host) => {
      const found = packed.get(host);
      if (found === undefined || dictionary === undefined) return undefined;
      return inflateRawSync(found.bytes, { dictionary, maxOutputLength: Math.max(1, found.length) });
    },
    get size() {
      return size;
    },
  };
}

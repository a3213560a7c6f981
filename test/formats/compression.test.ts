import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ByteReader, sourceOfBytes } from '../../src/formats/byteReader.ts';
import { compressionAt, decompress, unpackMember } from '../../src/formats/compression.ts';
import { detectCompression } from '../../src/formats/compressionFormat.ts';
import { decoded } from '../support/decoding.ts';
import { storeXz } from '../support/xzStreams.ts';
import { survivesNoise } from './damage.ts';

const decode = (bytes: Uint8Array): unknown => decompress(bytes, 1 << 16);
const hello = Buffer.from('hello');
const samples: readonly (readonly [string, Uint8Array])[] = [
  ['gzip', gzipSync(hello)],
  ['xz', storeXz(hello)],
  ['zstd', Buffer.from('28b52ffd2005290000' + hello.toString('hex'), 'hex')],
];

describe('detectCompression', () => {
  it.each([
    ...samples,
    ['zstd', Buffer.from('502a4d1800000000', 'hex')],
    ['none', Buffer.from('070701')],
    ['none', Buffer.alloc(0)],
    ['none', Buffer.from('fd377a585a', 'hex')],
    ['none', Buffer.from('BZh9')],
  ] as const)('%s', (format, bytes) => {
    expect(detectCompression(bytes)).toBe(format);
  });
});

describe('compressionAt', () => {
  it.each<readonly [string, Uint8Array]>([
    ...samples,
    ['zstd', Buffer.from('502a4d1800000000', 'hex')],
    ['none', Buffer.from('070701')],
    ['none', Buffer.alloc(0)],
    ['none', Buffer.from('fd377a585a', 'hex')],
  ])('%s behind other bytes', async (format, bytes) => {
    const reader = new ByteReader('file', sourceOfBytes(Buffer.concat([Buffer.from('..'), bytes])));
    await reader.skip(2);
    expect(await compressionAt(reader)).toBe(format);
    expect(reader.offset).toBe(2);
  });
});

describe('decompress', () => {
  it.each(samples)('%s, up to what follows', async (format, bytes) => {
    const rest = Buffer.from(format === 'none' ? '' : '\x00\x00070701');
    const data = await decompress(Buffer.concat([bytes, rest]), 100);
    expect(Buffer.from(data).toString()).toBe('hello');
  });

  it.each(samples)('%s: all members, which keep to one limit', async (_format, bytes) => {
    const members = Buffer.concat([bytes, gzipSync(hello), bytes]);
    expect(Buffer.from(await decompress(members, 15)).toString()).toBe('hellohellohello');
    await expect(decompress(members, 14)).rejects.toThrow('data decompresses to more than 4 bytes');
  });

  it('none: all as it is, whatever the limit', async () => {
    expect(await decompress(Buffer.from('hello'), 1)).toEqual(Buffer.from('hello'));
  });

  it.each(samples)('%s keeps to the limit', async (format, bytes) => {
    const message = `The ${format} data decompresses to more than 4 bytes`;
    await expect(decompress(bytes, 4)).rejects.toThrow(message);
  });

  it.each(samples)('%s survives noise', async (_format, bytes) => {
    await expect(survivesNoise(bytes.subarray(0, 6), decode)).resolves.toBeUndefined();
  });
});

describe('unpackMember', () => {
  const packed = samples.flatMap(([format, bytes]) =>
    format === 'gzip' || format === 'xz' || format === 'zstd' ? [[format, bytes] as const] : [],
  );

  it.each(packed)('%s, from an offset and up to what follows', async (format, bytes) => {
    expect(await unpack(format, bytes)).toEqual({
      text: 'hello',
      end: 2 + bytes.length,
    });
  });

  it.each(packed)('%s keeps to the limit', async (format, bytes) => {
    await expect(unpack(format, bytes, 4)).rejects.toThrow(
      `The ${format} data decompresses to more than 4 bytes`,
    );
  });
});

async function unpack(format: 'gzip' | 'xz' | 'zstd', bytes: Uint8Array, maxBytes = 100) {
  const all = Buffer.concat([Buffer.from('..'), bytes, Buffer.from('070701')]);
  const { data, end } = await decoded((reader) => unpackMember(format, reader, maxBytes), all, 2);
  return { text: Buffer.from(data).toString(), end };
}

import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { inputOfBytes } from '../../src/formats/byteFeed.ts';
import { compressionAt, decompress, detectCompression, unpackMember } from '../../src/formats/compression.ts';
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
    const input = inputOfBytes('file', Buffer.concat([Buffer.from('..'), bytes]), 2);
    expect(await compressionAt(input)).toBe(format);
    expect(input.feed.offset).toBe(2);
  });
});

describe('decompress', () => {
  it.each(samples)('%s, up to what follows', async (format, bytes) => {
    const rest = Buffer.from(format === 'none' ? '' : '\x00\x00070701');
    const data = await decompress(Buffer.concat([bytes, rest]), 100);
    expect(Buffer.from(data).toString()).toBe('hello');
  });

  it('none: all as it is, whatever the limit', async () => {
    expect(await decompress(Buffer.from('hello'), 1)).toEqual(Buffer.from('hello'));
  });

  it.each(samples)('%s keeps to the limit', async (format, bytes) => {
    const message = `The ${format} data decompresses to more than 4 bytes`;
    await expect(decompress(bytes, 4)).rejects.toThrow(message);
  });

  it('xz with a larger dictionary than streams may have', async () => {
    const data = new Uint8Array((64 << 20) + 1);
    const { length } = await decompress(storeXz(data), data.length);
    expect(length).toBe(data.length);
  });

  it.each(samples)('%s survives noise', async (_format, bytes) => {
    await expect(survivesNoise(bytes.subarray(0, 6), decode)).resolves.toBeUndefined();
  });
});

describe('unpackMember', () => {
  const packed = samples.flatMap(([format, bytes]) =>
    format === 'gzip' || format === 'xz' || format === 'zstd' ? [[format, bytes] as const] : [],
  );

  it.each(packed)('%s, from an offset and up to what follows, and counts it', async (format, bytes) => {
    expect(await unpack(format, bytes)).toEqual({
      text: 'hello',
      end: 2 + bytes.length,
      streams: { left: 2 },
    });
  });

  it.each(packed)('%s keeps to the limit', async (format, bytes) => {
    await expect(unpack(format, bytes, { maxBytes: 4 })).rejects.toThrow(
      `The ${format} data decompresses to more than 4 bytes`,
    );
  });

  it.each(packed)('%s keeps to the number of streams', async (format, bytes) => {
    await expect(unpack(format, bytes, { left: 0 })).rejects.toThrow(
      'The compressed data contains too many streams at byte 2',
    );
  });
});

async function unpack(format: 'gzip' | 'xz' | 'zstd', bytes: Uint8Array, { maxBytes = 100, left = 3 } = {}) {
  const input = inputOfBytes('file', Buffer.concat([Buffer.from('..'), bytes, Buffer.from('070701')]), 2);
  const streams = { left };
  let text = '';
  for await (const piece of unpackMember(format, input, { maxBytes, streams })) {
    text += Buffer.from(piece).toString();
  }
  return { text, end: input.feed.offset, streams };
}

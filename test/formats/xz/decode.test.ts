import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { decodeXz } from '../../support/decoding.ts';
import { have, oracleNote } from '../../support/programs.ts';
import { sharedData, sharedDataNote } from '../../support/sharedData.ts';
import { recordedXz, storeXz, uint32 } from '../../support/xzStreams.ts';
import { configText, refusesTruncation, survivesBitFlips, survivesNoise } from '../damage.ts';

const limit = 1 << 20;
const text = configText(40);
const stream = recordedXz;

function xz(options: readonly string[], input: Uint8Array): Buffer {
  return spawnSync('xz', ['-c', ...options], { input, maxBuffer: 1 << 28 }).stdout;
}

/** Text, noise that LZMA2 stores, and text again. */
const mixed = Buffer.concat([
  text,
  Uint8Array.from(
    { length: 100_000 },
    (_, index) => (Math.imul(index ^ (index >> 3), 0x9e37_79b1) >>> 13) & 0xff,
  ),
  text,
]);

describe.skipIf(!have('xz'))(`decodeXz against xz${oracleNote('xz')}`, () => {
  it.each([
    ['the default', ['-6']],
    ['the largest dictionary', ['-9e']],
    ['a fast parser', ['-0']],
    ['no check', ['--check=none']],
    ['CRC32', ['--check=crc32']],
    ['CRC64', ['--check=crc64']],
    ['SHA-256', ['--check=sha256']],
    ['blocks of 10 kB', ['--block-size=10000']],
    ['blocks with their sizes in the header', ['-T2', '--block-size=50000']],
    ['other literal and position bits', ['--lzma2=preset=6,lc=0,lp=4,pb=4']],
    ['no position bits', ['--lzma2=preset=6,lc=4,lp=0,pb=0']],
    ['a dictionary of 4 KiB', ['--lzma2=preset=6,dict=4KiB']],
  ])('reads %s', async (_name, options) => {
    const compressed = xz(options, mixed);
    const { data, end } = await decodeXz(compressed, limit);
    expect(data).toEqual(mixed);
    expect(end).toBe(compressed.length);
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['one byte', Buffer.from('x')],
    ['zeros', Buffer.alloc(300_000)],
  ])('reads %s', async (_name, data) => {
    expect((await decodeXz(xz([], data), limit)).data).toEqual(data);
  });

  it.each([
    ['--x86', '0x4'],
    ['--arm', '0x7'],
    ['--delta=dist=4', '0x3'],
  ])('refuses %s by its ID', async (option, id) => {
    const refused = `The xz block header data uses the filter ${id}, only LZMA2 is supported, at byte 14`;
    await expect(decodeXz(xz([option, '--lzma2'], text), limit)).rejects.toThrow(refused);
  });
});

describe.skipIf(sharedData === undefined || !have('xz'))(
  `decodeXz of real images${sharedDataNote}${oracleNote('xz')}`,
  () => {
    const folder = join(sharedData ?? '', 'iso');
    const names = sharedData === undefined ? [] : readdirSync(folder).filter((name) => name.endsWith('.xz'));
    it.each(names)('%s', async (name) => {
      const compressed = readFileSync(join(folder, name));
      const { data, end } = await decodeXz(compressed, 1 << 28);
      expect(data).toEqual(xz(['-d'], compressed));
      expect(end).toBe(compressed.length);
    });
  },
);

/** 300 blocks, more than are compared one by one; of one byte each but for the first. */
const many = (first: number): Buffer =>
  storeXz(text.subarray(0, first), ...Array.from({ length: 299 }, () => text.subarray(0, 1)));

describe('decodeXz', () => {
  it('refuses content that requires a larger dictionary than that of xz -9', async () => {
    const most = 64 * 1024 * 1024;
    const bytes = storeXz(Buffer.alloc(most + 1));
    bytes[16] = 30; // states a dictionary of 128 MiB
    bytes.writeUInt32LE(crc32(bytes.subarray(12, 20)), 20);
    await expect(decodeXz(bytes, 2 * most)).rejects.toThrow(
      `The xz data requires a larger dictionary than ${most} bytes at byte `,
    );
  });

  it('decodes one stream from an offset and says where it ends', async () => {
    const bytes = Buffer.concat([Buffer.from('before'), stream, stream, Buffer.alloc(3)]);
    const { data, end } = await decodeXz(bytes, limit, 6);
    expect(data).toEqual(text.subarray(0, 1500));
    expect(end).toBe(6 + stream.length);
  });

  it('fits a limit exactly', async () => {
    expect((await decodeXz(stream, 1500)).data).toHaveLength(1500);
  });

  it.each([1499, 0])('keeps to a limit of %i bytes', async (maxBytes) => {
    const message = `The xz data decompresses to more than ${maxBytes} bytes`;
    await expect(decodeXz(stream, maxBytes)).rejects.toThrow(message);
  });

  const changed = (offset: number, byte: number): Uint8Array => {
    const bytes = Uint8Array.from(stream);
    bytes.set([byte], offset < 0 ? bytes.length + offset : offset);
    return bytes;
  };

  it.each([
    ['another magic number', changed(1, 0), 'The xz data lacks the magic number at byte 0'],
    ['damaged stream flags', changed(7, 1), 'The xz data has a damaged stream header at byte 8'],
    ['a damaged block header', changed(14, 9), 'The xz data has a damaged block header at byte 20'],
    ['an unknown chunk', changed(24, 3), 'The xz data has an unknown kind of LZMA2 chunk at byte 24'],
    [
      'a chunk before a reset',
      changed(24, 0x80),
      'The xz data has an LZMA2 chunk that lacks a reset at byte 24',
    ],
    [
      'LZMA properties out of range',
      changed(29, 224),
      'The xz data has LZMA properties that LZMA2 does not allow at byte 29',
    ],
    [
      'corrupt data',
      changed(60, 0xaa),
      /^The xz data (is corrupt in the LZMA2 chunk|does not match its crc64 checksum) at byte \d+$/,
    ],
    ['a damaged footer', changed(-1, 0), /^The xz data has a damaged stream footer at byte \d+$/],
    ['a cut', stream.subarray(0, 50), 'The xz data is truncated at byte 50'],
    ['nothing', new Uint8Array(0), 'The xz data is truncated at byte 0'],
  ])('refuses %s', async (_name, bytes, message) => {
    await expect(decodeXz(bytes, limit)).rejects.toThrow(message);
  });

  it('refuses an index that lists other blocks', async () => {
    const one = storeXz(text.subarray(0, 1000));
    const other = storeXz(text.subarray(0, 1001));
    const joined = Buffer.concat([one.subarray(0, -24), other.subarray(-24)]);
    await expect(decodeXz(joined, limit)).rejects.toThrow('has an index that does not match its blocks');
  });

  it('refuses an index that lists blocks of an empty stream', async () => {
    const bytes = storeXz();
    bytes.writeUInt8(5, 13);
    bytes.writeUInt32LE(crc32(bytes.subarray(12, 16)), 16);
    await expect(decodeXz(bytes, limit)).rejects.toThrow(
      'has an index that does not match its blocks at byte 12',
    );
  });

  it('reads a stream of many blocks', async () => {
    expect((await decodeXz(many(2), limit)).data).toHaveLength(301);
  });

  it('refuses an index that lists another block before many', async () => {
    const [right, wrong] = [many(2), many(3)];
    const index = (right.readUInt32LE(right.length - 8) + 1) * 4 + 12;
    const joined = Buffer.concat([right.subarray(0, -index), wrong.subarray(-index)]);
    await expect(decodeXz(joined, limit)).rejects.toThrow('has an index that does not match its blocks');
  });

  it.each([
    ['a flag', [1, 1]],
    ['a kind of check', [0, 5]],
  ])('refuses %s that is not known', async (_title, flags) => {
    const header = [...stream.subarray(0, 6), ...flags, ...uint32(crc32(Uint8Array.from(flags)))];
    await expect(decodeXz(Uint8Array.from([...header, 0]), limit)).rejects.toThrow(
      'The xz data has stream flags that are not supported at byte 6',
    );
  });

  const endless = Array.from({ length: 9 }, () => 0x80);
  it.each([
    ['unknown flags', [0x04, 0x21, 1, 0], 'The xz block header data has unknown block flags at byte 13'],
    ['a second filter', [0x01, 0x21, 1, 0], 'uses filters other than LZMA2'],
    ['an unknown filter', [0x00, 0x30, 0], 'uses the filter 0x30, only LZMA2 is supported, at byte 14'],
    ['a dictionary of no size', [0x00, 0x21, 1, 41], 'has an invalid dictionary size at byte 16'],
    ['properties of two bytes', [0x00, 0x21, 2, 0, 0], 'has an invalid dictionary size at byte 16'],
    ['a number with a byte too many', [0x40, 0x80, 0, 0x21, 1, 0], 'has a malformed number at byte 14'],
    ['a number without end', [0x40, ...endless, 0x21, 1, 0], 'has a malformed number at byte 14'],
    ['fields that are not known', [0x00, 0x21, 1, 0, 1], 'has unknown fields at byte 17'],
    [
      'another compressed size',
      [0x40, 1, 0x21, 1, 0],
      'does not match the sizes in the block header at byte 12',
    ],
    ['another size', [0x80, 1, 0x21, 1, 0], 'does not match the sizes in the block header at byte 12'],
    [
      'a size beyond the limit',
      [0x80, 0x81, 0x80, 0x40, 0x21, 1, 0],
      'decompresses to more than 1048576 bytes',
    ],
  ])('refuses a block header with %s', async (_title, fields, message) => {
    await expect(decodeXz(withBlockHeader(fields), limit)).rejects.toThrow(message);
  });

  it('reads a block whose header tells the sizes', async () => {
    const { data } = await decodeXz(withBlockHeader([0xc0, storedChunk.length, 3, 0x21, 1, 0]), limit);
    expect(Buffer.from(data).toString()).toBe('abc');
  });

  it.each([
    [
      'a block',
      withBlockHeader([0xc0, storedChunk.length, 3, 0x21, 1, 0]),
      -21,
      'has a block padding that is not zero',
    ],
    ['an index', Buffer.from(stream), -17, 'has an index that does not match its blocks'],
  ])('refuses the padding of %s that is not zero', async (_title, bytes, at, problem) => {
    bytes.writeUInt8(1, bytes.length + at);
    await expect(decodeXz(bytes, limit)).rejects.toThrow(`The xz data ${problem} at byte`);
  });

  it('refuses truncated streams', async () => {
    await expect(refusesTruncation(stream, (bytes) => decodeXz(bytes, limit))).resolves.toBeUndefined();
  });
  it('survives flipped bits', async () => {
    await expect(survivesBitFlips(stream, (bytes) => decodeXz(bytes, limit))).resolves.toBeUndefined();
  });
  it('survives noise as LZMA data', async () => {
    await expect(survivesNoise(new Uint8Array(0), decodeNoise)).resolves.toBeUndefined();
  });
});

/** An LZMA2 chunk of three bytes as they are, and the end. */
const storedChunk = Uint8Array.of(1, 0, 2, 0x61, 0x62, 0x63, 0);

/** A stream of one block of three bytes, with these fields in its header. */
function withBlockHeader(fields: readonly number[]): Buffer {
  const size = (fields.length + 1 + 3) & ~3;
  const header = Uint8Array.from({ length: size }, (_, index) => [size / 4, ...fields][index] ?? 0);
  const flags = Buffer.of(0, 0); // no check
  const start = Buffer.concat([stream.subarray(0, 6), flags, uint32(crc32(flags))]);
  const block = Buffer.concat([header, uint32(crc32(header)), storedChunk]);
  const index = Uint8Array.of(0, 1, block.length, 3);
  const footer = Buffer.concat([uint32(index.length / 4), flags]);
  return Buffer.concat([
    start,
    block,
    new Uint8Array(-block.length & 3),
    index,
    uint32(crc32(index)),
    uint32(crc32(footer)),
    footer,
    Buffer.from('YZ'),
  ]);
}

/** Decodes a stream whose one chunk holds the noise. */
function decodeNoise(noise: Uint8Array): unknown {
  const coded = Buffer.concat([Buffer.alloc(5), noise]);
  const chunk = Uint8Array.of(0xe0, 0x0f, 0xff, 0, coded.length - 1, 0x5d);
  return decodeXz(Buffer.concat([stream.subarray(0, 24), chunk, coded, Buffer.alloc(8)]), limit);
}

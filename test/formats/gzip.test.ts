import { spawnSync } from 'node:child_process';
import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteReader } from '../../src/formats/byteReader.ts';
import { decodeGzip, encodeGzip, unpackGzip } from '../../src/formats/gzip.ts';
import { decoded } from '../support/decoding.ts';
import { have, oracleNote } from '../support/programs.ts';
import { configText, contents, refusesTruncation, survivesBitFlips, survivesNoise } from './damage.ts';

const limit = 1 << 20;
const text = configText(10);
const member = encodeGzip(text);
const head = member.subarray(0, -8);

/** A member with these flags and optional fields. */
function memberWith(flags: number, fields: Uint8Array): Buffer {
  return Buffer.concat([
    Uint8Array.of(0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 2, 3),
    fields,
    deflateRawSync(text),
    trailer(crc32(text), text.length),
  ]);
}

function trailer(crc: number, length: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32LE(crc, 0);
  bytes.writeUInt32LE(length, 4);
  return bytes;
}

function headerCrc(flags: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(crc32(Uint8Array.of(0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 2, 3)) & 0xffff);
  return bytes;
}

const decode = (bytes: Uint8Array, offset = 0) =>
  decoded((reader) => unpackGzip(reader, limit), bytes, offset);

describe('unpackGzip', () => {
  it.each([
    ['no optional field', memberWith(0, Buffer.alloc(0))],
    ['a text hint', memberWith(1, Buffer.alloc(0))],
    ['a header CRC', memberWith(2, headerCrc(2))],
    ['an extra field', memberWith(4, Buffer.from([3, 0, 1, 2, 3]))],
    ['a name', memberWith(8, Buffer.from('config.ign\0'))],
    ['a comment', memberWith(16, Buffer.from('made by hand\0'))],
    ['all of them but the CRC', memberWith(28, Buffer.from('\x02\0abname\0comment\0', 'latin1'))],
  ])('reads a member with %s', async (_name, bytes) => {
    const { data, end } = await decode(bytes);
    expect(data).toEqual(text);
    expect(end).toBe(bytes.length);
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['zeros', Buffer.alloc(5)],
    ['another member', member],
    ['something else', Buffer.from('070701')],
  ])('decodes one member from an offset, followed by %s', async (_name, rest) => {
    const { data, end } = await decode(Buffer.concat([Buffer.from('before'), member, rest]), 6);
    expect(data).toEqual(text);
    expect(end).toBe(6 + member.length);
  });

  it.each([
    ['another magic number', Buffer.from('0123456789'), 'The gzip data lacks the magic number at byte 0'],
    [
      'another method',
      Buffer.from([0x1f, 0x8b, 7, 0]),
      'The gzip data has an unknown compression method at byte 2',
    ],
    ['reserved flags', Buffer.from([0x1f, 0x8b, 8, 0x20]), 'The gzip data has unknown flags at byte 3'],
    [
      'an endless name',
      Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 0, 65, 66]),
      'The gzip data is truncated at byte 12',
    ],
    [
      'a corrupt stream',
      Buffer.concat([member.subarray(0, 10), Buffer.alloc(20, 0xff)]),
      'The gzip data is corrupt in the deflate stream at byte 10',
    ],
    ['a cut', member.subarray(0, 100), 'The gzip data is truncated at byte 100'],
    [
      'a wrong CRC',
      Buffer.concat([head, trailer(1, text.length)]),
      `The gzip data does not match its CRC32 at byte ${head.length}`,
    ],
    [
      'a wrong length',
      Buffer.concat([head, trailer(crc32(text), 1)]),
      `The gzip data does not match its length at byte ${head.length + 4}`,
    ],
  ])('refuses %s', async (_name, bytes, message) => {
    await expect(decode(bytes)).rejects.toThrow(message);
  });

  it('refuses truncated members', async () => {
    await expect(refusesTruncation(member, decode)).resolves.toBeUndefined();
  });
  it('survives flipped bits', async () => {
    await expect(survivesBitFlips(member, decode)).resolves.toBeUndefined();
  });
  it('survives noise', async () => {
    await expect(survivesNoise(member.subarray(0, 3), decode)).resolves.toBeUndefined();
  });
});

/** What the stream unpacks to, given in pieces, and how much of it that took. */
async function unpack(bytes: Uint8Array, pieceSize: number, maxBytes = 1 << 20) {
  let offset = 0;
  const reader = new ByteReader('file', {
    next: async () => {
      const piece = bytes.subarray(offset, (offset += pieceSize));
      return piece.length === 0 ? undefined : piece;
    },
  });
  const pieces: Uint8Array[] = [];
  for await (const piece of unpackGzip(reader, maxBytes)) pieces.push(Uint8Array.from(piece));
  return { data: Buffer.concat(pieces), end: reader.offset };
}

describe('unpackGzip of pieces', () => {
  const noise = Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * index * 31) >>> 5));
  it.each([
    ['nothing', Buffer.alloc(0)],
    ['text', text],
    ['much that cannot be packed', noise],
    ['much that can', Buffer.alloc(500_000)],
  ])('reads %s, and nothing of what follows, in pieces of any size', async (_title, data) => {
    const packed = encodeGzip(data);
    for (const size of [1000, 40_000, packed.length, 1_000_000]) {
      const read = await unpack(Buffer.concat([packed, Buffer.from('behind')]), size);
      expect(read.data).toEqual(data);
      expect(read.end).toBe(packed.length);
    }
  });

  it.each([
    ['the stream', 100],
    ['the trailer', member.length - 1],
  ])('refuses a cut in %s', async (_title, length) => {
    const message = `The gzip data is truncated at byte ${length}`;
    await expect(unpack(member.subarray(0, length), 33)).rejects.toThrow(message);
  });

  it('keeps to a limit, and fits it exactly', async () => {
    expect((await unpack(member, 50, text.length)).data).toHaveLength(text.length);
    await expect(unpack(member, 50, text.length - 1)).rejects.toThrow(
      `The gzip data decompresses to more than ${text.length - 1} bytes`,
    );
  });
});

describe('decodeGzip', () => {
  it.each([
    ['one member', member, text],
    ['several members', Buffer.concat([member, gzipSync(''), member]), Buffer.concat([text, text])],
    ['an empty one', gzipSync(''), Buffer.alloc(0)],
  ])('reads %s', (_name, bytes, expected) => {
    expect(decodeGzip(bytes, limit)).toEqual(expected);
  });

  it.each([
    ['nothing', Buffer.alloc(0), 'The gzip data is truncated at byte 0'],
    ['something else', Buffer.from('0123456789'), 'The gzip data is corrupt: incorrect header check'],
    ['a cut', member.subarray(0, 100), 'The gzip data is truncated at byte 100'],
    ['a cut in a later member', Buffer.concat([member, member.subarray(0, 9)]), 'The gzip data is truncated'],
    [
      'a wrong CRC',
      Buffer.concat([head, trailer(1, text.length)]),
      'The gzip data is corrupt: incorrect data check',
    ],
    ['other data behind it', Buffer.concat([member, Buffer.from('070701')]), 'The gzip data is corrupt: '],
    [
      'zeros behind it',
      Buffer.concat([member, Buffer.alloc(3)]),
      `The gzip data is followed by other data at byte ${member.length}`,
    ],
  ])('refuses %s', (_name, bytes, message) => {
    expect(() => decodeGzip(bytes, limit)).toThrow(message);
  });

  it.each([text.length - 1, 1, 0])('keeps to a limit of %i bytes', (maxBytes) => {
    const message = `The gzip data decompresses to more than ${maxBytes} bytes`;
    expect(() => decodeGzip(member, maxBytes)).toThrow(message);
  });

  it('fits a limit exactly', () => {
    expect(decodeGzip(member, text.length)).toHaveLength(text.length);
    expect(decodeGzip(gzipSync(''), 0)).toHaveLength(0);
  });

  it('survives flipped bits', async () => {
    await expect(survivesBitFlips(member, (bytes) => decodeGzip(bytes, limit))).resolves.toBeUndefined();
  });
});

describe('encodeGzip', () => {
  it('round trip of anything', () => {
    fc.assert(
      fc.property(contents, (data) => {
        expect(decodeGzip(encodeGzip(data), limit)).toEqual(data);
      }),
    );
  });

  it('puts neither time, name nor system into the header', () => {
    expect([...member.subarray(0, 10)]).toEqual([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255]);
  });

  it.skipIf(!have('gzip'))(`is read by gzip${oracleNote('gzip')}`, () => {
    expect(spawnSync('gzip', ['-dc'], { input: member }).stdout).toEqual(text);
  });
});

import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { FormatError } from '../../../src/core/errors.ts';
import { ByteReader, type ByteSource } from '../../../src/formats/byteReader.ts';
import { startFzstd, startNodeDecoder, unpackZstd } from '../../../src/formats/zstd/decode.ts';
import { type Decoded, decoded } from '../../support/decoding.ts';

import { isZstd } from '../../../src/formats/zstd/frames.ts';
import { have, oracleNote } from '../../support/programs.ts';
import { configText, refusesTruncation, survivesBitFlips, survivesNoise } from '../damage.ts';

const maxBytes = 1 << 21;
const text = configText(100);
const mixed = Buffer.concat([text, Buffer.alloc(300_000), text.map((byte, index) => byte ^ (index * 31))]);

function zstd(options: readonly string[], input: Uint8Array): Buffer {
  return spawnSync('zstd', ['-c', ...options], { input, maxBuffer: 1 << 28 }).stdout;
}

/** A frame of stored blocks, made by hand: no outside program is needed for it. */
function storedFrame(data: Uint8Array): Buffer {
  const header = Buffer.alloc(4);
  header.writeUInt32LE(data.length);
  const block = Buffer.alloc(3);
  block.writeUIntLE((data.length << 3) | 1, 0, 3);
  return Buffer.concat([Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0xa0), header, block, data]);
}

/** One block that repeats a byte; the frame does not tell its length. */
function repeatedFrame(byte: number, length: number): Buffer {
  const block = Buffer.alloc(3);
  block.writeUIntLE((length << 3) | (1 << 1) | 1, 0, 3);
  return Buffer.concat([Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58), block, Uint8Array.of(byte)]);
}

function skippableFrame(length: number): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt32LE(0x184d2a53, 0);
  header.writeUInt32LE(length, 4);
  return Buffer.concat([header, Buffer.alloc(length, 0x55)]);
}

const native = startNodeDecoder();
const decoders: readonly (readonly [string, typeof native | typeof startFzstd])[] = [
  ['fzstd', startFzstd],
  [native === undefined ? 'Node (skipped: it has no zstd)' : 'Node', native],
];

/** Found by fuzzing fzstd, which reads the weights of this block for ever. */
const ENDLESS_WEIGHTS =
  '28b52ffd0468fd010012040d11f0eb00c242daaed9c9554942e47de4f404c0d7c5b48fcca3a84db2dadfa6c5fe665d5324dcb31d096e' +
  '06271d49918fe1ffffffffffffffff014a14d17a';

/** Each byte is coded on its own, so that a changed one changes no length. */
const noise = Buffer.from(Array.from({ length: 400 }, (_, index) => (index * index * 31) >> 3));

/** A frame without length, which has a window of 2 MiB. */
const FRAME_START = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58);

function blockHeader(kind: 'raw' | 'compressed', size: number): Buffer {
  const header = Buffer.alloc(3);
  header.writeUIntLE((size << 3) | (kind === 'raw' ? 0 : 4), 0, 3);
  return header;
}

function flip(bytes: Buffer, index: number): Buffer {
  bytes[index]! ^= 1;
  return bytes;
}

/** Pieces whose memory is used again, as that of a file may be. */
function sliced(bytes: Uint8Array, size: number): ByteSource {
  const memory = new Uint8Array(size);
  let offset = 0;
  return {
    next: async () => {
      if (offset >= bytes.length) return undefined;
      const piece = bytes.subarray(offset, offset + size);
      offset += size;
      memory.set(piece);
      return memory.subarray(0, piece.length);
    },
  };
}

describe.each(decoders)('decodeZstd by %s', (_decoder, chosen) => {
  const skipped = chosen === undefined;
  const decoder = chosen ?? startFzstd;
  const decode = (bytes: Uint8Array, most = maxBytes): Promise<Decoded> =>
    decoded((reader) => unpackZstd(reader, most, decoder), bytes);

  const small = Buffer.from('hello');
  it.skipIf(skipped).each([
    ['one frame', storedFrame(small), 'hello'],
    ['an empty frame', storedFrame(Buffer.alloc(0)), ''],
    ['two frames', Buffer.concat([storedFrame(small), repeatedFrame(33, 3)]), 'hello!!!'],
    ['a skippable frame before', Buffer.concat([skippableFrame(7), storedFrame(small)]), 'hello'],
    [
      'a skippable frame between',
      Buffer.concat([storedFrame(small), skippableFrame(0), storedFrame(small)]),
      'hellohello',
    ],
    ['only a skippable frame', skippableFrame(3), ''],
  ])('reads %s as one stream, up to what follows', async (_name, bytes, expected) => {
    for (const rest of ['', '\0\0\0\0\0', '070701']) {
      const { data, end } = await decode(Buffer.concat([bytes, Buffer.from(rest)]));
      expect(Buffer.from(data).toString()).toBe(expected);
      expect(end).toBe(bytes.length);
    }
  });

  it.skipIf(skipped || !have('zstd')).each([
    ['level 1', ['-1']],
    ['level 3, no checksum', ['-3', '--no-check']],
    ['level 19', ['-19']],
    ['a window of 8 MiB', ['--long=23']],
  ])(`reads %s of zstd${oracleNote('zstd')}`, async (_name, options) => {
    const compressed = zstd(options, mixed);
    const { data, end } = await decode(
      Buffer.concat([Buffer.alloc(3), compressed, Buffer.alloc(3)]).subarray(3),
    );
    expect(data).toEqual(mixed);
    expect(end).toBe(compressed.length);
  });

  it.skipIf(skipped).each([
    ['the length that the frame tells', storedFrame(small), 4],
    ['what is unpacked', repeatedFrame(33, 5), 4],
    ['all frames together', Buffer.concat([repeatedFrame(33, 3), repeatedFrame(33, 3)]), 5],
    ['a limit of nothing', repeatedFrame(33, 1), 0],
  ])('keeps to the limit by %s', async (_name, bytes, room) => {
    const message = `The zstd data decompresses to more than ${room} bytes`;
    await expect(decode(bytes, room)).rejects.toThrow(message);
  });

  const sound = Buffer.concat([storedFrame(small), repeatedFrame(33, 500)]);
  it.skipIf(skipped).each([
    ['another magic number', Buffer.from('012345'), 'The zstd data lacks the magic number at byte 0'],
    ['a cut', sound.subarray(0, 15), 'The zstd data is truncated at byte 15'],
    [
      'unknown flags',
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 8, 0]),
      'The zstd data has unknown flags in a frame header at byte 4',
    ],
    [
      'a dictionary',
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 1, 0, 7]),
      'The zstd data requires a dictionary, which is not supported, at byte 4',
    ],
    [
      'a huge window',
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0xff]),
      'The zstd data requires a window that is too large at byte 5',
    ],
    [
      'a reserved block',
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0, 7, 0, 0]),
      'The zstd data has an unknown kind of block at byte 6',
    ],
    [
      'a corrupt block',
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0, 0x0d, 0, 0, 0xff]),
      /^The zstd data has a .*block.* at byte (?:6|9|10)$/,
    ],
  ])('refuses %s', async (_name, bytes, message) => {
    await expect(decode(bytes)).rejects.toThrow(message);
  });

  it.skipIf(skipped)('refuses a weight that has all of the probability', async () => {
    await expect(decode(Buffer.from(ENDLESS_WEIGHTS, 'hex'))).rejects.toThrow('has a damaged block at byte');
  });

  it.skipIf(decoder === startFzstd || !have('zstd')).each([
    [
      'a checksum',
      (frame: Buffer) => flip(frame, frame.length - 1),
      /does not match its checksum at byte \d+$/,
    ],
    ['the content under it', (frame: Buffer) => flip(frame, 40), /^The zstd data .* at byte \d+$/],
  ])(`finds a flipped bit in %s${oracleNote('zstd')}`, async (_title, edit, message) => {
    await expect(decode(edit(zstd(['-3'], noise)))).rejects.toThrow(message);
  });

  it.skipIf(skipped || !have('zstd'))(
    `reads a stream in pieces of any size${oracleNote('zstd')}`,
    async () => {
      const compressed = Buffer.concat([zstd(['-3'], mixed), skippableFrame(9), zstd(['-19'], text)]);
      for (const size of [1, 2, 7, 1000, 65_537]) {
        const reader = new ByteReader('zstd', sliced(compressed, size));
        const pieces: Uint8Array[] = [];
        for await (const piece of unpackZstd(reader, maxBytes, decoder)) {
          pieces.push(Uint8Array.from(piece));
        }
        expect(Buffer.concat(pieces)).toEqual(Buffer.concat([mixed, text]));
        expect(reader.offset).toBe(compressed.length);
      }
    },
  );

  it.skipIf(skipped)('says which block is damaged', async () => {
    const rawBlock = Buffer.concat([blockHeader('raw', 40_000), Buffer.alloc(40_000, 7)]);
    const damaged = Buffer.concat([blockHeader('compressed', 2), Buffer.of(0xff, 0xff)]);
    const start = FRAME_START.length + rawBlock.length;
    const frame = Buffer.concat([FRAME_START, rawBlock, damaged, rawBlock, rawBlock]);
    await expect(decode(frame)).rejects.toSatisfy(
      ({ offset = 0 }: FormatError) => offset >= start && offset <= start + damaged.length,
    );
  });

  it.skipIf(skipped)('refuses truncated frames', async () => {
    await expect(refusesTruncation(storedFrame(text), decode)).resolves.toBeUndefined();
  });
  it.skipIf(skipped)('survives flipped bits', async () => {
    await expect(survivesBitFlips(sound, decode)).resolves.toBeUndefined();
  });
  it.skipIf(skipped)('survives noise in a block', async () => {
    await expect(survivesNoise(sound.subarray(0, 9), decode)).resolves.toBeUndefined();
  });
  it.skipIf(skipped || !have('zstd'))(
    `survives flipped bits in a frame of zstd${oracleNote('zstd')}`,
    async () => {
      await expect(survivesBitFlips(zstd(['-19'], text), decode)).resolves.toBeUndefined();
    },
  );
});

describe('isZstd', () => {
  it.each([
    ['a frame', storedFrame(Buffer.alloc(1)), true],
    ['a skippable frame', skippableFrame(1), true],
    ['the last skippable magic number', Buffer.from('5f2a4d18', 'hex'), true],
    ['the number after it', Buffer.from('602a4d18', 'hex'), false],
    ['too few bytes', Buffer.from('28b52f', 'hex'), false],
  ])('%s', (_name, bytes, expected) => {
    expect(isZstd(bytes)).toBe(expected);
  });
});

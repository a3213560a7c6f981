import { spawnSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from 'vitest';
import { decodeZstd, isZstd, loadFzstd, nodeEngine, type ZstdEngine } from '../../src/formats/zstd.ts';
import { have, missingNote } from '../support/programs.ts';
import { configText, refusesTruncation, survivesBitFlips, survivesNoise } from './damage.ts';

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

const engines: readonly (readonly [string, () => Promise<ZstdEngine | undefined>])[] = [
  ['fzstd', loadFzstd],
  [nodeEngine === undefined ? 'Node (skipped: it has no zstd)' : 'Node', async () => nodeEngine],
];

describe.each(engines)('decodeZstd by %s', (name, load) => {
  const skipped = name.includes('skipped');
  let engine: ZstdEngine;
  beforeAll(async () => {
    engine = (await load()) ?? engine;
  });
  const decode = (bytes: Uint8Array): Promise<{ data: Uint8Array; end: number }> =>
    decodeZstd(bytes, { maxBytes, engine });

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
  ])(`reads %s of zstd${missingNote('zstd')}`, async (_name, options) => {
    const compressed = zstd(options, mixed);
    const { data, end } = await decode(
      Buffer.concat([Buffer.alloc(3), compressed, Buffer.alloc(3)]).subarray(3),
    );
    expect(Buffer.compare(data, mixed)).toBe(0);
    expect(end).toBe(compressed.length);
  });

  it.skipIf(skipped).each([
    ['the length that the frame tells', storedFrame(small), 4],
    ['what is unpacked', repeatedFrame(33, 5), 4],
    ['all frames together', Buffer.concat([repeatedFrame(33, 3), repeatedFrame(33, 3)]), 5],
    ['a limit of nothing', repeatedFrame(33, 1), 0],
  ])('keeps to the limit by %s', async (_name, bytes, room) => {
    const message = `The zstd data unpacks to more than the limit of ${room} bytes`;
    await expect(decodeZstd(bytes, { maxBytes: room, engine })).rejects.toThrow(message);
  });

  const sound = Buffer.concat([storedFrame(small), repeatedFrame(33, 500)]);
  it.skipIf(skipped).each([
    ['another magic number', Buffer.from('012345'), 'The zstd data lacks the magic number at byte 0'],
    ['a cut', sound.subarray(0, 15), 'The zstd data is cut off at byte 15'],
    [
      'unknown flags',
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 8, 0]),
      'The zstd data has unknown flags in a frame header at byte 4',
    ],
    [
      'a dictionary',
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 1, 0, 7]),
      'The zstd data needs a dictionary, which is not supported, at byte 4',
    ],
    [
      'a huge window',
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0xff]),
      'The zstd data needs too large a window at byte 5',
    ],
    [
      'a reserved block',
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0, 7, 0, 0]),
      'The zstd data has an unknown kind of block at byte 6',
    ],
    [
      'a corrupt block',
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0, 0x0d, 0, 0, 0xff]),
      'The zstd data is corrupt in the frame at byte 0',
    ],
  ])('refuses %s', async (_name, bytes, message) => {
    await expect(decode(bytes)).rejects.toThrow(message);
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
    `survives flipped bits in a frame of zstd${missingNote('zstd')}`,
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

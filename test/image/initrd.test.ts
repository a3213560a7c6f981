import { spawnSync } from 'node:child_process';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../src/core/errors.ts';
import { writeCpio } from '../../src/formats/cpio.ts';
import type { ByteSource } from '../../src/formats/byteReader.ts';
import { readInitrd, readInitrdFrom, sourceOfImage, writeInitrd } from '../../src/image/initrd.ts';
import { bytesAccess } from '../../src/image/overlay.ts';
import { refusesTruncation, survivesBitFlips } from '../formats/damage.ts';
import { have, oracleNote } from '../support/programs.ts';
import { storeXz } from '../support/xzStreams.ts';

type Tree = Readonly<Record<string, string>>;

const mapOf = (tree: Tree): Map<string, Uint8Array> =>
  new Map(Object.entries(tree).map(([path, text]) => [path, Buffer.from(text)]));
const cpio = (tree: Tree): Buffer => Buffer.from(writeCpio(mapOf(tree)));
const gzip = (tree: Tree): Uint8Array => writeInitrd(mapOf(tree));
const xz = (tree: Tree): Buffer => storeXz(cpio(tree));
/** A zstd frame with one stored block. */
const zstd = (bytes: Uint8Array): Buffer => {
  const block = Buffer.alloc(3);
  block.writeUIntLE((bytes.length << 3) | 1, 0, 3);
  return Buffer.concat([Buffer.from('28b52ffd0058', 'hex'), block, bytes]);
};

async function read(...parts: readonly Uint8Array[]): Promise<Tree> {
  const files = await readInitrd(Buffer.concat(parts));
  return Object.fromEntries([...files].map(([path, data]) => [path, Buffer.from(data).toString()]));
}

const zeros = Buffer.alloc(5);
const a = { a: 'first' };
const b = { b: 'second', 'd/c': 'third' };

describe('readInitrd', () => {
  it.each<readonly [string, readonly Uint8Array[], Tree]>([
    ['nothing', [], {}],
    ['a plain archive', [cpio(a)], a],
    ['gzip', [gzip(a)], a],
    ['xz', [xz(a)], a],
    ['xz of two blocks', [storeXz(cpio(a).subarray(0, 100), cpio(a).subarray(100))], a],
    ['zstd', [zstd(cpio(a))], a],
    ['an archive split over two zstd frames', [zstd(cpio(a).subarray(0, 50)), zstd(cpio(a).subarray(50))], a],
    ['zeros after it', [xz(a), Buffer.alloc(1000)], a],
    ['zeros within the compressed data', [gzipSync(Buffer.concat([cpio(a), zeros]))], a],
    ['plain then plain', [cpio(a), cpio(b)], { ...a, ...b }],
    ['plain then xz', [cpio(a), xz(b)], { ...a, ...b }],
    ['gzip then plain', [gzip(a), cpio(b)], { ...a, ...b }],
    ['gzip, zeros, gzip', [gzip(a), zeros, gzip(b)], { ...a, ...b }],
    ['xz then xz', [xz(a), xz(b)], { ...a, ...b }],
    ['zstd, zeros, zstd', [zstd(cpio(a)), zeros, zstd(cpio(b))], { ...a, ...b }],
    [
      'all of them',
      [zstd(cpio(a)), xz({ x: '1' }), zeros, gzip({ y: '2' }), cpio(b)],
      { ...a, x: '1', y: '2', ...b },
    ],
    ['the same name again', [gzip({ a: 'old' }), xz(a)], a],
    ['only a trailer', [xz({})], {}],
  ])('reads %s', async (_name, parts, expected) => {
    expect(await read(...parts)).toEqual(expected);
  });

  const half = cpio(a).subarray(0, 60);
  const rest = cpio(a).subarray(60);
  const cannot = 'Cannot read the initramfs: ';
  const garbage = `${cannot}found trailing garbage inside compressed archive at byte 0`;
  it.each<readonly [string, readonly Uint8Array[], string | RegExp]>([
    ['text', [Buffer.from('x'.repeat(200))], `${cannot}reading CPIO entry at byte 0: Invalid magic number`],
    ['zeros alone', [Buffer.alloc(200)], `${cannot}reading CPIO entry at byte 0: Invalid magic number`],
    [
      'text after an archive',
      [cpio(a), Buffer.from('y'.repeat(200))],
      `${cannot}reading CPIO entry at byte ${cpio(a).length}: Invalid magic number`,
    ],
    [
      'compressed text',
      [xz(a), gzipSync('x'.repeat(200))],
      new RegExp(
        `^${cannot}reading CPIO entry at byte 0: Invalid magic number \\(in the gzip data from byte \\d+ on\\)$`,
      ),
    ],
    [
      'an archive split over gzip members',
      [gzipSync(half), gzipSync(rest)],
      `${cannot}reading CPIO entry at byte 0: the archive is truncated (in the gzip data from byte 0 on)`,
    ],
    ['two archives in one gzip member', [gzipSync(Buffer.concat([cpio(a), cpio(b)]))], garbage],
    ['two zstd frames without zeros between', [zstd(cpio(a)), zstd(cpio(b))], garbage],
    ['a cut xz stream', [xz(a).subarray(0, 60)], 'The xz data is truncated at byte 60'],
    [
      'bzip2',
      [Buffer.from('BZh91AY&SY'.padEnd(200))],
      `${cannot}it is compressed by bzip2, lzma, lzo or lz4 at byte 0`,
    ],
  ])('refuses %s', async (_name, parts, message) => {
    await expect(read(...parts)).rejects.toThrow(message);
  });

  it('limits the unpacked bytes of an archive', async () => {
    const { length } = cpio(a);
    expect((await readInitrd(gzip(a), { maxBytes: length })).size).toBe(Object.keys(a).length);
    await expect(readInitrd(gzip(a), { maxBytes: length - 1 })).rejects.toThrow('decompresses to more than');
  });

  it('keeps only files that are wanted, in memory of their own', async () => {
    const bytes = Buffer.concat([gzip({ a: 'old', big: 'x'.repeat(100_000) }), cpio(b), xz({ a: 'new' })]);
    const files = await readInitrd(bytes, { wants: (path) => path === 'a' || path === 'b' });
    const texts = [...files].map(([path, data]) => [path, Buffer.from(data).toString()]);
    expect(Object.fromEntries(texts)).toEqual({ a: 'new', b: 'second' });
    for (const data of files.values()) expect(data.buffer.byteLength).toBe(data.length);
  });

  it('counts empty files, too, because their names are in memory', async () => {
    const names = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`file ${index}`, '']));
    await expect(readInitrd(gzip(names), { maxKept: 10_000 })).rejects.toThrow(
      'the extracted files are larger than 10000 bytes',
    );
  });

  it('refuses truncated archives', async () => {
    await expect(refusesTruncation(xz(b), (bytes) => readInitrd(bytes))).resolves.toBeUndefined();
    await expect(refusesTruncation(cpio(b), (bytes) => readInitrd(bytes))).resolves.toBeUndefined();
  });

  it('survives flipped bits', async () => {
    await expect(
      survivesBitFlips(Buffer.concat([gzip(a), xz(b), zstd(cpio(a)), cpio(b)]), (bytes) => readInitrd(bytes)),
    ).resolves.toBeUndefined();
  });
});

/** Pieces that all lie in one memory, as those of a file do. */
function piecesOf(bytes: Uint8Array, length: number): ByteSource {
  const memory = Buffer.alloc(length);
  let offset = 0;
  return {
    next: async () => {
      memory.fill(0xee);
      const piece = bytes.subarray(offset, offset + length);
      offset += piece.length;
      memory.set(piece);
      return piece.length === 0 ? undefined : memory.subarray(0, piece.length);
    },
  };
}

/** The files, or the error; of a stream in pieces of `length` bytes, or of bytes in memory. */
async function outcome(bytes: Uint8Array, length?: number): Promise<unknown> {
  try {
    const files =
      length === undefined ? await readInitrd(bytes) : await readInitrdFrom(piecesOf(bytes, length));
    return [...files].map(([path, data]) => [path, Buffer.from(data).toString('latin1')]);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return { message: error.message, offset: error.offset };
  }
}

const unless =
  (name: string) =>
  (path: string): boolean =>
    path !== name;

describe('readInitrdFrom', () => {
  const text = Array.from({ length: 4000 }, (_, index) => `line ${index * 7919}`).join('\n');
  const os = { 'usr/big': text.repeat(5), 'usr/zeros': '\0'.repeat(300_000), init: '#!/bin/sh\n' };
  const parts = [gzip(os), zeros, cpio({ ...a, later: text }), xz(os), zstd(cpio(b)), gzip({ a: 'last' })];
  const whole = Buffer.concat(parts);

  it.each([1, 7, 1000, 65_536, 1 << 20])('reads pieces of %i bytes', async (length) => {
    const bytes = length < 1000 ? Buffer.concat([xz(a), gzip(b), cpio(b), zstd(cpio({ c: '' }))]) : whole;
    expect(await outcome(bytes, length)).toEqual(await outcome(bytes));
  });

  it('passes over what nobody wants in an image, and reads the rest', async () => {
    let count = 0;
    const image = bytesAccess(Buffer.concat([cpio({ first: '1', large: 'x'.repeat(5_000_000) }), gzip(a)]));
    const counting = {
      size: image.size,
      read: async (offset: number, length: number) => {
        count += length;
        return image.read(offset, length);
      },
    };
    const files = await readInitrdFrom(sourceOfImage(counting), { wants: unless('large') });
    expect([...files.keys()]).toEqual(['first', 'a']);
    expect(count).toBeLessThan(1_000_000);
  });

  it('says the same of damage, however the input is cut, and names the place', async () => {
    const small = Buffer.concat([gzip(b), xz(a), zeros, zstd(cpio(a)), cpio(b)]);
    const flips = fc.array(fc.nat(small.length * 8 - 1), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(flips, fc.integer({ min: 1, max: 300 }), fc.nat(), async (bits, length, cut) => {
        const bytes = Uint8Array.from(small.subarray(0, cut % 3 === 0 ? cut % small.length : small.length));
        for (const bit of bits) if (bit >> 3 < bytes.length) bytes[bit >> 3]! ^= 1 << (bit & 7);
        expect(await outcome(bytes, length)).toEqual(await outcome(bytes));
      }),
      { numRuns: 120 },
    );
  });

  it('blames the compressed data for what damage makes of its archive', async () => {
    const stored = gzipSync(cpio(a), { level: 0 });
    stored[40]! ^= 0xff;
    expect(await outcome(stored)).toMatchObject({
      message: expect.stringContaining('The gzip data does not match its CRC32'),
    });
  });

  it.each([
    ['files', { maxKept: 9_999 }, 'with large, the extracted files are larger than 9999 bytes'],
    ['unpacked bytes', { maxBytes: 9_999 }, 'The gzip data decompresses to more than 9999 bytes'],
  ])('keeps to a limit of %s', async (_name, limit, message) => {
    const bytes = gzip({ large: 'x'.repeat(10_000) });
    await expect(readInitrdFrom(piecesOf(bytes, 50), limit)).rejects.toThrow(message);
  });

  it('passes on what the source throws', async () => {
    for (const beginning of parts) {
      let calls = 0;
      const source = {
        next: async () => (calls++ === 0 ? beginning.subarray(0, -1) : Promise.reject(new Error('gone'))),
      };
      await expect(readInitrdFrom(source)).rejects.toThrow('gone');
    }
  });
});

describe('writeInitrd', () => {
  it('round trip of anything', async () => {
    const path = fc.stringMatching(/^[a-z]{1,5}(\/[a-z]{1,5}){0,2}$/);
    await fc.assert(
      fc.asyncProperty(fc.dictionary(path, fc.string(), { maxKeys: 5 }), async (tree) => {
        expect(await read(writeInitrd(mapOf(tree)))).toEqual({ ...tree });
      }),
    );
  });

  it('does not depend on the time and the machine', () => {
    expect(Buffer.from(gzip(a)).toString('hex', 0, 10)).toBe('1f8b08000000000002ff');
  });

  it.skipIf(!have('gzip') || !have('cpio'))(
    `is read by gzip and cpio${oracleNote('gzip')}${oracleNote('cpio')}`,
    () => {
      const initrd = gzip({ 'config.ign': '{"ignition":{"version":"3.4.0"}}\n', ...b });
      const { stdout } = spawnSync('sh', ['-c', 'gzip -dc | cpio -t --quiet'], { input: initrd });
      expect(stdout.toString()).toBe('b\nconfig.ign\nd\nd/c\n');
    },
  );
});

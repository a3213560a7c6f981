/**
 * Every decoder that reads a stream, with its input cut at each byte and at random ones: the result, the position behind it
 * and the error are those of an input in one piece. The decoders of ISO 9660 read from complete sectors.
 */

import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteReader, type ByteSource } from '../src/formats/byteReader.ts';
import { readContainerArchive } from '../src/formats/containerArchive.ts';
import { walkCpio, writeCpio } from '../src/formats/cpio.ts';
import { unpackGzip } from '../src/formats/gzip.ts';
import { readTarMembers } from '../src/formats/tar.ts';
import { unpackXz } from '../src/formats/xz/decode.ts';
import { startFzstd, startNodeDecoder, unpackZstd } from '../src/formats/zstd/decode.ts';
import { readInitrdFrom } from '../src/image/initrd.ts';
import { splitLines } from '../src/kube/watchStream.ts';
import { dockerArchive, ociArchive, tarOf } from './support/containerImages.ts';
import { recordedXz, storeXz } from './support/xzStreams.ts';

/** The pieces between the cuts, each in the memory of the one before it, as those of a file. */
function sourceCut(bytes: Uint8Array, cuts: readonly number[]): ByteSource {
  const ends = [...new Set([...cuts, bytes.length])]
    .filter((end) => end <= bytes.length)
    .toSorted((a, b) => a - b);
  const memory = Buffer.alloc(bytes.length);
  let start = 0;
  return {
    next: async () => {
      const end = ends.shift();
      if (end === undefined) return undefined;
      memory.fill(0xee);
      memory.set(bytes.subarray(start, end));
      const piece = memory.subarray(0, end - start);
      start = end;
      return piece;
    },
  };
}

interface Decoder {
  readonly name: string;
  /** All that the decoder returns, as text. */
  readonly decode: (reader: ByteReader, source: ByteSource) => Promise<string>;
  readonly samples: () => Promise<readonly Uint8Array[]>;
  /** Whether a sample is so large that only some cuts are tried. */
  readonly isLarge?: true;
}

async function hexOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  let hex = '';
  for await (const piece of pieces) hex += Buffer.from(piece).toString('hex');
  return hex;
}

const text = Buffer.from(Array.from({ length: 40 }, (_, line) => `line ${(line * 7919) % 101}\n`).join(''));
const noise = Buffer.from(Array.from({ length: 300 }, (_, index) => (index * index * 31) >> 3));
const behind = Buffer.from('behind');

/** Has all fields that a header may have. */
function gzipWithHeader(data: Uint8Array): Buffer {
  const fields = Buffer.concat([
    Buffer.of(0x1f, 0x8b, 8, 0x1e, 0, 0, 0, 0, 0, 3),
    Buffer.from('\x04\0mine', 'latin1'),
    Buffer.from('name\0comment\0'),
  ]);
  const ends = Buffer.alloc(10);
  ends.writeUInt16LE(crc32(fields) & 0xffff, 0);
  ends.writeUInt32LE(crc32(data), 2);
  ends.writeUInt32LE(data.length, 6);
  return Buffer.concat([fields, ends.subarray(0, 2), deflateRawSync(data), ends.subarray(2)]);
}

/** Stored, repeated and skipped bytes, then 60 lines of text compressed by `zstd -19 --check`. */
const zstdFrames = Buffer.concat([
  Buffer.from('28b52ffd0058', 'hex'),
  Buffer.of(5 << 3, 0, 0),
  Buffer.from('bytes'),
  Buffer.of((200 << 3) | 3, 200 >> 5, 0, 0x61),
  Buffer.from('532a4d1803000000787878', 'hex'),
  Buffer.from(
    '28b52ffd642204050400d2061313b0a9037f515a43257147ca9d5292b2e592b9183f9b3d5547264f0577b5d3b1d7a75af5446bc033edd4b9' +
      '9b3ed52b934ef102dfc9ecf4275b5b273216280e22510433188b211413982139903ca871507eff0ea05de6112404af104cf90177329bd1' +
      '539f8f7c796e7a8f20d3e070f973c54a3e4f7d3ef293f25e2220ab306c9088',
    'hex',
  ),
]);

const files = new Map<string, Uint8Array>([
  ['config.ign', Buffer.from('{"a":1}\n')],
  ['etc/a', Buffer.from('1')],
  ['etc/ab', Buffer.from('12')],
  ['etc/abc', Buffer.from('123')],
  ['etc/empty', Buffer.alloc(0)],
  ['etc/ünïcode', text.subarray(0, 50)],
]);

/** One file is passed over. */
const wants = (path: string): boolean => path !== 'etc/ab';

const limit = 1 << 20;
const native = startNodeDecoder();

const decoders: readonly Decoder[] = [
  {
    name: 'xz',
    decode: (reader) => hexOf(unpackXz(reader, limit)),
    samples: async () =>
      [recordedXz, storeXz(text, noise.subarray(0, 40))].map((bytes) => Buffer.concat([bytes, behind])),
  },
  {
    name: 'gzip',
    decode: (reader) => hexOf(unpackGzip(reader, limit)),
    samples: async () =>
      [gzipSync(''), gzipWithHeader(text), gzipSync(noise)].map((bytes) => Buffer.concat([bytes, behind])),
  },
  {
    name: 'zstd, fzstd',
    decode: (reader) => hexOf(unpackZstd(reader, limit, startFzstd)),
    samples: async () => [Buffer.concat([zstdFrames, behind])],
  },
  {
    name: `zstd, decoder of Node.js${native === undefined ? ' (skipped: Node.js has no zstd)' : ''}`,
    decode: (reader) => hexOf(unpackZstd(reader, limit, native)),
    samples: async () => (native === undefined ? [] : [Buffer.concat([zstdFrames, behind])]),
  },
  {
    name: 'cpio',
    decode: async (reader) => {
      const members: string[] = [];
      for await (const { data, mode, path, size } of walkCpio(reader, (header) => wants(header.path))) {
        members.push(
          `${mode} ${path} ${size} ${data === undefined ? '-' : Buffer.from(data).toString('hex')}`,
        );
      }
      return members.join('\n');
    },
    samples: async () => [Buffer.concat([writeCpio(files), behind])],
  },
  {
    name: 'tar',
    decode: async (reader) => {
      const members: string[] = [];
      for await (const member of readTarMembers(reader)) {
        const { path, type } = member;
        const isSkipped = type === 'file' && path === 'skipped';
        members.push(
          `${type} ${path} ${type === 'link' ? member.target : isSkipped ? '-' : await hexOf(member.content)}`,
        );
      }
      return members.join('\n');
    },
    samples: async () => [
      await tarOf([
        [`${'long/'.repeat(30)}name`, 'a'],
        ['skipped', 'x'.repeat(600)],
        ['two blocks', text.toString().padEnd(513)],
        ['link', { link: 'long' }],
        ['whole block', 'b'.repeat(512)],
      ]),
    ],
    isLarge: true,
  },
  {
    name: 'archives of container images',
    decode: async (_reader, source) => JSON.stringify(await readContainerArchive(source)),
    samples: () => Promise.all([dockerArchive({ packLayer: (tar) => gzipSync(tar) }), ociArchive({})]),
    isLarge: true,
  },
  {
    name: 'initramfs',
    decode: async (_reader, source) => {
      const found = await readInitrdFrom(source, { wants });
      return [...found].map(([path, data]) => `${path} ${Buffer.from(data).toString('hex')}`).join('\n');
    },
    samples: async () => {
      const plain = writeCpio(new Map([...files].slice(0, 3)));
      return [
        Buffer.concat([
          plain,
          Buffer.alloc(9),
          gzipSync(plain),
          storeXz(plain.subarray(0, 100), plain.subarray(100)),
          Buffer.alloc(5),
        ]),
      ];
    },
  },
  {
    name: 'lines of a watch of the Kubernetes API',
    decode: async (_reader, source) => {
      const parts = { [Symbol.asyncIterator]: () => ({ next: async () => stepOf(await source.next()) }) };
      const lines: string[] = [];
      for await (const line of splitLines(parts, 1000, 'watch')) lines.push(Buffer.from(line).toString());
      return lines.join('|');
    },
    samples: async () => [Buffer.from('{"type":"ADDED"}\n\n{"naïve":"日本"}\r\nx\nnot complete')],
  },
];

/** The parts of a body are buffers of their own. */
function stepOf(value: Uint8Array | undefined): IteratorResult<Uint8Array, undefined> {
  return value === undefined ? { done: true, value } : { done: false, value: Buffer.from(value) };
}

/** What the decoder returns and where it ended, or its error. */
async function outcomeOf({ decode }: Decoder, bytes: Uint8Array, cuts: readonly number[]): Promise<string> {
  const source = sourceCut(bytes, cuts);
  const reader = new ByteReader('file', source);
  try {
    const result = await decode(reader, source);
    return `${result}\nends at ${reader.offset}`;
  } catch (error) {
    return String(error);
  }
}

const runs = 60;

describe.each(decoders)('$name', (decoder) => {
  it('reads the same from two pieces with any cut, and from single bytes', async () => {
    for (const bytes of await decoder.samples()) {
      const whole = await outcomeOf(decoder, bytes, []);
      expect(whole).not.toMatch(/^\w*Error/);
      const everywhere = Array.from(bytes, (_, cut) => cut);
      expect(await outcomeOf(decoder, bytes, everywhere)).toBe(whole);
      const step = decoder.isLarge === true ? 307 : 1;
      for (let cut = 1; cut < bytes.length; cut += step) {
        expect(await outcomeOf(decoder, bytes, [cut]), `cut at byte ${cut}`).toBe(whole);
      }
    }
  });

  it('reads the same or reports the same error with several cuts, if bytes are damaged or missing, too', async () => {
    for (const bytes of await decoder.samples()) {
      const places = fc.array(fc.nat(bytes.length), { maxLength: 6 });
      const damage = fc.option(
        fc.record({ at: fc.nat(bytes.length - 1), flip: fc.integer({ min: 1, max: 255 }) }),
      );
      const lengths = fc.oneof(fc.constant(bytes.length), fc.nat(bytes.length));
      await fc.assert(
        fc.asyncProperty(places, damage, lengths, async (cuts, damaged, length) => {
          const given = Buffer.from(bytes.subarray(0, length));
          if (damaged !== null && damaged.at < length) given[damaged.at]! ^= damaged.flip;
          expect(await outcomeOf(decoder, given, cuts)).toBe(await outcomeOf(decoder, given, []));
        }),
        { numRuns: runs },
      );
    }
  });
});

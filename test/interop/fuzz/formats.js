// @ts-check
/**
 * The readers of binary formats, each fed what it can read with damage that keeps checksums right, so that it gets
 * further than the first of them.
 */

import { spawnSync } from 'node:child_process';
import { crc32, deflateRawSync } from 'node:zlib';
import { below, damage, edge, noise, pick, wideEdge } from './damage.js';

/**
 * @typedef {typeof import('./subjects.ts')} Subjects
 * @typedef {import('./damage.js').Random} Random
 * @typedef {import('./worker.js').Target} Target
 */

/** Unpacked bytes that decoders may make here. */
const maxBytes = 1024 * 1024;

const text = Buffer.from('initrd config.ign etc/coreos-firstboot-network/eth0.nmconnection\n'.repeat(40));

/** @param {Subjects} subjects @returns {Readonly<Record<string, Target>>} */
export function formatTargets(subjects) {
  const { decoded, decodeMinisoData, decodeXz, startFzstd, unpackGzip, unpackZstd } = subjects;
  const { readArchiveFiles, readCpio, readInitrd } = subjects;
  const archives = sampleArchives(subjects);
  const streams = sampleStreams(subjects);
  const frames = sampleFrames();
  const deflated = sampleDeflated();
  const table = subjects.hybridIso().subarray(0, 32_768);
  const full = subjects.bytesAccess(noiseOf(64 * 1024));
  return {
    cpio: {
      make: (random) => damagedCpio(random, archives),
      run: placed(async (input) => checkCpio(await readCpio(input), input)),
    },
    gzip: {
      make: (random) => damagedGzip(random, deflated),
      run: placed(async (input) =>
        checkDecoded(await decoded((reader) => unpackGzip(reader, maxBytes), input), input),
      ),
    },
    xz: {
      make: (random) => damagedXz(random, streams),
      run: placed(async (input) => checkDecoded(await decodeXz(input, maxBytes), input)),
    },
    zstd: {
      make: (random) => damage(random, pick(random, frames)),
      run: placed(async (input) =>
        checkDecoded(await decoded((reader) => unpackZstd(reader, maxBytes, startFzstd), input), input),
      ),
    },
    initramfs: {
      make: (random) => damagedInitrd(random, { archives, streams, frames, deflated }),
      run: async (input) => checkFiles(await readInitrd(input, { maxBytes })),
    },
    tar: { make: damagedTar, run: async (input) => checkFiles(await readArchiveFiles(input)) },
    'partition table': {
      make: (random) => damagedTable(random, table),
      run: (input) => checkTable(subjects, input),
    },
    'miniso.dat': {
      make: (random) => damagedMiniso(random, streams),
      run: async (input) => {
        const data = await decodeMinisoData(input);
        return subjects.verifyReconstruction(await subjects.reconstructMinimalIso(full, data));
      },
    },
  };
}

/** Errors of these readers have one line and say where in the input they are. @param {Target['run']} run @returns {Target['run']} */
function placed(run) {
  return async (input) => {
    try {
      return await run(input);
    } catch (error) {
      if (!(error instanceof Error) || !('offset' in error)) throw error;
      const { message, offset } = error;
      if (typeof offset !== 'number' || offset < 0 || offset > input.length || message.includes('\n'))
        throw new Error('the error is not one line with an offset', { cause: error });
      throw error;
    }
  };
}

/** Always the same. @param {number} length */
export function noiseOf(length) {
  const bytes = Buffer.alloc(length);
  for (let index = 0, state = 1; index < length; index++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[index] = state >>> 24;
  }
  return bytes;
}

/** @param {Subjects} subjects */
function sampleArchives({ writeCpio }) {
  return [
    [],
    [['config.ign', '{}']],
    [['config.ign', '{"ignition":{"version":"3.4.0"}}'], ['etc/coreos-firstboot-network/eth0.nmconnection', '[connection]\ntype=ethernet\n']],
    [['a', ''], ['a/../../b', 'x'], ['/etc/passwd', 'y'], ['ü'.repeat(100), 'z']],
  ].map((files) => Buffer.from(writeCpio(new Map(files.map(([path, data]) => [path ?? '', Buffer.from(data ?? '')]))))); // prettier-ignore
}

/** xz streams of one block and of several, stored and compressed. @param {Subjects} subjects */
function sampleStreams({ recordedXz, storeXz }) {
  return [recordedXz, storeXz(text, noiseOf(300), Buffer.alloc(5000)), storeXz(text), storeXz()];
}

/** zstd frames with stored and with repeated bytes, and compressed ones where the program is installed. */
function sampleFrames() {
  const stored = Buffer.concat([Buffer.from('28b52ffd0058410100', 'hex'), noiseOf(40)]);
  const repeated = Buffer.from('28b52ffd0058030c002a', 'hex');
  const skippable = Buffer.concat([Buffer.from('512a4d1804000000', 'hex'), noiseOf(4)]);
  const made = [text, Buffer.concat([text, noiseOf(500)])].map(
    (input) => spawnSync('zstd', ['-q', '-c', '-19'], { input }).stdout ?? Buffer.alloc(0),
  );
  const frames = [stored, repeated, ...made.filter(({ length }) => length > 0)];
  return [...frames, Buffer.concat([skippable, ...frames])];
}

/** The magic number and thirteen fields of eight digits. */
const cpioFields = Array.from({ length: 13 }, (_, index) => 6 + index * 8);

/** @param {Random} random @param {readonly Buffer[]} archives */
function damagedCpio(random, archives) {
  const bytes = Buffer.from(pick(random, archives));
  for (let edits = below(random, 4); edits > 0; edits--) {
    const members = [...bytes.toString('latin1').matchAll(/07070[12]/g)].map(({ index }) => index);
    const member = pick(random, members);
    const digits = pick(random, [
      (edge(random, [bytes.length, bytes.length - member, 110]) >>> 0).toString(16).padStart(8, '0'),
      '-0000001',
      '0x000001',
      '       1',
      '1e999999',
    ]);
    bytes.write(
      digits,
      member + pick(random, [6 + 8, 6 + 48, 6 + 48, 6 + 88, 6 + 88, ...cpioFields]),
      'latin1',
    );
  }
  return random() < 0.5 ? damage(random, bytes) : bytes;
}

/** @param {Awaited<ReturnType<Subjects['readCpio']>>} archive @param {Uint8Array} input */
function checkCpio({ members, end }, input) {
  const sum = members.reduce((total, { data }) => total + data.length, 0);
  if (end > input.length || sum > input.length) throw new Error('the archive has more than its bytes');
}

/** @param {{ data: Uint8Array, end: number }} decoded @param {Uint8Array} input */
function checkDecoded({ data, end }, input) {
  if (data.length > maxBytes || end > input.length) throw new Error('more was decoded than there is');
}

/** @typedef {{ content: Buffer, deflated: Buffer }} Deflated */

/** Contents at all levels. They are made once, as setting up a compressor takes more time than the reader. @returns {Deflated[]} */
function sampleDeflated() {
  const contents = [text, noiseOf(60), noiseOf(7), Buffer.alloc(0), Buffer.alloc(300), Buffer.alloc(5000)];
  return contents.flatMap((content) =>
    Array.from({ length: 10 }, (_, level) => ({ content, deflated: deflateRawSync(content, { level }) })),
  );
}

/** @param {Uint8Array} content @param {Uint8Array} deflated */
function gzipMember(content, deflated) {
  const member = Buffer.concat([Buffer.from('1f8b0800000000000003', 'hex'), deflated, Buffer.alloc(8)]);
  member.writeUInt32LE(crc32(content), member.length - 8);
  member.writeUInt32LE(content.length, member.length - 4);
  return member;
}

/** Less than 64 KiB as deflate has them without compression. @param {Uint8Array} content */
function storedBlock(content) {
  const header = Buffer.of(1, 0, 0, 0, 0);
  header.writeUInt16LE(content.length, 1);
  header.writeUInt16LE(~content.length & 0xffff, 3);
  return Buffer.concat([header, content]);
}

/** @param {Random} random @param {readonly Deflated[]} samples */
function damagedGzip(random, samples) {
  const { content, deflated } = pick(random, samples);
  const member = gzipMember(content, deflated);
  if (random() < 0.3) {
    member[3] = below(random, 32);
    return Buffer.concat([member.subarray(0, 10), noise(random, below(random, 30)), member.subarray(10)]);
  }
  if (random() < 0.2) member.writeUInt32LE(edge(random, [content.length]) >>> 0, member.length - 4);
  return damage(random, member);
}

/** @param {Random} random @param {readonly Buffer[]} streams */
function damagedXz(random, streams) {
  const bytes = Buffer.from(pick(random, streams));
  switch (below(random, 4)) {
    case 0:
      return damage(random, bytes);
    case 1:
      rewriteBlockHeader(random, bytes);
      break;
    case 2:
      rewriteIndex(random, bytes);
      break;
    default:
      rewriteFlags(random, bytes);
  }
  return random() < 0.2 ? damage(random, bytes) : bytes;
}

/** Fields of the first block header, under a checksum that matches. @param {Random} random @param {Buffer} bytes */
function rewriteBlockHeader(random, bytes) {
  const size = ((bytes[12] ?? 0) + 1) * 4;
  if (size < 12 || 12 + size > bytes.length) return;
  const field = bytes.subarray(13, 12 + size - 4);
  switch (below(random, 3)) {
    case 0:
      field.set(
        [pick(random, [0, 0x40, 0x80, 0xc0, 0x01, 0x03, 0x3c]), ...noise(random, field.length - 1)].slice(
          0,
          field.length,
        ),
      );
      break;
    case 1:
      field.set([0x80, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f].slice(0, field.length));
      break;
    default:
      field.set([0, pick(random, [0x21, 0x03, 0x04, 0x21]), 1, below(random, 48)].slice(0, field.length));
  }
  bytes.writeUInt32LE(crc32(bytes.subarray(12, 12 + size - 4)), 12 + size - 4);
}

/** @param {Random} random @param {Buffer} bytes */
function rewriteIndex(random, bytes) {
  const footer = bytes.length - 12;
  const size = (bytes.readUInt32LE(footer + 4) + 1) * 4;
  const start = footer - size;
  if (start < 0 || size < 8) return;
  const at = start + below(random, size - 4);
  bytes[at] = pick(random, [0, 1, 0x7f, 0x80, 0xff]);
  bytes.writeUInt32LE(crc32(bytes.subarray(start, footer - 4)), footer - 4);
}

/** Of the stream header and footer. @param {Random} random @param {Buffer} bytes */
function rewriteFlags(random, bytes) {
  const footer = bytes.length - 12;
  const flags = [below(random, 2), pick(random, [0, 1, 4, 10, 2, 15])];
  bytes.set(flags, 6);
  bytes.writeUInt32LE(crc32(bytes.subarray(6, 8)), 8);
  if (random() < 0.5) bytes.set(flags, footer + 8);
  if (random() < 0.3) bytes.writeUInt32LE(edge(random) >>> 0, footer + 4);
  bytes.writeUInt32LE(crc32(bytes.subarray(footer + 4, footer + 10)), footer);
}

/** @param {Random} random @param {Record<'archives' | 'streams' | 'frames', readonly Buffer[]> & { deflated: readonly Deflated[] }} samples */
function damagedInitrd(random, { archives, streams, frames, deflated }) {
  const part = () => {
    const archive = random() < 0.6 ? pick(random, archives) : damagedCpio(random, archives);
    switch (below(random, 6)) {
      case 0:
        return gzipMember(archive, storedBlock(archive));
      case 1:
        return Buffer.alloc(below(random, 20));
      case 2:
        return random() < 0.5 ? damagedXz(random, streams) : pick(random, frames);
      case 3:
        return damagedGzip(random, deflated);
      default:
        return archive;
    }
  };
  const bytes = Buffer.concat(Array.from({ length: 1 + below(random, 4) }, part));
  return random() < 0.3 && bytes.length > 0 ? damage(random, bytes) : bytes;
}

/** @param {ReadonlyMap<string, Uint8Array>} files */
function checkFiles(files) {
  if (!(files instanceof Map)) throw new TypeError('no files');
}

/** @param {Random} random */
function damagedTar(random) {
  const members = Array.from({ length: 1 + below(random, 3) }, () => tarMember(random));
  const bytes = Buffer.concat([...members, Buffer.alloc(1024)]);
  return random() < 0.5 ? damage(random, bytes) : bytes;
}

/** A header of 512 bytes, mostly with the right checksum, and its data. @param {Random} random */
function tarMember(random) {
  const data = noise(random, below(random, 600));
  const header = Buffer.alloc(512);
  header.write(pick(random, ['a', 'b/c', '../x', '/etc/passwd', 'ü', '', 'x'.repeat(100)]));
  header.write('0000644\0', 100);
  header.write(random() < 0.8 ? data.length.toString(8).padStart(11, '0') : pick(random, ['77777777777', '-1', '', '\x80'.padEnd(11, '\xff'), '0x10', edge(random).toString(8)]), 124, 'latin1'); // prettier-ignore
  header.write(pick(random, Array.from(random() < 0.1 ? '123SZ' : '000000000557xxgLKV\0')), 156);
  header.write('ustar\x0000', 257);
  if (random() < 0.3) header[below(random, 512)] = below(random, 256);
  header.fill(' ', 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  if (random() < 0.9) header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  const pax = random() < 0.3 ? Buffer.from(`${below(random, 60)} ${pick(random, ['path', 'size', 'linkpath'])}=${edge(random)}\n`) : data; // prettier-ignore
  return Buffer.concat([header, pax, Buffer.alloc(-pax.length & 511)]);
}

const MBR_PARTITIONS = [446, 462, 478, 494];
const GPT_FIELDS = { header: [8, 12, 16, 80, 84, 88], wide: [24, 32, 40, 48, 72] };

/** @param {Random} random @param {Uint8Array} table */
export function damagedTable(random, table) {
  const bytes = Buffer.from(table);
  const sizes = [128, 92, 512, 128 * 128];
  for (let edits = below(random, 4); edits > 0; edits--) {
    switch (below(random, 4)) {
      case 0:
        bytes.writeUInt32LE(edge(random, sizes) >>> 0, 512 + pick(random, GPT_FIELDS.header));
        break;
      case 1:
        bytes.writeBigUInt64LE(wideEdge(random, [1, 2, 64]), 512 + pick(random, GPT_FIELDS.wide));
        break;
      case 2:
        bytes.writeBigUInt64LE(
          wideEdge(random, [0, 1999]),
          1024 + below(random, 4) * 128 + pick(random, [32, 40]),
        );
        break;
      default:
        bytes.writeUInt32LE(
          edge(random, [0, 2048]) >>> 0,
          pick(random, MBR_PARTITIONS) + pick(random, [8, 12]),
        );
    }
  }
  repairTable(bytes);
  return random() < 0.1 ? damage(random, bytes) : bytes;
}

/** Checksums that match, where sizes allow it. @param {Buffer} bytes */
function repairTable(bytes) {
  const start = Number(bytes.readBigUInt64LE(512 + 72)) * 512;
  const end = start + bytes.readUInt32LE(512 + 80) * bytes.readUInt32LE(512 + 84);
  if (end <= bytes.length) bytes.writeUInt32LE(crc32(bytes.subarray(start, end)), 512 + 88);
  const size = bytes.readUInt32LE(512 + 12);
  if (size > 512 || size < 20) return;
  bytes.writeUInt32LE(0, 512 + 16);
  bytes.writeUInt32LE(crc32(bytes.subarray(512, 512 + size)), 512 + 16);
}

/** @param {Subjects} subjects @param {Uint8Array} input */
function checkTable({ readPartitionTable, resizePartitionTable, backupSize }, input) {
  const table = readPartitionTable(input);
  if (table === undefined) return;
  const resize = { volumeBefore: 1024 * 1024, sizeBefore: 1024 * 1024, volumeAfter: 4 * 1024 * 1024 };
  const size = resize.volumeAfter + backupSize(table);
  const { changes, backup } = resizePartitionTable(table, resize, Math.ceil(size / 512) * 512);
  let end = 0;
  for (const { offset, data } of changes.toSorted((a, b) => a.offset - b.offset)) {
    if (offset < end || offset + data.length > input.length)
      throw new Error('a change overlaps, or is outside');
    end = offset + data.length;
  }
  if (backup.length !== backupSize(table)) throw new Error('the backup has another size than was said');
  const changed = Buffer.from(input);
  for (const { offset, data } of changes) changed.set(data, offset);
  if (readPartitionTable(changed) === undefined) throw new Error('the table is not valid any more');
}

/** @param {Random} random @param {readonly Buffer[]} streams */
function damagedMiniso(random, streams) {
  const files = below(random, 5);
  const numbers = Array.from({ length: files * 3 }, (_, index) =>
    bincode(random, index % 3 === 2 ? [2048, 100, 0] : [0, index, 30, 64]),
  );
  const packed = pick(random, streams);
  const bytes = Buffer.concat([
    Buffer.from('MINISO\0\0', 'latin1'),
    random() < 0.95 ? Buffer.of(1) : bincode(random, []),
    Buffer.of(4),
    Buffer.from('fuzz'),
    random() < 0.9 ? Buffer.of(files) : bincode(random, [files]),
    ...numbers,
    noise(random, 32),
    random() < 0.9 ? wide(packed.length) : bincode(random, [packed.length]),
    packed,
  ]);
  return random() < 0.3 ? damage(random, bytes) : bytes;
}

/** A number in any of its forms, now and then in none. @param {Random} random @param {readonly number[]} around */
function bincode(random, around) {
  if (random() < 0.7 && around.length > 0) return Buffer.of(Math.min(pick(random, around), 250));
  const bytes = Buffer.alloc(9);
  const width = pick(random, [251, 252, 253, 254, 255]);
  bytes[0] = width;
  bytes.writeBigUInt64LE(wideEdge(random, around), 1);
  return bytes.subarray(0, 1 + (width === 251 ? 2 : width === 252 ? 4 : 8));
}

/** @param {number} value */
function wide(value) {
  const bytes = Buffer.alloc(9, 253);
  bytes.writeBigUInt64LE(BigInt(value), 1);
  return bytes;
}

// @ts-check
/**
 * Live ISOs with damage in the places that readers follow: descriptors, directory records, the JSON files that say where
 * areas are, headers of older images, partition tables, and the record of what was appended.
 */

import { crc32, gzipSync } from 'node:zlib';
import { isoEntries } from '../../support/isoEntries.js';
import { below, damage, edge, noise, pick, wideEdge } from './damage.js';
import { damagedTable, noiseOf } from './formats.js';

/**
 * @typedef {typeof import('./subjects.ts')} Subjects
 * @typedef {import('./damage.js').Random} Random
 * @typedef {import('./worker.js').Target} Target
 * @typedef {{ bytes: Buffer, records: readonly number[], files: ReadonlyMap<string, { offset: number, record: number, size: number }>, area: number }} Sample
 *   An image; `records` are offsets of directory records, `area` that of the embed area.
 * @typedef {Readonly<Record<'small' | 'grown' | 'large', readonly Sample[]>>} Samples
 */

const SECTOR = 2048;
/** Bytes of the small embed area that most samples have, to be quick. */
export const AREA = 4096;

/** @param {Subjects} subjects @returns {Promise<Readonly<Record<string, Target>>>} */
export async function imageTargets(subjects) {
  const samples = await sampleImages(subjects);
  return {
    'ISO 9660': {
      make: (random) => damagedImage(random, pickSample(random, samples)),
      run: (input) => readAll(subjects, input),
    },
    'JSON areas': {
      make: (random) => imageWithJson(random, pickSample(random, samples)),
      run: (input) => readAll(subjects, input),
    },
  };
}

/** All layouts, hybrid and grown too. @param {Subjects} subjects @returns {Promise<Samples>} */
export async function sampleImages(subjects) {
  const { hybridIso, liveIso, liveIsoWith } = subjects;
  const small = liveIsoWith((files) => files.set('images/ignition.img', new Uint8Array(AREA)));
  const withMiniso = liveIsoWith((files) => {
    files.set('images/ignition.img', new Uint8Array(AREA)).set('coreos/miniso.dat', new Uint8Array(2048));
  });
  const older = /** @type {const} */ (['2021-01', '2021-09', 's390x']).map((layout) => liveIso(layout));
  const sampled = (/** @type {readonly Uint8Array[]} */ images) =>
    Promise.all(images.map((image) => sampleOf(subjects, Buffer.from(image))));
  return {
    small: await sampled([small, withMiniso]),
    grown: await sampled([await grow(subjects, small)]),
    large: await sampled([...older, hybridIso(), await grow(subjects, hybridIso())]),
  };
}

/** Mostly one that takes little time. @param {Random} random @param {Samples} samples */
export function pickSample(random, { small, grown, large }) {
  const number = random();
  if (number < 0.02) return pick(random, large);
  return pick(random, number < 0.12 ? grown : small);
}

/** With a config that does not fit and a file on the medium. @param {Subjects} subjects @param {Uint8Array} image */
async function grow({ openLiveIso, bytesAccess, embedIgnition, changedImage }, image) {
  const base = bytesAccess(image);
  const config = noiseOf(image.length > 500_000 ? 300_000 : 2 * AREA);
  const mediumFiles = [{ name: 'extra.bin', content: bytesAccess(noiseOf(3000)) }];
  const change = await embedIgnition(await openLiveIso(base, 'any'), {
    config,
    existing: 'replace',
    mediumFiles,
  });
  const grown = changedImage(base, change);
  return grown.read(0, grown.size);
}

/** @param {Subjects} subjects @param {Buffer} bytes @returns {Promise<Sample>} */
async function sampleOf({ bytesAccess, openIsoTree, openLiveIso }, bytes) {
  const image = bytesAccess(bytes);
  /** @type {number[]} */
  const records = [];
  const files = new Map();
  for (const names of /** @type {const} */ (['primary', 'joliet'])) {
    const tree = await openIsoTree(image, names);
    records.push(tree.volume.root.sector * SECTOR);
    for await (const { path, entry } of isoEntries(tree)) {
      records.push(entry.recordOffset);
      if (entry.kind === 'directory') records.push(entry.offset, entry.offset + (bytes[entry.offset] ?? 0));
      if (names === 'primary')
        files.set(path, { offset: entry.offset, record: entry.recordOffset, size: entry.size });
    }
  }
  return { bytes, records, files, area: (await openLiveIso(image)).embedArea.offset };
}

/** @param {Random} random @param {Sample} sample */
export function damagedImage(random, sample) {
  const bytes = Buffer.from(sample.bytes);
  for (let edits = 1 + below(random, 4); edits > 0; edits--)
    pick(random, kindsOfDamage)(random, sample, bytes);
  if (random() < 0.05) return bytes.subarray(0, below(random, bytes.length));
  return bytes;
}

/** @type {readonly ((random: Random, sample: Sample, bytes: Buffer) => void)[]} */
const kindsOfDamage = [
  damageRecord,
  damageRecord,
  damageRecord,
  damageRecord,
  damageDescriptor,
  damageHeaders,
  damageAppendix,
  damageAppendix,
  (random, _sample, bytes) => {
    bytes.set(damagedTable(random, bytes.subarray(0, 32_768)).subarray(0, 32_768));
  },
  damageArea,
  (random, sample, bytes) => writeJson(random, sample, bytes),
  damageSector,
];

/** Offset in a directory record, and how many bytes. */
const RECORD_FIELDS = { length: 0, attributes: 1, extent: 2, size: 10, flags: 25, nameLength: 32, name: 33 };

/** @param {Random} random @param {Sample} sample @param {Buffer} bytes */
function damageRecord(random, { bytes: original, records }, bytes) {
  const record = pick(random, records);
  const length = original[record] ?? 34;
  const sectors = [16, 19, original.length / SECTOR, Math.floor(record / SECTOR), ...records.slice(0, 40).map((at) => original.readUInt32LE(at + 2))]; // prettier-ignore
  switch (below(random, 9)) {
    case 0:
      bytes[record] = below(random, random() < 0.5 ? 35 : 256);
      break;
    case 1:
    case 2:
      writeBoth(bytes, record + RECORD_FIELDS.extent, edge(random, sectors));
      break;
    case 3:
    case 4:
      writeBoth(
        bytes,
        record + RECORD_FIELDS.size,
        edge(random, [8 * 1024 * 1024, original.length, SECTOR * 2]),
      );
      break;
    case 5:
      bytes[record + pick(random, [RECORD_FIELDS.flags, RECORD_FIELDS.nameLength, RECORD_FIELDS.attributes])] = pick(random, [0, 1, 2, 0x80, 0x82, 255]); // prettier-ignore
      break;
    case 6:
      bytes.write(
        pick(random, ['..', '../X', '/', '\0', '\x1b[', 'VMLINUZ', '\n', 'COREOS']),
        record + RECORD_FIELDS.name,
        'latin1',
      );
      break;
    case 7: {
      const other = pick(random, records);
      original.copy(bytes, record, other, other + Math.min(length, original[other] ?? 0));
      break;
    }
    default:
      if (length > 34)
        bytes.set(noise(random, 8), Math.min(record + 34 + below(random, length - 34), bytes.length - 8));
  }
}

/** As ISO 9660 writes numbers: little endian, then big endian. @param {Buffer} bytes @param {number} at @param {number} value */
function writeBoth(bytes, at, value) {
  if (at + 8 > bytes.length) return;
  bytes.writeUInt32LE(value >>> 0, at);
  bytes.writeUInt32BE(value >>> 0, at + 4);
}

/** @param {Random} random @param {Sample} sample @param {Buffer} bytes */
function damageDescriptor(random, { records }, bytes) {
  const descriptor = (16 + below(random, 4)) * SECTOR;
  const sectors = [bytes.length / SECTOR, Math.floor(pick(random, records) / SECTOR)];
  switch (below(random, 5)) {
    case 0:
      bytes[descriptor + pick(random, [0, 1, 6, 88, 128])] = pick(random, [0, 1, 2, 3, 255]);
      break;
    case 1:
      writeBoth(bytes, descriptor + 80, edge(random, sectors));
      break;
    case 2:
      writeBoth(bytes, descriptor + 156 + 2, edge(random, sectors));
      break;
    case 3:
      writeBoth(bytes, descriptor + 156 + 10, edge(random, [8 * 1024 * 1024, bytes.length]));
      break;
    default:
      bytes.copy(bytes, descriptor, (16 + below(random, 4)) * SECTOR, (17 + below(random, 4)) * SECTOR);
  }
}

/** `coreiso+` and `coreKarg` of older images. @param {Random} random @param {Sample} sample @param {Buffer} bytes */
function damageHeaders(random, { area }, bytes) {
  if (random() < 0.5) {
    bytes.write('coreiso+', 32_744, 'latin1');
    bytes.writeBigUInt64LE(wideEdge(random, [area]), pick(random, [32_752, 32_760]));
    return;
  }
  bytes.write('coreKarg', 32_672, 'latin1');
  const around = [area, 100, 1000, 2048, bytes.length];
  for (let at = 32_680; at < 32_744; at += 8)
    bytes.writeBigUInt64LE(random() < 0.3 ? 0n : wideEdge(random, around), at);
}

/** The record at the end of the volume, under a checksum that matches. @param {Random} random @param {Sample} sample @param {Buffer} bytes */
function damageAppendix(random, { records, area }, bytes) {
  const end = bytes.readUInt32LE(16 * SECTOR + 80) * SECTOR;
  if (end > bytes.length || end < 20 * SECTOR) return;
  const offsets = [16 * SECTOR + 80, 17 * SECTOR + 80, 18 * SECTOR + 80, area, 512, bytes.length - 16, ...records.slice(0, 60).map((at) => at + 2)]; // prettier-ignore
  const original = () => [
    pick(random, [pick(random, offsets), edge(random, [bytes.length]), -1, 1.5, '0']),
    random() < 0.9
      ? noise(random, pick(random, [8, 16, 16, 4, 0, 300])).toString('base64')
      : pick(random, ['*', null, 5]),
  ];
  const value = pick(random, [
    {
      originalSize: end - SECTOR * (1 + below(random, 8)),
      originals: Array.from({ length: below(random, 8) }, original),
    },
    { originalSize: edge(random, [end, bytes.length]), originals: [original(), original()] },
    { originalSize: pick(random, [-1, 1e300, 'x', 0.5, 2048]), originals: pick(random, [[], null, {}, 'x']) },
    pick(random, [null, [], 5, 'x']),
  ]);
  const json = Buffer.from(random() < 0.95 ? JSON.stringify(value) : '{"originalSize":');
  const start = end - Math.ceil((json.length + 32) / SECTOR) * SECTOR;
  if (start < 0) return;
  bytes.fill(0, start, end);
  json.copy(bytes, start);
  bytes.write('ironic-coreos/1\0', end - 32, 'latin1');
  bytes.writeUInt32LE(random() < 0.9 ? json.length : edge(random, [end, json.length]) >>> 0, end - 16);
  bytes.writeUInt32LE(crc32(json), end - 12);
}

const member = Buffer.from('0707010000000000008180000000000000000000000001000000000000000200000000000000000000000000000000000000000b00000000config.ign\0\0\0{}\0\0', 'latin1'); // prettier-ignore
/** What an embed area gets: an archive without trailer, and far more zeros than an area holds. */
const areaContents = [gzipSync(member), member, Buffer.alloc(AREA, 0x30), gzipSync(Buffer.alloc(2_000_000))];

/** @param {Random} random @param {Sample} sample @param {Buffer} bytes */
function damageArea(random, { area }, bytes) {
  const archive = pick(random, areaContents);
  bytes.set(
    (random() < 0.5 ? damage(random, archive) : archive).subarray(0, Math.min(AREA, bytes.length - area)),
    area,
  );
}

/** @param {Random} random @param {Sample} sample @param {Buffer} bytes */
function damageSector(random, { records }, bytes) {
  const start =
    random() < 0.6
      ? Math.floor(pick(random, records) / SECTOR) * SECTOR
      : below(random, bytes.length / SECTOR) * SECTOR;
  const sector = bytes.subarray(start, start + SECTOR);
  sector.set(damage(random, sector).subarray(0, sector.length));
}

/** @param {Random} random @param {Sample} sample */
function imageWithJson(random, sample) {
  const bytes = Buffer.from(sample.bytes);
  for (let edits = 1 + below(random, 2); edits > 0; edits--) writeJson(random, sample, bytes);
  if (random() < 0.2) damageRecord(random, sample, bytes);
  return bytes;
}

const JSON_FILES = /** @type {const} */ (['coreos/kargs.json', 'coreos/igninfo.json', 'coreos/features.json', 'coreos/miniso.dat']); // prettier-ignore

/** Other contents for one of the files that say where things are. @param {Random} random @param {Sample} sample @param {Buffer} bytes */
function writeJson(random, sample, bytes) {
  const path = pick(random, JSON_FILES);
  const file = sample.files.get(path);
  if (file === undefined) return;
  const known = bytes.toString('utf8', file.offset, file.offset + file.size);
  const content = Buffer.from(random() < 0.3 ? editedNumbers(random, known) : jsonFor(random, path, sample));
  const room = Math.ceil(file.size / SECTOR) * SECTOR;
  bytes.fill(pick(random, [' ', '\0', '\n']), file.offset, file.offset + room);
  content.subarray(0, room).copy(bytes, file.offset);
  writeBoth(
    bytes,
    file.record + RECORD_FIELDS.size,
    random() < 0.9 ? Math.min(content.length, room) : edge(random, [room, 1024 * 1024]),
  );
}

/** @param {Random} random @param {string} text */
function editedNumbers(random, text) {
  return text.replace(/\d+/g, (number) =>
    random() < 0.4 ? String(anyNumber(random, Number(number))) : number,
  );
}

/** @param {Random} random @param {number} near */
function anyNumber(random, near) {
  return pick(random, [near, near, edge(random, [near]), -1, 0.5, 1e300, 2 ** 53, Number.MAX_SAFE_INTEGER]);
}

/** @param {Random} random @param {typeof JSON_FILES[number]} path @param {Sample} sample */
function jsonFor(random, path, { files }) {
  const file = () => (random() < 0.85 ? pick(random, [...files.keys()]) : pick(random, ['', '..', '../x', '/', 'images', 'x'.repeat(300), 5, null, '\n\x1b[2J'])); // prettier-ignore
  const size = () => (random() < 0.5 ? pick(random, [0, 1, 100, 1000]) : anyNumber(random, 1100));
  const odd = () => pick(random, [null, [], {}, 'x', 0, '[['.repeat(900), true]);
  switch (path) {
    case 'coreos/igninfo.json':
      return JSON.stringify(pick(random, [{ file: file() }, { file: file(), offset: size(), length: size() }, { file: file(), length: size() }, odd()])); // prettier-ignore
    case 'coreos/features.json':
      return JSON.stringify(
        pick(random, [{ 'installer-config': odd() }, { 'installer-config-directives': odd() }, odd()]),
      );
    case 'coreos/kargs.json': {
      const place = () => ({ path: file(), offset: size(), pad: pick(random, ['#', '\0', '', 'ü', '##', 5, null, undefined, ' ']), end: pick(random, ['\n', '', '\0', null, undefined, ' ', '#']) }); // prettier-ignore
      const list = Array.from({ length: pick(random, [0, 1, 2, 3, 40]) }, () =>
        random() < 0.95 ? place() : odd(),
      );
      const defaults = pick(random, ['a b', '', 'x'.repeat(below(random, 1200)), 'ü\n', '\u0085 x', 5]);
      return JSON.stringify(
        random() < 0.9 ? { default: defaults, size: size(), files: random() < 0.9 ? list : odd() } : odd(),
      );
    }
    case 'coreos/miniso.dat':
      break;
  }
  return noise(random, 100).toString('latin1');
}

/**
 * Everything that reading commands ask an image for; what one of them cannot have does not keep the others from theirs.
 * @param {Subjects} subjects @param {Uint8Array} input
 */
async function readAll(subjects, input) {
  const { bytesAccess, findPxeFiles, openIsoTree, openLiveIso, openMinimalIso, readAppendix } = subjects;
  const image = bytesAccess(input);
  const tree = await openIsoTree(image);
  const attempts = [
    () => readAppendix(tree),
    () => walked(tree),
    async () => walked(await openIsoTree(image, 'joliet')),
    () => findPxeFiles(tree),
    () => tree.find('images/pxeboot/rootfs.img'),
  ];
  attempts.push(async () => {
    const iso = await openLiveIso(image);
    for (const read of [
      () => iso.kargsAreas(),
      () => iso.embeddedFiles(),
      () => iso.features(),
      () => openMinimalIso(iso),
    ]) {
      await tolerate(subjects, read);
    }
  });
  for (const attempt of attempts) await tolerate(subjects, attempt);
}

/** @param {Awaited<ReturnType<Subjects['openIsoTree']>>} tree */
async function walked(tree) {
  for await (const _ of isoEntries(tree));
}

/** A `CliError` is an answer, which has to be fit for being shown. @param {Subjects} subjects @param {() => Promise<unknown>} attempt */
export async function tolerate({ CliError, formatDiagnostic }, attempt) {
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    checkMessage(error, formatDiagnostic);
    return undefined;
  }
}

/** @param {Error & { hint: string | undefined }} error @param {Subjects['formatDiagnostic']} formatDiagnostic */
export function checkMessage({ message, hint }, formatDiagnostic) {
  const lines = formatDiagnostic({ severity: 'error', message, hint }).trimEnd().split('\n');
  if (lines.length > 2) throw new Error(`the message has ${lines.length} lines`);
  if (message.length > 10_000) throw new Error(`the message has ${message.length} characters`);
}

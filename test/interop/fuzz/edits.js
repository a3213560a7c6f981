// @ts-check
/**
 * Real edits of damaged images. Where one of them succeeds, its patches are within the image or behind it and do not
 * overlap, and the result says what was put in.
 */

import { below } from './damage.js';
import { noiseOf } from './formats.js';
import { AREA, damagedImage, pickSample, sampleImages } from './images.js';

/**
 * @typedef {typeof import('./subjects.ts')} Subjects
 * @typedef {import('./worker.js').Target} Target
 * @typedef {Awaited<ReturnType<Subjects['openLiveIso']>>} LiveIso
 * @typedef {Awaited<ReturnType<Subjects['embedIgnition']>>} ImageChange
 * @typedef {{ name: string, change: (iso: LiveIso) => Promise<ImageChange>, check?: (after: LiveIso) => Promise<boolean>, longer?: number }} Edit
 *   `longer` is how many bytes the image may grow by, without what is rounded up.
 */

const small = Buffer.from('{"ignition":{"version":"3.4.0"}}');
const large = noiseOf(AREA + 500);
/** Room for the record of originals, the backup of a partition table, and the ends of sectors. */
const ROUNDING = 400 * 1024;

/** @param {Subjects} subjects @returns {Promise<Readonly<Record<string, Target>>>} */
export async function editTargets(subjects) {
  const samples = await sampleImages(subjects);
  const edits = editsOf(subjects);
  return {
    edits: {
      make: (random) => {
        const sample = pickSample(random, samples);
        const image = random() < 0.1 ? Buffer.from(sample.bytes) : damagedImage(random, sample);
        return Buffer.concat([image, Buffer.of(below(random, edits.length))]);
      },
      run: (input) => runEdit(subjects, edits[input.at(-1) ?? 0], input.subarray(0, -1)),
    },
  };
}

/** @param {string} kargs */
const hasKargs = (kargs) => async (/** @type {LiveIso} */ after) =>
  (await after.kargsAreas())?.current === kargs;

/** @param {Subjects} subjects @returns {Edit[]} */
function editsOf(subjects) {
  const { bytesAccess, customizeIso, embedIgnition, readIgnition, removeIgnition } = subjects;
  const { resetDamagedIso, resetIso, restoreDefaultKargs } = subjects;
  /** @param {Uint8Array} config */
  const hasConfig = (config) => async (/** @type {LiveIso} */ after) =>
    Buffer.compare((await readIgnition(after)) ?? Buffer.of(), config) === 0;
  const file = { name: 'added.bin', content: bytesAccess(noiseOf(5000)) };
  return [
    {
      name: 'embed',
      change: (iso) => embedIgnition(iso, { config: small, existing: 'replace' }),
      check: hasConfig(small),
    },
    {
      name: 'embed --grow',
      change: (iso) => embedIgnition(iso, { config: large, existing: 'replace' }),
      check: hasConfig(large),
      longer: large.length,
    },
    {
      name: 'embed --iso-file',
      change: (iso) => embedIgnition(iso, { config: small, existing: 'replace', mediumFiles: [file] }),
      check: async (after) =>
        (await hasConfig(small)(after)) && (await after.tree.find('coreos/added.bin'))?.size === 5000,
      longer: 5000,
    },
    { name: 'kargs', change: (iso) => iso.change({ kargs: 'x=1 y' }), check: hasKargs('x=1 y') },
    {
      name: 'customize',
      change: async (iso) =>
        (await customizeIso(iso, new Map([['config.ign', small]]), { append: ['z'] })).change,
      check: hasConfig(small),
    },
    {
      name: 'remove',
      change: removeIgnition,
      check: async (after) => (await readIgnition(after)) === undefined,
    },
    { name: 'reset', change: resetIso, check: async (after) => (await after.embeddedFiles()).size === 0 },
    {
      name: 'reset --force',
      change: resetDamagedIso,
      check: async (after) => (await after.embeddedFiles()).size === 0,
    },
    { name: 'kargs reset', change: restoreDefaultKargs },
  ];
}

/** @param {Subjects} subjects @param {Edit | undefined} edit @param {Uint8Array} bytes */
async function runEdit(subjects, edit, bytes) {
  if (edit === undefined) throw new RangeError('no such edit');
  const image = subjects.bytesAccess(bytes);
  const iso = await subjects.openLiveIso(image, 'any');
  const change = await edit.change(iso);
  checkPatches(change, image.size, edit);
  const after = subjects.changedImage(image, change);
  const result = Buffer.from(await after.read(0, after.size));
  if (edit.check === undefined) return;
  if (!(await readsBack(subjects, edit.check, result)))
    throw new Error(`${edit.name}: the result does not have what was put in`);
}

/** Errors of reading back are no answer to the edit, which succeeded. @param {Subjects} subjects @param {NonNullable<Edit['check']>} check @param {Uint8Array} result */
async function readsBack({ openLiveIso, bytesAccess, CliError }, check, result) {
  try {
    return await check(await openLiveIso(bytesAccess(result), 'any'));
  } catch (error) {
    if (error instanceof CliError) throw new Error('the result cannot be read', { cause: error });
    throw error;
  }
}

/** @param {ImageChange} change @param {number} imageSize @param {Edit} edit */
function checkPatches({ patches, size: sizeAfter }, imageSize, { name, longer = 0 }) {
  const size = sizeAfter ?? imageSize;
  const most = imageSize + longer + ROUNDING;
  const ranges = patches
    .map(({ offset, data }) => ({ offset, end: offset + ('length' in data ? data.length : data.size) }))
    .filter(({ offset, end }) => offset !== end)
    .toSorted((left, right) => left.offset - right.offset);
  if (size > most || size < 0 || !Number.isSafeInteger(size))
    throw new Error(`${name}: the size becomes ${size}`);
  let previous = 0;
  for (const { offset, end } of ranges) {
    if (!Number.isSafeInteger(offset) || offset < previous)
      throw new Error(`${name}: patches overlap at ${offset}`);
    if (end > most || (offset < imageSize && end > imageSize))
      throw new Error(`${name}: a patch ends at ${end} of ${imageSize}`);
    previous = end;
  }
}

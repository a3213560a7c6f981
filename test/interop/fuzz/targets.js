// @ts-check
/** What is fuzzed, by the names that `--only` takes. */

import { pathToFileURL } from 'node:url';

/** @typedef {import('./worker.js').Target} Target */

/** Groups of targets, in the order of running; a group is loaded only where one of its targets is. */
export const targetNames = {
  validator: [
    'random bytes',
    'JSON-like text',
    'random configs',
    'mutated configs',
    'URLs',
    'units',
    'agent confs',
  ],
  formats: ['cpio', 'gzip', 'xz', 'zstd', 'initramfs', 'tar', 'partition table', 'miniso.dat'],
  butane: ['butane'],
  network: ['network data'],
  images: ['ISO 9660', 'JSON areas'],
  edits: ['edits'],
};

/** @param {string} name @param {string} bundle path of the bundled `subjects.ts` @returns {Promise<Target>} */
export async function loadTarget(name, bundle) {
  const target = (await targetsWith(name, bundle))[name];
  if (target === undefined) throw new RangeError(`no target is named ${name}`);
  return target;
}

/** @param {string} name @param {string} bundle @returns {Promise<Readonly<Record<string, Target>>>} */
async function targetsWith(name, bundle) {
  /** @type {import('./formats.js').Subjects} */
  const subjects = await import(pathToFileURL(bundle).href);
  if (targetNames.validator.includes(name)) {
    return (await import('./validator.js')).validatorTargets(subjects);
  }
  if (targetNames.formats.includes(name)) return (await import('./formats.js')).formatTargets(subjects);
  if (targetNames.butane.includes(name)) return (await import('./butane.js')).butaneTargets(subjects);
  if (targetNames.network.includes(name)) return (await import('./network.js')).networkTargets(subjects);
  if (targetNames.images.includes(name)) return (await import('./images.js')).imageTargets(subjects);
  return (await import('./edits.js')).editTargets(subjects);
}

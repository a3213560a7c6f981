// @ts-check
/** What the executable runs. Its files, the chunks of the program and their compiled code are in it as assets. */

import { getAsset, getRawAsset } from 'node:sea';
import { createLoader } from './loader.js';

const { load } = createLoader((name) => ({ code: latin1(`code/${name}`), compiled: compiledCode(name) }), {
  readAsset: (path) => getAsset(path, 'utf8'),
});
void load('./program.cjs')
  .main(process.argv)
  .then((/** @type {number} */ exitCode) => {
    process.exitCode = exitCode;
  });

/** @param {string} name */
function latin1(name) {
  return Buffer.from(getRawAsset(name)).latin1Slice();
}

/** Undefined for chunks that no short command needs, and for executables made on another platform. @param {string} name */
function compiledCode(name) {
  try {
    return Buffer.from(getRawAsset(`compiled/${name}`));
  } catch {
    return undefined;
  }
}

// @ts-check
/**
 * Runs the chunks of the program from memory: those of the executable, and the same ones while their compiled code is made. V8
 * uses compiled code only for the same source code.
 */

import { Script } from 'node:vm';

/** The module by which the program reads the files of the package. */
export const ASSETS = 'executable:assets';

/** @typedef {{ code: string, compiled?: Uint8Array | undefined }} Chunk code: in the form of `wrapCode` */

/** @param {string} code of a chunk, in CommonJS @returns {string} a function */
export function wrapCode(code) {
  return `(function (exports, require) { ${code}\n})`;
}

/**
 * @param {(name: string) => Chunk} readChunk
 * @param {{ readAsset(path: string): string }} assets
 */
export function createLoader(readChunk, assets) {
  /** @type {Map<string, object>} */
  const modules = new Map();
  /** @type {Map<string, Script>} */
  const scripts = new Map();
  /** @param {string} id as the chunks require it: a chunk such as `./yaml.cjs`, a module of Node, or `ASSETS` @returns {any} */
  const load = (id) => {
    if (id === ASSETS) return assets;
    if (!id.startsWith('./')) return process.getBuiltinModule(id);
    const known = modules.get(id);
    if (known !== undefined) return known;
    const exported = {};
    modules.set(id, exported);
    const { code, compiled } = readChunk(id.slice(2));
    const script = new Script(code, {
      filename: id,
      ...(compiled !== undefined && { cachedData: compiled }),
    });
    scripts.set(id.slice(2), script);
    script.runInThisContext()(exported, load);
    return exported;
  };
  return { load, scripts };
}

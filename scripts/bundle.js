// @ts-check
/**
 * Bundles the program and the library into one set of chunks in `dist/`, with the types of the library and the licences of what
 * is inside. Run by node: rolldown's own command would list every chunk to those who only want to start the program.
 */

import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import { licensesInside } from './bundle/licenses.js';
import { bundleOptions, chunks, outputOptions } from './bundle/options.js';

const root = resolve(import.meta.dirname, '..');
const dir = resolve(root, 'dist');

/** @type {{ exports: Record<string, string | { default: string }> }} */
const { exports } = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8'));
const library = Object.fromEntries(
  Object.values(exports).flatMap((target) => {
    if (typeof target === 'string') return [];
    const name = target.default.replace(/^\.\/dist\/|\.js$/g, '');
    return [[name, name === 'index' ? 'src/index.ts' : `src/library/${name}.ts`]];
  }),
);

const code = await rolldown({
  ...bundleOptions,
  input: { cli: 'src/cli/main.ts', ...library },
  preserveEntrySignatures: 'strict', // names that only chunks share are no part of the library
  plugins: [licensesInside('bundled.LICENSES')],
});
await code.write({
  dir,
  ...outputOptions,
  cleanDir: true,
  codeSplitting: { groups: chunks },
  // With hashes: an old program that still runs after an upgrade must not load chunks of the new version.
  chunkFileNames: '[name]-[hash].js',
});

// tsc writes the types of each module. One file for each entry has those that the library needs.
const declarations = resolve(dir, 'declarations');
const tsc = resolve(root, 'node_modules/typescript/bin/tsc');
const config = resolve(import.meta.dirname, 'bundle/tsconfig.json');
execFileSync(process.execPath, [tsc, '-p', config], { stdio: 'inherit' });
const types = await rolldown({
  ...bundleOptions,
  input: Object.fromEntries(
    Object.entries(library).map(([name, source]) => [
      name,
      source.replace(/^src/, declarations).replace(/ts$/, 'd.ts'),
    ]),
  ),
  treeshake: true, // types that nothing refers to are not needed
  experimental: { attachDebugInfo: 'none' }, // names of files that are removed
  plugins: [{ name: 'types-of-modules', resolveId: typesOfModule }, dts({ dtsInput: true, tsconfig: false })],
});
await types.write({ dir: resolve(dir, 'types'), chunkFileNames: '[name].d.ts' });
rmSync(declarations, { recursive: true });

/** tsc leaves the names of sources in imports. @param {string} id @param {string} [from] path of the importing file */
function typesOfModule(id, from) {
  return from !== undefined && /^\..*(?<!\.d)\.ts$/.test(id)
    ? resolve(dirname(from), id.replace(/ts$/, 'd.ts'))
    : null;
}

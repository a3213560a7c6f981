// @ts-check
/**
 * Bundles the program and the library into one set of chunks in `dist/`, with the types of the library and the licences of what
 * is inside. Run by node: rolldown's own command would list every chunk to those who only want to start the program.
 */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
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
  // Hashes, as a program that is replaced while it runs would load chunks of the other version.
  chunkFileNames: '[name]-[hash].js',
});

const types = await rolldown({
  ...bundleOptions,
  input: library,
  treeshake: true, // types that nothing refers to are not needed
  plugins: [
    dts({
      dtsOnly: true,
      tsconfig: 'scripts/bundle/tsconfig.json',
      // Each build would print what the plugin plans for TypeScript 7.1.
      logger: { info: () => {}, warn: () => {}, error: (text) => process.stderr.write(`${text}\n`) },
    }),
  ],
});
await types.write({ dir: resolve(dir, 'types'), chunkFileNames: '[name].d.ts' });

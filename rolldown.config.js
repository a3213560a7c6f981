// @ts-check
/**
 * Bundles the program and the library into `dist/`; types are left to tsc. The program is CommonJS, as Node starts that
 * sooner, and loads everything when it is first used: most of the time of a short command goes into Node's finding,
 * compiling and running modules. Run by node: rolldown's own command would list every chunk to those who only want to
 * start the program.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { rolldown } from 'rolldown';
import { licensesInside } from './scripts/bundle/licenses.js';
import { loadedWhenUsed } from './scripts/bundle/loadedWhenUsed.js';
import { programChunks, smallerBuilds } from './scripts/bundle/program.js';
import { withoutUnusedParts } from './scripts/bundle/withoutUnusedParts.js';

// All dependencies are inside: the package is installed without a network, its install runs no code of others, and users get the
// versions that were tested. A list of them is beside each release (CycloneDX).
const external = /^node:/;

/** @type {{ exports: Record<string, string | { types: string }> }} */
const { exports } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

/** So that bin/codeCache.js can tell by the name whether it knows the content. */
const CHUNK = '[name]-[hash].cjs';

/** Chunks are directly in `dist/`: src/core/assets.ts finds the files of the package from there. */
const output = { dir: 'dist', comments: false };

const licenses = licensesInside('bundled.LICENSES');

// Half a megabyte each, of which the program and the library share one copy.
const thirdParty = await rolldown({
  input: { openpgp: 'openpgp', 'node-forge': 'node-forge' },
  platform: 'node',
  resolve: smallerBuilds,
  logLevel: 'warn',
  plugins: [licenses],
});
const { output: thirdPartyChunks } = await thirdParty.write({
  ...output,
  format: 'cjs',
  cleanDir: true,
  entryFileNames: CHUNK,
  chunkFileNames: CHUNK,
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
});
/** @type {Map<string, string>} names of the packages to paths of their copies */
const copies = new Map(
  thirdPartyChunks.flatMap((chunk) =>
    chunk.type === 'chunk' && chunk.isEntry ? [[chunk.name, `./${chunk.fileName}`]] : [],
  ),
);
const sharedCopies = {
  name: 'shared-copies',
  /** @param {string} id */
  resolveId: (id) => {
    const path = copies.get(id);
    return path === undefined ? null : { id: path, external: true };
  },
};

/** The sources of the entries, by the names of their files in `dist/`. */
const entries = Object.fromEntries(
  Object.entries(exports).flatMap(([path, target]) =>
    typeof target === 'string'
      ? []
      : [[path === '.' ? 'index' : path.slice('./'.length), sourceOf(target.types)]],
  ),
);

const library = await rolldown({
  input: entries,
  platform: 'node',
  resolve: smallerBuilds,
  logLevel: 'warn',
  checks: { ineffectiveDynamicImport: false }, // it exports what the program's commands load late
  preserveEntrySignatures: 'strict', // names that only its chunks share are no part of the library
  external,
  plugins: [sharedCopies, withoutUnusedParts(), licenses],
});
await library.write({ ...output, entryFileNames: '[name].js', chunkFileNames: 'library.[name].js' });

const program = await rolldown({
  input: { cli: 'src/cli/main.ts' },
  platform: 'node',
  resolve: smallerBuilds,
  logLevel: 'warn',
  checks: { ineffectiveDynamicImport: false }, // loadedWhenUsed makes static imports late as well
  preserveEntrySignatures: 'allow-extension',
  external,
  plugins: [sharedCopies, withoutUnusedParts(), loadedWhenUsed('require("./importModule.cjs")'), licenses],
});
const { output: chunks } = await program.write({
  ...output,
  format: 'cjs',
  entryFileNames: CHUNK,
  chunkFileNames: CHUNK,
  codeSplitting: { groups: programChunks },
});
writeFileSync('dist/importModule.cjs', 'module.exports = (id) => import(id);\n');
writeFileSync('dist/cli.cjs', `module.exports = require('./${chunks[0].fileName}');\n`);

/** The source of `./dist/library/image.d.ts` is `src/library/image.ts`. @param {string} types */
function sourceOf(types) {
  return types.replace(/^\.\/dist\//, 'src/').replace(/\.d\.ts$/, '.ts');
}

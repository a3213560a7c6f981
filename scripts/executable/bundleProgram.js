// @ts-check
/** The whole program with all its dependencies, in the chunks that the executable's loader reads. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { licensesInside } from '../bundle/licenses.js';
import { loadedWhenUsed } from '../bundle/loadedWhenUsed.js';
import { programChunks, smallerBuilds } from '../bundle/program.js';
import { withoutUnusedParts } from '../bundle/withoutUnusedParts.js';
import { assetsInside } from './assets.js';
import { ASSETS, wrapCode } from './loader.js';

const LICENSES = 'LICENSES';

/**
 * @param {string} root folder of the package, built
 * @param {string} folder where the chunks are written
 * @returns {Promise<string>} licences of the packages that are in them
 */
export async function bundleProgram(root, folder) {
  const bundle = await rolldown({
    input: { program: join(root, 'src/cli/main.ts') },
    cwd: root,
    platform: 'node',
    resolve: smallerBuilds,
    logLevel: 'warn',
    checks: { ineffectiveDynamicImport: false }, // loadedWhenUsed makes static imports late as well
    preserveEntrySignatures: 'allow-extension',
    external: [/^node:/, ASSETS],
    plugins: [
      assetsInside(root),
      withoutUnusedParts(),
      loadedWhenUsed('(async (id) => require(id))'),
      licensesInside(LICENSES),
    ],
  });
  const { output } = await bundle.generate({
    comments: false,
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
    codeSplitting: { groups: programChunks },
  });
  const chunks = output.filter((file) => file.type === 'chunk');
  for (const { fileName, code } of chunks) writeFileSync(join(folder, fileName), wrapCode(inAscii(code)));
  const licenses = output.find((file) => file.type === 'asset' && file.fileName === LICENSES);
  if (licenses?.type !== 'asset') throw new Error('The licences are missing');
  return String(licenses.source);
}

/** The script that the executable runs first, as one file of CommonJS. @param {string} file */
export async function bundleLoader(file) {
  const bundle = await rolldown({
    input: join(import.meta.dirname, 'main.js'),
    platform: 'node',
    logLevel: 'warn',
    external: /^node:/,
  });
  await bundle.write({ file, comments: false, format: 'cjs' });
}

/**
 * One byte for each character: V8 reads this form fastest.
 * @param {string} code where other characters are in literals only
 */
function inAscii(code) {
  return code.replaceAll(
    /[^\0-\x7f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

// @ts-check
/** The whole program as one file of CommonJS. What only some commands need is in it too, but is run by them only. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { licensesInside } from '../bundle/licenses.js';
import { loadedWhenUsed } from '../bundle/loadedWhenUsed.js';
import { withoutUnusedParts } from '../bundle/withoutUnusedParts.js';
import { assetsInside } from './assets.js';

const LICENSES = 'LICENSES';

/**
 * @param {string} root folder of the package, built
 * @param {string} dir where the file is written
 * @returns {Promise<{ program: string, licenses: string }>} path of the program; licences of the packages that are in it
 */
export async function bundleProgram(root, dir) {
  const bundle = await rolldown({
    input: { program: join(root, '.ci/executable/main.js') },
    cwd: root,
    platform: 'node',
    logLevel: 'warn',
    external: /^node:/,
    plugins: [assetsInside(root), withoutUnusedParts(), loadedWhenUsed('import'), licensesInside(LICENSES)],
  });
  const { output } = await bundle.generate({ comments: false, format: 'cjs', codeSplitting: false });
  const [chunk, ...others] = output;
  const licenses = others.find(({ fileName }) => fileName === LICENSES);
  if (licenses?.type !== 'asset' || others.length !== 1) throw new Error('The program is not in one file');
  const program = join(dir, 'program.cjs');
  writeFileSync(program, inAscii(chunk.code));
  return { program, licenses: String(licenses.source) };
}

/**
 * Saves a tenth of the time to start: of text with any other character, V8 keeps and reads two bytes for each.
 * @param {string} code where others are in literals only
 */
function inAscii(code) {
  return code.replaceAll(
    /[^\0-\x7f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

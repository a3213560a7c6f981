// @ts-check
/**
 * Makes the single-file executable: Node itself with the program, all its dependencies and its files inside, and beside it
 * the licences of all of these. To be run after the build:
 *
 *   node scripts/executable.js [--output FILE] [--node NODE] [--builder NODE]
 *
 * It is for the platform of the Node that goes into it, 25.5 or newer: by default of the one that runs this. To make it for
 * another platform, pass as the builder a Node of the same version that runs here.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { listAssets } from './executable/assets.js';
import { describeLicenses } from './executable/licenses.js';

/** @type {import('node:child_process').StdioOptions} what it does is not news, what goes wrong is */
const stdio = ['ignore', 'ignore', 'inherit'];

const root = resolve(import.meta.dirname, '..');
const suffix = process.platform === 'win32' ? '.exe' : '';
const { values } = parseArgs({
  options: {
    output: {
      type: 'string',
      default: join(root, `release/ironic-coreos-${process.platform}-${process.arch}${suffix}`),
    },
    node: { type: 'string', default: process.execPath },
    builder: { type: 'string' },
  },
});
makeExecutable(resolve(values.output), values.node, values.builder ?? values.node);

/** @param {string} file @param {string} node @param {string} builder */
function makeExecutable(file, node, builder) {
  const folder = mkdtempSync(join(tmpdir(), 'executable-'));
  try {
    mkdirSync(dirname(file), { recursive: true });
    copyFileSync(node, file);
    chmodSync(file, 0o755);
    if (process.platform === 'linux' && node === builder) stripSymbols(file);
    putInside(file, builder, folder);
    if (process.platform === 'darwin') signForThisMachine(file);
    const licenses = readFileSync(join(root, 'dist/bundled.LICENSES'), 'utf8');
    writeFileSync(`${file}.LICENSES`, `${describeLicenses(node, builder)}${licenses}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A quarter of Node's file on Linux; the symbols that addons use are not among them. Without binutils they stay. @param {string} file */
function stripSymbols(file) {
  const { error, status } = spawnSync('strip', ['--strip-all', file], { stdio });
  if (error === undefined && status !== 0) throw new Error(`strip failed with ${status}`);
}

/** macOS runs only signed code on Apple silicon; the signature of Node is not valid any more. @param {string} file */
function signForThisMachine(file) {
  execFileSync('codesign', ['--force', '--sign', '-', file], { stdio });
}

/** @param {string} file a Node of its own @param {string} builder @param {string} folder for files in between */
function putInside(file, builder, folder) {
  const made = join(folder, 'made');
  copyFileSync(join(import.meta.dirname, 'executable/main.cjs'), join(folder, 'main.cjs'));
  // The name of the main script ends up inside, that of the folder is to stay out.
  const settings = {
    main: 'main.cjs',
    output: 'made',
    disableExperimentalSEAWarning: true,
    assets: listAssets(root),
  };
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ ...settings, executable: file }));
  execFileSync(builder, ['--build-sea', 'config.json'], { cwd: folder, stdio });
  copyFileSync(made, file);
  chmodSync(file, 0o755);
}

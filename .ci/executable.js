// @ts-check
/**
 * Makes the single-file executable: Node itself with the program, all its dependencies and its files inside, and beside it
 * the licences of all of these. To be run after the build:
 *
 *   node .ci/executable.js [--output FILE] [--node NODE]
 *
 * It is for the platform of the Node that goes into it: by default of the one that runs this.
 */

import { execFileSync } from 'node:child_process';
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
import { basename, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bundleProgram } from './executable/bundleProgram.js';
import { listAssets } from './executable/assets.js';
import { describeLicenses } from './executable/licenses.js';

/** What the programs of Node have where they find out whether there is a program inside. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

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
  },
});
await makeExecutable(resolve(values.output), values.node);

/** @param {string} file @param {string} node */
async function makeExecutable(file, node) {
  const folder = mkdtempSync(join(tmpdir(), 'executable-'));
  try {
    const { program, licenses } = await bundleProgram(root, folder);
    mkdirSync(dirname(file), { recursive: true });
    rmSync(file, { force: true });
    await putInside(node, { program, file, folder });
    chmodSync(file, 0o755);
    writeFileSync(`${file}.LICENSES`, describeLicenses(node) + licenses);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param {string} node @param {{ program: string, file: string, folder: string }} paths */
async function putInside(node, { program, file, folder }) {
  // The name of the program ends up inside, that of the folder is to stay out.
  const settings = {
    main: basename(program),
    output: 'made',
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    assets: listAssets(root),
  };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(settings));
  const made = join(folder, 'made');
  // By the same Node: the compiled code is for this version only.
  if (canBuild(node)) {
    execFileSync(node, ['--build-sea', 'config.json'], { cwd: folder, stdio });
    copyFileSync(made, file);
  } else {
    execFileSync(node, ['--experimental-sea-config', 'config.json'], { cwd: folder, stdio });
    copyFileSync(node, file);
    await inject(file, made);
  }
}

/** Whether it needs no other program for it, as since 25.5. @param {string} node */
function canBuild(node) {
  const version = execFileSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' });
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 25 || (major === 25 && minor >= 5);
}

/** @param {string} file a Node of its own @param {string} blob what it is to run */
async function inject(file, blob) {
  const { inject: injectResource } = await import('postject');
  chmodSync(file, 0o755);
  await injectResource(file, 'NODE_SEA_BLOB', readFileSync(blob), {
    sentinelFuse: FUSE,
    machoSegmentName: 'NODE_SEA',
  });
}

// @ts-check
/**
 * Makes the single-file executable: Node itself with the program, all its dependencies and its files inside, and beside it
 * the licences of all of these. To be run after the build:
 *
 *   node scripts/executable.js [--output FILE] [--node NODE] [--builder NODE]
 *
 * It is for the platform of the Node that goes into it: by default of the one that runs this. To make it for another platform,
 * pass as the builder a Node of the same version that runs here. Such an executable starts more slowly, because V8 compiles
 * code for the processor that it runs on only.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { listAssets } from './executable/assets.js';
import { bundleLoader, bundleProgram } from './executable/bundleProgram.js';
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
    builder: { type: 'string' },
  },
});
await makeExecutable(resolve(values.output), values.node, values.builder ?? values.node);

/** @param {string} file @param {string} node @param {string} builder */
async function makeExecutable(file, node, builder) {
  const folder = mkdtempSync(join(tmpdir(), 'executable-'));
  try {
    for (const name of ['code', 'compiled']) mkdirSync(join(folder, name));
    const licenses = await bundleProgram(root, join(folder, 'code'));
    if (node === builder) compileCode(node, folder);
    await bundleLoader(join(folder, 'main.cjs'));
    mkdirSync(dirname(file), { recursive: true });
    copyFileSync(node, file);
    chmodSync(file, 0o755);
    if (process.platform === 'linux' && node === builder) stripSymbols(file);
    await putInside(file, builder, folder);
    if (process.platform === 'darwin') signForThisMachine(file);
    writeFileSync(`${file}.LICENSES`, `${describeLicenses(node, builder)}${licenses}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** By the same Node, because compiled code is for its version only. @param {string} node @param {string} folder */
function compileCode(node, folder) {
  const script = join(import.meta.dirname, 'executable/compileCode.js');
  const args = [script, join(folder, 'code'), join(folder, 'compiled')];
  execFileSync(node, args, { stdio: ['ignore', 'ignore', 'pipe'] });
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

/** @param {string} file a Node of its own @param {string} builder @param {string} folder of `main.cjs`, code and compiled code */
async function putInside(file, builder, folder) {
  const made = join(folder, 'made');
  /** @type {Record<string, string>} */
  const assets = listAssets(root);
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (/^(?:code|compiled)[\\/]/.test(name)) assets[name.replaceAll('\\', '/')] = join(folder, name);
  }
  // The name of the main script ends up inside, that of the folder is to stay out.
  const settings = {
    main: 'main.cjs',
    output: 'made',
    disableExperimentalSEAWarning: true,
    useCodeCache: readdirSync(join(folder, 'compiled')).length > 0,
    assets,
  };
  const config = join(folder, 'config.json');
  if (canBuild(builder)) {
    writeFileSync(config, JSON.stringify({ ...settings, executable: file }));
    execFileSync(builder, ['--build-sea', 'config.json'], { cwd: folder, stdio });
    copyFileSync(made, file);
    chmodSync(file, 0o755);
  } else {
    writeFileSync(config, JSON.stringify(settings));
    execFileSync(builder, ['--experimental-sea-config', 'config.json'], { cwd: folder, stdio });
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
  await injectResource(file, 'NODE_SEA_BLOB', readFileSync(blob), {
    sentinelFuse: FUSE,
    machoSegmentName: 'NODE_SEA',
  });
}

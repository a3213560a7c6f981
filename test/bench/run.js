// @ts-check
/**
 * Measures the program beside the upstream tools that `npm run oracles` gets, and writes the figures to docs/proof.json, and from
 * there into docs/proof.md: `npm run bench [-- NAME…]`. Best on a machine that does nothing else. Exit 1 if a script fails.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findFile, root } from '../oracles/find.js';
import { writeBench, writeTables } from '../oracles/proof.js';

/** MiB of the root filesystem in the image that is changed. */
const ROOTFS = '1100';

/** Scripts of this folder, with their arguments. @type {Readonly<Record<string, readonly string[]>>} */
const benches = {
  startup: [],
  validate: [],
  images: ['live.iso'],
  serve: [],
  controller: ['1000'],
  prepare: ['1000', '20', '1100', '1'],
};

const named = process.argv.slice(2);
const unknown = named.filter((name) => !(name in benches));
if (unknown.length > 0)
  throw new Error(`no benchmark ${unknown.join(', ')}: ${Object.keys(benches).join(', ')}`);

process.env['PATH'] = `${join(findFile('coreos-installer') ?? '', '..')}:${process.env['PATH']}`;
const folder = mkdtempSync(join(tmpdir(), 'ironic-coreos bench '));
try {
  for (const [name, args] of Object.entries(benches)) {
    if (named.length === 0 || named.includes(name)) measure(name, args);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
writeTables();

/** @param {string} name @param {readonly string[]} args */
function measure(name, args) {
  console.log(`\n== ${name}`);
  const json = join(folder, 'figures.json');
  const paths = args.map((arg) => (arg === 'live.iso' ? makeIso() : arg));
  const command = [join(import.meta.dirname, `${name}.js`), ...paths, '--json', json];
  if (spawnSync(process.execPath, command, { stdio: 'inherit' }).status !== 0) process.exitCode = 1;
  const figures = JSON.parse(readFileSync(json, 'utf8'));
  rmSync(json);
  const [processor] = cpus();
  writeBench(name, {
    date: new Date().toISOString().slice(0, 10),
    commit: execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim(),
    machine: `${cpus().length} cores (${processor?.model.trim()}), Node.js ${process.version}`,
    figures,
  });
}

function makeIso() {
  const path = join(folder, 'live.iso');
  const tool = resolve(root, '../shared/tools/make-iso.sh');
  execFileSync('bash', [tool, '--rootfs-mib', ROOTFS, path], { stdio: ['ignore', 'ignore', 'inherit'] });
  return path;
}

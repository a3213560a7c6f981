// @ts-check
/**
 * Transfers from servers that close each connection after its answer: Python's http.server, nginx without keep-alive, and
 * a proxy. Each transfer is a process of its own: a download, an inspection or a customized copy, in turns, whose result
 * has to be that of the local file. Needs python3 and nginx.
 *
 *     node test/interop/transfers.js [--count N] [--node PATH]…
 *
 * N transfers of each server with each Node (default: 200, the Node that runs this script).
 */

import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeSampleIso } from '../../dist/image.js';
import { smallConfig } from '../bench/configs.js';
import { startClosingProxy, startNginx, startPythonServer } from './transfers/servers.js';

const program = join(import.meta.dirname, '../../bin/ironic-coreos.js');
const MIB = 1024 * 1024;
const SIZE = 20 * MIB;
/** Milliseconds after which a transfer counts as failed. */
const LONGEST = 120_000;

/** @typedef {{ code: number | null, stdout: string, stderr: string }} Run */
/** @typedef {{ name: string, args: (source: string) => readonly string[], result: (run: Run, source: string) => string }} Kind */

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    node: { type: 'string', multiple: true, default: [process.execPath] },
  },
});
const work = mkdtempSync(join(tmpdir(), 'transfers-'));
const served = join(work, 'served');
const output = join(work, 'output');
mkdirSync(served);

/** @type {readonly Kind[]} */
const kinds = [
  {
    name: 'download',
    args: (source) => ['download', '--insecure', '-u', source, '-C', output],
    result: () => digestOf(join(output, 'image.iso')),
  },
  {
    name: 'inspect',
    args: (source) => ['inspect', source],
    result: ({ stdout }, source) => stdout.replaceAll(source, 'IMAGE'),
  },
  {
    name: 'customize',
    args: (source) => ['iso', 'kargs', 'modify', '-a', 'x=1', '-o', join(output, 'copy.iso'), source],
    result: () => digestOf(join(output, 'copy.iso')),
  },
];

/** @type {(() => void)[]} */
const stops = [];
try {
  const image = await makeImage();
  const expected = await expectedResults(image);
  const python = await startPythonServer(served);
  stops.push(python.stop);
  const nginx = await startNginx(served, work);
  stops.push(nginx.stop);
  const proxy = await startClosingProxy(nginx.origin);
  stops.push(proxy.stop);
  let failures = 0;
  for (const node of values.node) {
    const { stdout: version } = await run(node, ['--version'], {});
    for (const server of [python, nginx, proxy]) {
      const counts = await transferOften(node, server, expected);
      failures += counts.failed;
      console.log(
        `Node ${version.trim()}, ${server.name}: ${counts.right} of ${counts.right + counts.failed} right, ` +
          `${counts.retried} of them after a retry (${counts.kinds})`,
      );
    }
  }
  process.exitCode = failures === 0 ? 0 : 1;
} finally {
  for (const stop of stops) stop();
  rmSync(work, { recursive: true, force: true });
}

/** With random bytes, for else little would be transferred. @returns {Promise<string>} its path */
async function makeImage() {
  const sample = join(work, 'sample.iso');
  const filler = join(work, 'filler');
  const config = join(work, 'small.ign');
  const image = join(served, 'image.iso');
  writeFileSync(sample, await writeSampleIso({ label: 'fedora-coreos-44.20261101.3.0', date: new Date(0) }));
  writeFileSync(filler, randomBytes(SIZE));
  writeFileSync(config, smallConfig(0));
  const args = [
    'iso',
    'ignition',
    'embed',
    '-i',
    config,
    '--iso-file',
    `${filler}:filler`,
    '-o',
    image,
    sample,
  ];
  const { code, stderr } = await run(process.execPath, [program, ...args], {});
  if (code !== 0) throw new Error(stderr);
  return image;
}

/** Of the local file. @param {string} image @returns {Promise<ReadonlyMap<Kind, string>>} */
async function expectedResults(image) {
  const results = new Map();
  for (const kind of kinds) {
    emptyOutput();
    if (kind.name === 'download') {
      results.set(kind, digestOf(image));
      continue;
    }
    const done = await run(process.execPath, [program, ...kind.args(image)], {});
    if (done.code !== 0) throw new Error(done.stderr);
    results.set(kind, kind.result(done, image));
  }
  return results;
}

/**
 * @param {string} node
 * @param {import('./transfers/servers.js').Closing} server
 * @param {ReadonlyMap<Kind, string>} expected
 */
async function transferOften(node, { name, origin, env }, expected) {
  const counts = { right: 0, failed: 0, retried: 0, kinds: '' };
  /** @type {Map<string, number>} */
  const rights = new Map();
  for (let number = 0; number < Number(values.count); number++) {
    const kind = kinds[number % kinds.length];
    if (kind === undefined) continue;
    emptyOutput();
    const source = `${origin}/image.iso`;
    const done = await run(node, [program, ...kind.args(source)], env);
    const isRight = done.code === 0 && kind.result(done, source) === expected.get(kind);
    if (isRight) {
      counts.right += 1;
      rights.set(kind.name, (rights.get(kind.name) ?? 0) + 1);
      if (done.stderr.includes('trying again')) counts.retried += 1;
    } else {
      counts.failed += 1;
      console.error(`${name}: ${kind.name} ends with ${done.code}\n${done.stderr}`);
    }
  }
  counts.kinds = [...rights].map(([kind, count]) => `${kind} ${count}`).join(', ');
  return counts;
}

function emptyOutput() {
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output);
}

/** @param {string} path */
function digestOf(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

/** @param {string} node @param {readonly string[]} args @param {Readonly<Record<string, string>>} env @returns {Promise<Run>} */
function run(node, args, env) {
  const { PATH, HOME } = process.env;
  const child = spawn(node, args, { env: { PATH, HOME, ...env }, timeout: LONGEST });
  const done = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => (done.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (done.stderr += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject).on('close', (code) => resolve({ code, ...done }));
  });
}

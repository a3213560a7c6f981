// @ts-check
/**
 * How long commands on a large live ISO take and how much memory, beside coreos-installer where it is installed, and `cp` or
 * an empty Node program, all taking turns. The image also comes from a server on this host: `npm run build`, then `node test/bench/images.js ISO [INITRAMFS] [COUNT] [--json FILE]`. The image has to be a live
 * ISO without customizations, best of 1.2 GiB or more; copies of it go to the folder for temporary files. Medians, warm cache.
 */

import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, createReadStream, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askPeer, readArguments, writeFigures, writeMissing } from '../interop/figures.js';
import { findFile } from '../oracles/find.js';
import { bareNode, format, program, rounded } from './measure.js';

/** @typedef {{ name: string, args: readonly string[], clean?: readonly string[], remote?: boolean, pipe?: boolean, base?: 'cp' | 'node', bar?: number }} Case
 *   `args` of both programs, of ours alone where it is `remote`; `clean` are outputs; `base` is what it is compared with, `bar` how many ms it may take beyond. */

const { json, given } = readArguments();
const [iso, initrd, rounds = '5'] = given;
if (iso === undefined) throw new Error('usage: node test/bench/images.js ISO [INITRAMFS] [COUNT]');
/** MiB of the peak that a process may take. */
const memoryBar = 100;
const peer = findFile('coreos-installer');
const hasTime = existsSync('/usr/bin/time');
const folder = mkdtempSync(join(tmpdir(), 'ironic-coreos bench '));
const server = spawn(process.execPath, [join(import.meta.dirname, 'imageServer.js'), iso], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const [line] = await once(server.stdout, 'data');
  await run(iso, String(line).trim());
} finally {
  server.kill();
  rmSync(folder, { recursive: true, force: true });
}

/** @param {string} image @param {string} url */
async function run(image, url) {
  const config = join(folder, 'config.ign');
  writeFileSync(config, '{"ignition":{"version":"3.4.0"}}');
  const copy = join(folder, 'in place.iso');
  copyFileSync(image, copy);
  const stream = join(folder, 'stream.json');
  writeFileSync(stream, JSON.stringify(await metadataOf(image, url)));
  const out = join(folder, 'out');
  const cases = casesFor({ image, copy, out, config, url, stream, initramfs: initrd });
  console.log(
    `Node ${process.version}, ${rounds} runs each: median ms, ms of the processor and peak MiB, of us and of coreos-installer`,
  );
  const ratios = cases.flatMap((one) => {
    const copying = ['cp', '--reflink=auto', image, out];
    return printCase(one, one.base === 'cp' ? copying : [bareNode.command, ...bareNode.args]);
  });
  if (peer === undefined) writeMissing(json, ['coreos-installer']);
  else writeFigures(json, { peers: [askPeer('coreos-installer', [peer, '--version'])], unit: 'ms', ratios });
}

/** @param {string} image @param {string} url */
async function metadataOf(image, url) {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(image)) hash.update(piece);
  const formats = { iso: { disk: { location: url, sha256: hash.digest('hex') } } };
  return { architectures: { x86_64: { artifacts: { metal: { formats } } } } };
}

/** @typedef {{ image: string, copy: string, out: string, config: string, url: string, stream: string, initramfs: string | undefined }} Paths @param {Paths} paths @returns {Case[]} */
function casesFor({ image, copy, out, config, url, stream, initramfs }) {
  const embed = ['iso', 'ignition', 'embed', '-f', '-i', config];
  const kargs = ['iso', 'kargs', 'modify', '-a', 'x=1'];
  /** @type {Case[]} */
  const cases = [
    { name: 'embed -o FILE', args: [...embed, '-o', out, image], clean: [out], base: 'cp', bar: 100 },
    { name: 'kargs modify -o FILE', args: [...kargs, '-o', out, image], clean: [out], base: 'cp', bar: 100 },
    { name: 'embed in place', args: [...embed, copy], base: 'node', bar: 30 },
    {
      name: 'kargs modify in place',
      args: ['iso', 'kargs', 'modify', '-d', 'x=1', '-a', 'x=1', copy],
      base: 'node',
      bar: 30,
    },
    { name: 'kargs show', args: ['iso', 'kargs', 'show', copy], base: 'node', bar: 30 },
    { name: 'embed -o - into a pipe', args: [...embed, '-o', '-', image], pipe: true },
    { name: 'extract pxe', args: ['iso', 'extract', 'pxe', '-o', out, image], clean: [out] },
    { name: 'extract minimal-iso', args: ['iso', 'extract', 'minimal-iso', image, out], clean: [out] },
    { name: 'kargs show of a URL', args: ['iso', 'kargs', 'show', url], remote: true },
    { name: 'embed -o FILE of a URL', args: [...embed, '-o', out, url], clean: [out], remote: true },
    {
      name: 'download',
      args: ['download', '-a', 'x86_64', '-f', 'iso', '-C', out, '--stream-base-url', stream],
      clean: [out],
      remote: true,
    },
    { name: 'reset in place', args: ['iso', 'reset', copy], base: 'node', bar: 30 },
  ];
  if (initramfs === undefined) return cases;
  const customize = ['pxe', 'customize', '--live-ignition', config, '-o', out, initramfs];
  return [...cases, { name: 'pxe customize', args: customize, clean: [out] }];
}

/** @typedef {{ ms: number, cpu: number, mib: number }} Cost Milliseconds by the clock and of the processor, and peak MiB. @param {Case} one @param {readonly string[]} base @returns {import('./measure.js').Ratio[]} none where there is nothing to compare with */
function printCase(one, base) {
  /** @type {Cost[][]} */
  const costs = [[], [], []];
  const theirs = peer === undefined || one.remote === true ? [] : [[peer, ...one.args]];
  const commands = [base, [process.execPath, program, ...one.args], ...theirs];
  for (let round = 0; round <= Number(rounds); round++) {
    for (const [index, command] of commands.entries()) {
      const cost = costOf(command, index === 0 ? { clean: one.base === 'cp' ? (one.clean ?? []) : [] } : one);
      if (round > 0) costs[index]?.push(cost); // the first one warms caches
    }
  }
  const [least = free, us = free, them] = costs.filter(({ length }) => length > 0).map(medianCost);
  const limit = one.base === undefined ? undefined : least.ms + (one.bar ?? 0);
  const remarks = [
    them === undefined
      ? ''
      : `  ${format(them.ms)} ${format(them.cpu)} ${format(them.mib)}  ratio ${(us.ms / them.ms).toFixed(2)}`,
    limit === undefined
      ? ''
      : `  +${format(us.ms - least.ms)} over ${one.base}, ${format(least.ms)}${us.ms > limit ? ' TOO SLOW' : ''}`,
    us.mib > memoryBar ? ' TOO MUCH MEMORY' : '',
  ];
  console.log(
    `  ${one.name.padEnd(24)}${format(us.ms)} ${format(us.cpu)} ${format(us.mib)}${remarks.join('')}`,
  );
  return them === undefined ? [] : [rounded({ name: one.name, ours: us.ms, theirs: them.ms })];
}

/** @type {Cost} */
const free = { ms: 0, cpu: 0, mib: 0 };

/** @param {readonly string[]} command @param {Pick<Case, 'clean' | 'pipe'>} one @returns {Cost} */
function costOf(command, { clean = [], pipe = false }) {
  const measured = hasTime ? ['/usr/bin/time', '-f', '%M %U %S', ...command] : command;
  const args = pipe
    ? ['-c', '"$@" | cat > /dev/null', 'sh', ...measured]
    : ['-c', '"$@" > /dev/null', 'sh', ...measured];
  const start = performance.now();
  const { status, stderr } = spawnSync('sh', args, {
    encoding: 'utf8',
    env: { ...process.env, RUST_BACKTRACE: '0' },
  });
  const ms = performance.now() - start;
  if (status !== 0) throw new Error(`${command.join(' ')}: ${stderr}`);
  for (const path of clean) rmSync(path, { recursive: true, force: true });
  const [kib = 0, user = 0, system = 0] = hasTime
    ? (stderr.trimEnd().split('\n').at(-1) ?? '').split(' ').map(Number)
    : [];
  return { ms, cpu: (user + system) * 1000, mib: kib / 1024 };
}

/** @param {readonly Cost[]} costs @returns {Cost} */
function medianCost(costs) {
  return {
    ms: median(costs.map(({ ms }) => ms)),
    cpu: median(costs.map(({ cpu }) => cpu)),
    mib: median(costs.map(({ mib }) => mib)),
  };
}

/** @param {readonly number[]} values */
function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

// @ts-check
/**
 * How long commands on a large live ISO take and how much memory, beside `cp`, an empty Node program, and coreos-installer
 * where it is on PATH: `npm run build`, then `node test/bench/images.js ISO [INITRAMFS] [COUNT]`. The image has to be a live
 * ISO without customisations, best of 1.2 GiB or more; copies of it go to the folder for temporary files. Medians, warm cache.
 */

import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bareNode, format, program } from './measure.js';

/** @typedef {{ name: string, args: readonly string[], clean?: readonly string[], peer?: boolean, pipe?: boolean, base?: 'cp' | 'node', bar?: number }} Case
 *   `args` of both programs; `clean` are outputs; `base` is what it is compared with, `bar` how many ms it may take beyond. */

const [iso, initrd, rounds = '5'] = process.argv.slice(2);
if (iso === undefined) throw new Error('usage: node test/bench/images.js ISO [INITRAMFS] [COUNT]');
/** MiB of the peak that a process may take. */
const memoryBar = 100;
const peer = spawnSync('coreos-installer', ['--version']).status === 0 ? 'coreos-installer' : undefined;
const hasTime = existsSync('/usr/bin/time');
const folder = mkdtempSync(join(tmpdir(), 'ironic-coreos bench '));
try {
  await run(iso, initrd);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** @param {string} image @param {string | undefined} initramfs */
async function run(image, initramfs) {
  const config = join(folder, 'config.ign');
  writeFileSync(config, '{"ignition":{"version":"3.4.0"}}');
  const copy = join(folder, 'in place.iso');
  copyFileSync(image, copy);
  const out = join(folder, 'out');
  const cases = casesFor({ image, copy, out, config, initramfs });
  const bases = {
    cp: baseTime('cp', ['--reflink=auto', image, out], out),
    node: baseTime(bareNode.command, bareNode.args),
  };
  console.log(
    `Node ${process.version}, ${rounds} runs each: median ms, ms of the processor and peak MiB, of us and of coreos-installer`,
  );
  console.log(`  cp --reflink=auto ${format(bases.cp)}, node -e 0 ${format(bases.node)}`);
  for (const one of cases) printCase(one, bases);
}

/** @typedef {{ image: string, copy: string, out: string, config: string, initramfs: string | undefined }} Paths @param {Paths} paths @returns {Case[]} */
function casesFor({ image, copy, out, config, initramfs }) {
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
    { name: 'reset in place', args: ['iso', 'reset', copy], base: 'node', bar: 30 },
  ];
  if (initramfs === undefined) return cases;
  const customize = ['pxe', 'customize', '--live-ignition', config, '-o', out, initramfs];
  return [...cases, { name: 'pxe customize', args: customize, clean: [out] }];
}

/** @typedef {{ ms: number, cpu: number, mib: number }} Cost Milliseconds by the clock and of the processor, and peak MiB. @param {Case} one @param {Record<'cp' | 'node', number>} bases */
function printCase(one, bases) {
  /** @type {Cost[][]} */
  const costs = [[], []];
  const programs = [[process.execPath, program], ...(peer === undefined ? [] : [[peer]])];
  for (let round = 0; round <= Number(rounds); round++) {
    for (const [index, prefix] of programs.entries()) {
      const cost = costOf([...prefix, ...one.args], one);
      if (round > 0) costs[index]?.push(cost); // the first one warms caches
    }
  }
  const [us = { ms: 0, cpu: 0, mib: 0 }, them] = costs.filter(({ length }) => length > 0).map(medianCost);
  const limit = one.base === undefined ? undefined : bases[one.base] + (one.bar ?? 0);
  const remarks = [
    them === undefined
      ? ''
      : `  ${format(them.ms)} ${format(them.cpu)} ${format(them.mib)}  ratio ${(us.ms / them.ms).toFixed(2)}`,
    limit === undefined
      ? ''
      : `  +${format(us.ms - bases[one.base ?? 'node'])} over ${one.base}${us.ms > limit ? ' TOO SLOW' : ''}`,
    us.mib > memoryBar ? ' TOO MUCH MEMORY' : '',
  ];
  console.log(
    `  ${one.name.padEnd(24)}${format(us.ms)} ${format(us.cpu)} ${format(us.mib)}${remarks.join('')}`,
  );
}

/** @param {readonly string[]} command @param {Case} one @returns {Cost} */
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

/** @param {string} command @param {readonly string[]} args @param {string} [output] */
function baseTime(command, args, output) {
  const times = Array.from({ length: Number(rounds) + 1 }, () => {
    const start = performance.now();
    spawnSync(command, args, { stdio: 'ignore' });
    const ms = performance.now() - start;
    if (output !== undefined) rmSync(output, { force: true });
    return ms;
  });
  return median(times.slice(1));
}

/** @param {readonly number[]} values */
function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

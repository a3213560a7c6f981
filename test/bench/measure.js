// @ts-check
/** What the benchmarks have in common: programs that take turns, so that all of them see the same load. */

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** The program as it is built; `npm run build` comes first. */
export const program = join(import.meta.dirname, '../../bin/ironic-coreos.js');

/**
 * @typedef {{ name: string, command: string, args: readonly string[], codes?: readonly number[] }} Run `codes` are the
 *   exit codes that count as success, only 0 by default.
 * @typedef {{ name: string, median: number, min: number }} Times in milliseconds
 */

/** Runs each `count` times, in turns. @param {readonly Run[]} runs @param {number} count @returns {Times[]} */
export function takeTurns(runs, count) {
  /** @type {number[][]} */
  const times = runs.map(() => []);
  for (let round = 0; round < count; round++) {
    for (const [index, run] of runs.entries()) times[index]?.push(time(run));
  }
  return runs.map(({ name }, index) => summary(name, times[index] ?? []));
}

/** @param {Run} run @returns {number} */
function time({ command, args, codes = [0] }) {
  const start = performance.now();
  const { status, error } = spawnSync(command, args, { stdio: 'ignore' });
  const taken = performance.now() - start;
  if (error !== undefined || status === null || !codes.includes(status)) {
    throw error ?? new Error(`${command} ${args.join(' ').slice(0, 200)} ended with ${status}`);
  }
  return taken;
}

/** @param {string} name @param {number[]} times @returns {Times} */
function summary(name, times) {
  const sorted = times.toSorted((a, b) => a - b);
  return { name, median: sorted[Math.floor(sorted.length / 2)] ?? 0, min: sorted[0] ?? 0 };
}

/** Start-up times beside those of an empty Node program, which is the first. @param {readonly Times[]} times */
export function printBeyondBare(times) {
  const [bare] = times;
  for (const { name, median, min } of times) {
    const beyond =
      bare === undefined || name === bare.name
        ? ''
        : `  +${format(median - bare.median)} +${format(min - bare.min)}`;
    console.log(`  ${name.padEnd(24)}${format(median)} ${format(min)}${beyond}`);
  }
}

/**
 * Ours and that of the other program, for `proof.js`; rounded to three digits.
 * @typedef {{ name: string, ours: number, theirs: number }} Ratio
 * @param {Ratio} ratio
 */
export function rounded(ratio) {
  const [mine, theirs] = [ratio.ours, ratio.theirs].map((value) => Number(value.toPrecision(3)));
  return { ...ratio, ours: mine ?? 0, theirs: theirs ?? 0 };
}

/** @param {number} milliseconds */
export function format(milliseconds) {
  return milliseconds.toFixed(1).padStart(7);
}

/** @type {Run} */
export const bareNode = { name: 'node -e 0', command: process.execPath, args: ['-e', '0'] };

/** @param {string} name @param {readonly string[]} args @returns {Run} */
export function ours(name, args) {
  return { name, command: process.execPath, args: [program, ...args] };
}

// @ts-check
/**
 * Feeds one target in a process of its own, with so small a heap that garbage does not count: what needs more than that
 * ends the process. Before each input its number is written to a file, so that the input is known also then.
 */

import { closeSync, openSync, writeSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { randomNumbers } from '../configGenerator.js';
import { loadTarget } from './targets.js';

/**
 * @typedef {import('./damage.js').Random} Random
 * @typedef {object} Target
 * @property {(random: Random) => Buffer} make
 * @property {(input: Buffer) => unknown} run what it throws is a failure, unless it is a `CliError`
 * @property {number} [share] of the inputs that a target gets; 1 unless given
 *
 * @typedef {{ name: string, seed: number, first: number, count: number, bundle: string, progress: string }} Job
 * @typedef {{ largest: number, slowest: number, slowestIndex: number, taken: number, peak: number, growth: number, refused: number, failure?: string, index?: number }} Result
 *   Bytes and milliseconds of the processor; `growth` is peak memory beyond what ordinary inputs take.
 */

/** Milliseconds for one input of some kilobytes. */
const longest = 1000;
/** Inputs after which the process has what it takes for ordinary ones. */
const ordinary = 3000;
/** Inputs between two collections of garbage, which Node puts off as long as it is not its heap that grows. */
const between = 200;

/** The same input whenever it is asked for. @param {Target} target @param {number} seed @param {number} index */
export function inputOf({ make }, seed, index) {
  return make(randomNumbers(Math.imul(seed, 0x9e37_79b1) ^ Math.imul(index + 1, 0x85eb_ca6b)));
}

if (process.send !== undefined && process.argv[2] === 'worker') {
  process.once('message', (/** @type {Job} */ job) => {
    void feed(job).then((result) => {
      process.send?.(result);
      process.disconnect();
    });
  });
}

/** @param {Job} job @returns {Promise<Result>} */
async function feed({ name, seed, first, count, bundle, progress }) {
  const target = await loadTarget(name, bundle);
  const result = { largest: 0, slowest: 0, slowestIndex: first, taken: 0, peak: 0, growth: 0, refused: 0 };
  const number = Buffer.alloc(8);
  const file = openSync(progress, 'w');
  let runtime = peakMemory();
  Error.stackTraceLimit = 0; // traces of expected errors take more time than the readers
  for (let index = first; index < first + count; index++) {
    number.writeDoubleLE(index);
    writeSync(file, number, 0, 8, 0);
    const input = inputOf(target, seed, index);
    const start = cpuTime();
    try {
      await target.run(input);
    } catch (error) {
      if (!isAnswer(error)) return { ...result, failure: describe(await again(target, input, error)), index };
      result.refused++;
    }
    const taken = cpuTime() - start;
    if (index % between === 0) {
      await setImmediate(); // what libraries put off is done now
      globalThis.gc?.();
    }
    result.largest = Math.max(result.largest, input.length);
    if (taken > result.slowest) Object.assign(result, { slowest: taken, slowestIndex: index });
    if (taken > longest) return { ...result, failure: `it took ${taken.toFixed(0)} ms`, index };
    if (index - first === Math.min(ordinary, count >> 1)) runtime = peakMemory();
  }
  closeSync(file);
  const peak = peakMemory();
  return { ...result, taken: cpuTime(), peak, growth: peak - runtime };
}

/** A `CliError`, of which the bundle and the library have a class each. @param {unknown} error */
function isAnswer(error) {
  return error instanceof Error && 'sentence' in error && error.message.length <= 10_000;
}

/** The same error with a trace, where it comes again. @param {Target} target @param {Buffer} input @param {unknown} error */
async function again(target, input, error) {
  Error.stackTraceLimit = 20;
  try {
    await target.run(input);
    return error;
  } catch (traced) {
    return traced;
  }
}

/** @param {unknown} error */
function describe(error) {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? `\ncaused by ${error.cause.stack}` : '';
  return `${error.stack}${cause}`;
}

/** Milliseconds that the process has had; other programs do not count, however busy the machine is. */
function cpuTime() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Bytes. */
function peakMemory() {
  return process.resourceUsage().maxRSS * 1024;
}

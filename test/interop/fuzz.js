// @ts-check
/**
 * Feeds the validator and the readers of images what nobody would write. Whatever comes, there has to be an answer: a
 * value or an error of one line, in little time and little memory.
 *
 *   npm run fuzz -- [--count N] [--seed S] [--only TARGET]... [--first N] [--jobs N] [--json FILE]
 *
 * Each target gets `--count` inputs, those of the validator as many together. The same seed gives the same inputs; at the
 * first one that fails in a target, it is saved and the exit code is 1. `--only TARGET --seed S --first N --count 1`
 * feeds it again.
 */

import { fork } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';
import { writeFigures } from './figures.js';
import { loadTarget, targetNames } from './fuzz/targets.js';
import { inputOf } from './fuzz/worker.js';

/** @typedef {import('./fuzz/worker.js').Job} Job @typedef {import('./fuzz/worker.js').Result} Result */

/** Bytes that a process may take beyond three times the largest input and what it takes for ordinary ones. */
const allowance = 32 * 1024 * 1024;
/** Milliseconds without a further input after which a process hangs. */
const patience = 20_000;
/** Keeps the heap so small that garbage does not count. Listings of images take more, see `MAX_ENTRIES`. */
const heapFlags = ['--max-semi-space-size=1', '--max-old-space-size=64', '--expose-gc'];

const { values: options } = parseArgs({
  options: {
    count: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 32) },
    first: { type: 'string', default: '0' },
    jobs: { type: 'string', default: '1' },
    only: { type: 'string', multiple: true },
    json: { type: 'string' },
  },
});
const folder = mkdtempSync(join(tmpdir(), 'ironic-coreos fuzz '));
try {
  process.exitCode = await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function main() {
  const [count, seed, first, jobs] = [options.count, options.seed, options.first, options.jobs].map(Number);
  const waiting = options.only ?? Object.values(targetNames).flat();
  console.log(`seed ${seed}, ${count} inputs each`);
  const bundle = await bundleSubjects();
  const done = { targets: 0, inputs: 0, seconds: 0, failures: 0 };
  const work = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const share = (await loadTarget(name, bundle)).share ?? 1;
      const progress = join(folder, `progress ${name.replaceAll('/', ' ')}`);
      const job = {
        name,
        seed: seed ?? 0,
        first: first ?? 0,
        count: Math.ceil((count ?? 0) * share),
        bundle,
        progress,
      };
      const outcome = await runJob(job);
      done.targets += 1;
      done.inputs += outcome.failure === undefined ? job.count : (outcome.index ?? 0) - job.first;
      done.seconds += outcome.taken / 1000;
      if (!report(job, outcome, await loadTarget(name, bundle))) done.failures += 1;
    }
  };
  await Promise.all(Array.from({ length: jobs ?? 1 }, work));
  writeFigures(options.json, { seed, ...done, seconds: Math.round(done.seconds) });
  return done.failures === 0 ? 0 : 1;
}

/** The readers as one file that Node runs. */
async function bundleSubjects() {
  const input = join(import.meta.dirname, 'fuzz/subjects.ts');
  const bundle = await rolldown({ input, platform: 'node', logLevel: 'warn' });
  await bundle.write({
    dir: join(folder, 'subjects'),
    entryFileNames: 'subjects.mjs',
    chunkFileNames: '[name].mjs',
  });
  // Assets are read from beside the folder of the code.
  for (const name of ['dist', 'src'])
    symlinkSync(join(import.meta.dirname, '../..', name), join(folder, name), 'junction');
  return join(folder, 'subjects', 'subjects.mjs');
}

/** @typedef {Result & { seconds: number }} Outcome @param {Job} job @returns {Promise<Outcome>} */
function runJob(job) {
  const start = performance.now();
  const child = fork(join(import.meta.dirname, 'fuzz/worker.js'), ['worker'], {
    execArgv: heapFlags,
    stdio: 'inherit',
  });
  return new Promise((resolve) => {
    let last = -1;
    /** @param {Partial<Result>} result */
    const finish = (result) => {
      clearInterval(watch);
      const seconds = (performance.now() - start) / 1000;
      resolve({
        largest: 0,
        slowest: 0,
        slowestIndex: 0,
        taken: 0,
        peak: 0,
        growth: 0,
        refused: 0,
        ...result,
        seconds,
      });
    };
    const watch = setInterval(() => {
      const index = progressOf(job);
      if (index === last && index !== -1) {
        child.kill('SIGKILL');
        finish({ failure: `it takes more than ${patience / 1000} s`, index });
      }
      last = index;
    }, patience);
    child.once('message', (/** @type {Result} */ result) => finish(result));
    child.once('exit', (code, signal) =>
      finish({ failure: `the process ended with ${signal ?? code}`, index: progressOf(job) }),
    );
    child.send(job);
  });
}

/** Number of the input that is being fed. @param {Job} job */
function progressOf({ progress }) {
  try {
    return readFileSync(progress).readDoubleLE(0);
  } catch {
    return -1; // none yet
  }
}

/** Says how it went; whether it went well. @param {Job} job @param {Outcome} outcome @param {import('./fuzz/worker.js').Target} target */
function report({ name, seed, count }, outcome, target) {
  const {
    largest,
    slowest,
    slowestIndex,
    taken,
    peak,
    growth,
    refused,
    seconds,
    failure,
    index = 0,
  } = outcome;
  if (failure !== undefined) {
    const file = join(
      tmpdir(),
      `ironic-coreos-fuzz-${name.replaceAll(/[^a-z0-9]+/gi, '-')}-${seed}-${index}.bin`,
    );
    writeFileSync(file, inputOf(target, seed, index));
    console.log(`  ${name}: FAILED at input ${index}, saved as ${file}: ${failure}`);
    console.log(`    again: npm run fuzz -- --only '${name}' --seed ${seed} --first ${index} --count 1`);
    return false;
  }
  console.log(
    `  ${name.padEnd(16)} ${count} inputs up to ${largest} bytes, ${refused} refused, ${seconds.toFixed(0)} s ` +
      `(${(taken / 1000).toFixed(0)} s of the processor), slowest ${slowest.toFixed(1)} ms (${slowestIndex}), ` +
      `memory ${megabytes(peak)} (+${megabytes(growth)})`,
  );
  if (growth <= 3 * largest + allowance) return true;
  console.log(`  ${name}: FAILED: that is too much memory`);
  return false;
}

/** @param {number} bytes */
function megabytes(bytes) {
  return `${Math.round(bytes / 1024 / 1024)} MB`;
}

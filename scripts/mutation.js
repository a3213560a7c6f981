// @ts-check
/**
 * Mutation testing by sample: would a test notice a small mistake at a random place of src?
 * `npm run mutation -- [--sample N] [--seed S]` changes N places, drawn in proportion to lines, one at a time, and runs the
 * tests that execute the changed function: first the nearest ones, and for what they do not notice, also others. It prints
 * the mutants that no test noticed, with their lines, and ends with 1 if there are any. A test run that hangs notices, too. What
 * no test notices, lint and type check may refuse, such as a promise that nothing awaits: these are counted apart.
 * `--at src/FILE.ts:LINE`, which can be repeated, tries all mutants of these lines instead.
 *
 * The tests run in copies of the tree, one for each processor. How long each test file takes and which functions it executes is
 * recorded by a whole run, which is kept in coverage/mutation.
 */

import { execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { mutantsOf } from './mutation/mutants.js';
import { readTests, testsWithin } from './mutation/relatedTests.js';

/** @typedef {import('./mutation/mutants.js').Mutant & { readonly file: string }} Place */
/** @typedef {import('./mutation/relatedTests.js').Recorded} Recorded */

const { values } = parseArgs({
  options: {
    sample: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    at: { type: 'string', multiple: true },
  },
});
const root = resolve(import.meta.dirname, '..');
const records = join(root, 'coverage/mutation');
/** Seconds of the tests in each of the runs: most mutants are noticed by the nearest tests, which are fast. */
const budgets = [4, 15, 60];

const lines = mutantsByLine();
const places =
  values.at === undefined
    ? drawPlaces(Number(values.sample), randomNumbers(Number(values.seed)))
    : values.at.flatMap((line) => lines.find(({ name }) => name === line)?.mutants ?? []);
const recorded = readRecords();
const { related, startsBuild } = readTests(root, recorded);
const waiting = [...places];
/** @type {{ readonly place: Place, readonly outcome: Awaited<ReturnType<typeof tryMutant>> }[]} */
const tried = [];
await Promise.all(
  Array.from({ length: availableParallelism() }, async () => {
    const copy = copyTree();
    try {
      for (let place = waiting.shift(); place !== undefined; place = waiting.shift()) {
        const outcome = await tryMutant(place, copy);
        tried.push({ place, outcome });
        process.stdout.write(`${outcome}\t${describe(place)}\n`);
      }
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  }),
);
const counts = ['noticed', 'refused by lint', 'survived'].map((outcome) => ({
  outcome,
  of: tried.filter((one) => one.outcome === outcome).map(({ place }) => place),
}));
process.stdout.write(
  `\nof ${places.length}, ${values.at === undefined ? `seed ${values.seed}` : values.at.join(' ')}:\n`,
);
for (const { outcome, of } of counts) {
  process.stdout.write(`${outcome}: ${of.length} (${((100 * of.length) / places.length).toFixed(1)} %)\n`);
  if (outcome !== 'noticed') for (const place of of) process.stdout.write(`  ${describe(place)}\n`);
  if (outcome === 'survived' && of.length > 0) process.exitCode = 1;
}

/**
 * Mulberry32: the same numbers from 0 to 1 for the same seed.
 * @param {number} seed
 * @returns {() => number}
 */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * The lines of all sources, as `src/x.ts:7`, each with its mutants.
 * @returns {{ readonly name: string, readonly mutants: Place[] }[]}
 */
function mutantsByLine() {
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .toSorted();
  return sources.flatMap((name) => {
    const file = join('src', name);
    const source = readFileSync(join(root, file), 'utf8');
    /** @type {{ name: string, mutants: Place[] }[]} */
    const ofLines = Array.from(source.split('\n'), (_text, index) => ({
      name: `${file}:${index + 1}`,
      mutants: [],
    }));
    for (const mutant of mutantsOf(source)) ofLines[mutant.line - 1]?.mutants.push({ ...mutant, file });
    return ofLines;
  });
}

/** Draws lines, and of each line one of its mutants. @param {number} count @param {() => number} random @returns {Place[]} */
function drawPlaces(count, random) {
  /** @type {Set<Place>} */
  const drawn = new Set();
  while (drawn.size < count) {
    const mutants = lines[Math.floor(random() * lines.length)]?.mutants ?? [];
    const mutant = mutants[Math.floor(random() * mutants.length)];
    if (mutant !== undefined) drawn.add(mutant);
  }
  return [...drawn];
}

/** What git knows of, with the dependencies and the built program. @returns {string} */
function copyTree() {
  const folder = mkdtempSync(join(tmpdir(), 'mutation-'));
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0');
  for (const file of [...files, 'dist'].filter((name) => name !== '' && existsSync(join(root, name)))) {
    cpSync(join(root, file), join(folder, file), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** What each test file executes and how long it takes, of those that pass. @returns {ReadonlyMap<string, Recorded>} */
function readRecords() {
  const report = join(records, 'report.json');
  const folder = join(records, 'functions');
  if (!existsSync(report)) {
    const copy = copyTree();
    const args = ['vitest', 'run', '--config', 'scripts/mutation/vitest.config.js', '--reporter=json'];
    try {
      execFileSync('npx', [...args, `--outputFile=${join(copy, 'report.json')}`], {
        cwd: copy,
        env: { ...process.env, MUTATION_RECORDS: folder },
        stdio: 'ignore',
      });
    } catch {
      // Some tests fail; their files are left out.
    }
    writeFileSync(report, readFileSync(join(copy, 'report.json'), 'utf8').replaceAll(`${copy}/`, ''));
    rmSync(copy, { recursive: true, force: true });
  }
  /** @type {{ testResults: { name: string, status: string, startTime: number, endTime: number }[] }} */
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const functions = new Map(
    readdirSync(folder).map((name) => {
      const record = JSON.parse(readFileSync(join(folder, name), 'utf8'));
      return [record.test, record.functions];
    }),
  );
  return new Map(
    testResults
      .filter(({ status }) => status === 'passed')
      .map(({ name, startTime, endTime }) => [
        name,
        { seconds: (endTime - startTime) / 1000, functions: functions.get(name) ?? [] },
      ]),
  );
}

/** @param {Place} place @param {string} copy @returns {Promise<'noticed' | 'refused by lint' | 'survived'>} */
async function tryMutant({ file, start, end, text, functionName }, copy) {
  const path = join(copy, file);
  const source = readFileSync(path, 'utf8');
  writeFileSync(path, source.slice(0, start) + text + source.slice(end));
  try {
    let left = related(file, functionName);
    let isBuilt = false;
    for (const budget of budgets) {
      const run = testsWithin(left, recorded, budget);
      if (!isBuilt && run.tests.some((test) => startsBuild.has(test))) {
        if (!(await build(copy))) return 'noticed';
        isBuilt = true;
      }
      if (!(await passes(run, copy))) return 'noticed';
      left = left.filter((test) => !run.tests.includes(test));
    }
    const isClean =
      (await succeeds('npx', ['oxlint', '--type-aware', '--deny-warnings', file], copy, 60)) &&
      (await succeeds('npx', ['tsc', '--noEmit'], copy, 120));
    return isClean ? 'survived' : 'refused by lint';
  } finally {
    writeFileSync(path, source);
  }
}

/** @param {string} copy @returns {Promise<boolean>} */
async function build(copy) {
  if (!(await succeeds(process.execPath, ['scripts/bundle.js'], copy, 120))) return false;
  // It removes the rest of the folder, which is the same.
  cpSync(join(root, 'dist'), join(copy, 'dist'), { recursive: true, force: false });
  return true;
}

/**
 * @param {ReturnType<typeof testsWithin>} run
 * @param {string} cwd
 * @returns {Promise<boolean>} false also if the tests take many times as long as without a mutant
 */
async function passes({ tests, seconds: usual }, cwd) {
  if (tests.length === 0) return true;
  const args = ['vitest', 'run', '--bail=1', '--maxWorkers=1', '--reporter=dot', ...tests];
  return succeeds('npx', args, cwd, 30 + 4 * usual);
}

/** @param {string} program @param {string[]} args @param {string} cwd @param {number} limit seconds @returns {Promise<boolean>} */
async function succeeds(program, args, cwd, limit) {
  const child = spawn(program, args, { cwd, stdio: 'ignore', detached: true });
  const timer = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), limit * 1000);
  const code = await new Promise((ended) => {
    child.once('exit', ended);
  });
  clearTimeout(timer);
  return code === 0;
}

/** @param {Place} place @returns {string} */
function describe({ file, line, start, end, text }) {
  const source = readFileSync(join(root, file), 'utf8');
  return `${file}:${line}: ${source.slice(start, end).replaceAll(/\s+/g, ' ').slice(0, 80)} → ${text.replaceAll(/\s+/g, ' ').slice(0, 80)}`;
}

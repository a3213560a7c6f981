// @ts-check
/**
 * Mutation testing: do the tests of a module fail where the module is wrong? `npm run mutation [-- PATH...]`, where a path
 * is a file or folder below src/; without any, formats and ignition, which takes hours. Each file is tried with its own
 * tests alone, or with those of its folder where it has none. Needs Node 22 or later.
 *
 * Stryker is fetched into a copy of the tree, as it is no dependency of the project. Its reports go to coverage/mutation.
 */

import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const reports = join(root, 'coverage/mutation');
const packages = ['@stryker-mutator/core@10.1.1', '@stryker-mutator/vitest-runner@10.1.1'];
const [, , ...paths] = process.argv;

/** Not by Stryker's own choice of test files: with that, what is computed as a module is loaded never gets a mutant. */
const vitestConfig = `export default {
  test: { include: process.env.MUTATION_TESTS.split(','), testTimeout: 60_000, isolate: false },
};
`;

const copy = copyTree();
try {
  mkdirSync(reports, { recursive: true });
  const subjects = paths.length > 0 ? paths : ['src/formats', 'src/ignition'].flatMap(entriesOf);
  for (const path of subjects) process.stdout.write(`${summaryOf(path, tryMutants(path))}\n`);
} finally {
  rmSync(copy, { recursive: true, force: true });
}

/** What git knows of, the dependencies, and Stryker. @returns {string} */
function copyTree() {
  const folder = mkdtempSync(join(tmpdir(), 'mutation-'));
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0');
  for (const file of files.filter((name) => name !== '' && existsSync(join(root, name)))) {
    cpSync(join(root, file), join(folder, file), { recursive: true });
  }
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'], { cwd: folder });
  execFileSync('npm', ['install', '--no-save', '--ignore-scripts', ...packages], {
    cwd: folder,
    stdio: 'ignore',
  });
  execFileSync('node', ['schemas/compile.js'], { cwd: folder });
  writeFileSync(join(folder, 'vitest.mutation.js'), vitestConfig);
  return folder;
}

/** @param {string} folder @returns {string[]} */
function entriesOf(folder) {
  return readdirSync(join(root, folder)).map((name) => `${folder}/${name}`);
}

/** @param {string} path @returns {string} patterns of test files, with commas between them */
function testsOf(path) {
  if (!path.endsWith('.ts')) return `${path.replace('src/', 'test/')}/**/*.test.ts`;
  const own = path.replace('src/', 'test/').replace(/\.ts$/, '.test.ts');
  return existsSync(join(copy, own)) ? own : `${dirname(own)}/*.test.ts`;
}

/** @param {string} path @returns {string} the file with the report */
function tryMutants(path) {
  const report = join(reports, `${path.replace('src/', '').replaceAll('/', '-')}.json`);
  const config = join(copy, 'stryker.config.json');
  const options = {
    mutate: [path.endsWith('.ts') ? path : `${path}/**/*.ts`],
    testRunner: 'vitest',
    vitest: { configFile: 'vitest.mutation.js', related: false },
    concurrency: 1,
    timeoutMS: 2500,
    timeoutFactor: 3,
    tsconfigFile: 'none', // which Stryker would read by the compiler of TypeScript before 7
    reporters: ['json'],
    jsonReporter: { fileName: report },
  };
  writeFileSync(config, JSON.stringify(options));
  const env = { ...process.env, MUTATION_TESTS: testsOf(path) };
  execFileSync('npx', ['stryker', 'run', config], { cwd: copy, env, stdio: ['ignore', 'ignore', 'inherit'] });
  return report;
}

/** One line of a table. @param {string} path @param {string} report @returns {string} */
function summaryOf(path, report) {
  /** @type {{ readonly files: Readonly<Record<string, { readonly mutants: readonly { readonly status: string }[] }>> }} */
  const { files } = JSON.parse(readFileSync(report, 'utf8'));
  const statuses = Object.values(files).flatMap(({ mutants }) => mutants.map(({ status }) => status));
  /** @param {...string} wanted */
  const count = (...wanted) => statuses.filter((status) => wanted.includes(status)).length;
  return [
    path,
    `${statuses.length} mutants`,
    `${count('Killed', 'RuntimeError', 'CompileError')} killed`,
    `${count('Timeout')} timed out`,
    `${count('Survived')} survived`,
    `${count('NoCoverage')} not covered`,
  ].join('\t');
}

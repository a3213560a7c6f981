// @ts-check
/**
 * Gets the real programs of `table.js` and runs every test that asks one of them:
 *
 *   npm run oracles [-- NAME…] [--changed] [--no-boots]
 *
 * NAME selects oracles, `--changed` those that judge code which has changed since their last recorded verdict, `--no-boots` those
 * that boot no machine. The verdicts are written to docs/proof.json, and from there into docs/proof.md and README.md. Exit 1 if a
 * test fails.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { all, judgedCode, missingParts, oracleOf, root } from './find.js';
import { getOracles, packageVersion } from './get.js';
import { isOutOfDate, readProof, writeTables, writeVerdicts } from './proof.js';

/** @typedef {import('./find.js').Oracle} Oracle */
/** @typedef {import('./proof.js').Verdict} Verdict */

/**
 * A test in the report of vitest.
 * @typedef {object} TestResult
 * @property {string} fullName
 * @property {readonly string[]} ancestorTitles
 * @property {string} title
 * @property {'passed' | 'failed' | 'skipped' | 'pending' | 'todo'} status
 * @property {number} [duration] milliseconds
 */

const { values, positionals } = parseArgs({
  options: { changed: { type: 'boolean', default: false }, 'no-boots': { type: 'boolean', default: false } },
  allowPositionals: true,
});

/** Errors outside of tests, which vitest reports. */
let hasOtherErrors = false;
process.exitCode = runOracles(selected());

/** @returns {readonly Oracle[]} */
function selected() {
  const named = new Set(positionals.map((name) => oracleOf(name).name));
  const proof = readProof();
  return all
    .filter(({ name }) => named.size === 0 || named.has(name))
    .filter((oracle) => !values.changed || isOutOfDate(oracle, proof))
    .filter(({ requires }) => !values['no-boots'] || requires !== 'machines');
}

/** @param {readonly Oracle[]} wanted @returns {number} exit code */
function runOracles(wanted) {
  if (wanted.length === 0) {
    console.log('all oracles have judged the present code');
    return 0;
  }
  const minutes = wanted.reduce((sum, oracle) => sum + oracle.minutes, 0);
  console.log(`${wanted.length} oracles, about ${minutes} minutes if all have to be obtained`);
  execFileSync('npm', ['run', 'build'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  const missing = getOracles(wanted);
  const there = wanted.filter(({ name }) => !missing.has(name));
  // Machines that boot take the processors for themselves, and some use the same addresses: all else comes first, and they are
  // booted one after the other.
  const machines = there.filter(({ requires }) => requires === 'machines');
  const others = there.filter((oracle) => !machines.includes(oracle));
  // A test may need others than the named oracles; those that are there are asked, too.
  const complete = all.filter(({ name }) => missingParts(name).length === 0);
  const withoutMachines = complete.filter(({ requires }) => requires === undefined);
  const results = [
    ...runTests(others, withoutMachines),
    ...runTests(machines, complete, '--no-file-parallelism'),
  ];
  const verdicts = new Map(there.map((oracle) => [oracle.name, verdictOf(oracle, results)]));
  if (isCommitted()) {
    writeVerdicts(verdicts);
    writeTables();
  } else console.log('\nnot recorded: src has changes that are not committed');
  printTable(wanted, verdicts, missing);
  const isGood = [...verdicts.values()].every(({ failed, passed }) => failed === 0 && passed > 0);
  return isGood && !hasOtherErrors ? 0 : 1;
}

/**
 * @param {readonly Oracle[]} group whose tests are run
 * @param {readonly Oracle[]} asked all that these tests may ask
 * @param {readonly string[]} options of vitest
 * @returns {readonly TestResult[]}
 */
function runTests(group, asked, ...options) {
  if (group.length === 0) return [];
  const folder = mkdtempSync(join(tmpdir(), 'ironic-coreos oracles '));
  try {
    const report = join(folder, 'report.json');
    const titles = `\\(oracle: ([^)]*, )?(${group.map(({ name }) => name).join('|')})(, |\\))`;
    const args = [
      'run',
      ...options,
      '-t',
      titles,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ];
    const names = asked.map(({ name }) => name).join(',');
    const env = { ...process.env, IRONIC_COREOS_ORACLES: names };
    const vitest = spawnSync(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...args], {
      cwd: root,
      env,
      stdio: 'inherit',
    });
    /** @type {{ testResults: readonly { status: string, assertionResults: readonly TestResult[] }[] }} */
    const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
    const results = testResults.flatMap(({ assertionResults, status }) =>
      assertionResults.map((test) =>
        status === 'failed' && isSkipped(test, titles) ? failedHook(test) : test,
      ),
    );
    hasOtherErrors ||= vitest.status !== 0 && !results.some(({ status }) => status === 'failed');
    return results;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Whether a test was wanted and not run. @param {TestResult} test @param {string} titles */
function isSkipped({ fullName, status }, titles) {
  return status !== 'passed' && status !== 'failed' && new RegExp(titles).test(fullName);
}

/** A hook of its file that fails leaves a test without a verdict. @param {TestResult} test @returns {TestResult} */
function failedHook(test) {
  return { ...test, status: 'failed' };
}

/** @param {Oracle} oracle @param {readonly TestResult[]} results @returns {Verdict} */
function verdictOf(oracle, results) {
  const own = results.filter(({ fullName }) => oraclesIn(fullName).includes(oracle.name));
  const passed = own.filter(({ status }) => status === 'passed');
  const failed = own.filter(({ status }) => status === 'failed');
  const seconds = Math.round(own.reduce((sum, { duration = 0 }) => sum + duration, 0) / 1000);
  return {
    version: oracle.version ?? debianVersion(oracle),
    date: new Date().toISOString().slice(0, 10),
    commit: git('rev-parse', '--short=12', 'HEAD').trim(),
    code: judgedCode(oracle),
    passed: passed.length,
    failed: failed.length,
    seconds,
    ...(failed.length > 0 && { failures: failed.map(titleOf) }),
    ...(oracle.name === 'chain' && { shows: passed.map(titleOf) }),
  };
}

/** @param {string} title @returns {readonly string[]} names */
function oraclesIn(title) {
  return [...title.matchAll(/\(oracle: ([^)]*)\)/g)].flatMap(([, names = '']) => names.split(', '));
}

/** @param {TestResult} result */
function titleOf({ ancestorTitles, title }) {
  return [...ancestorTitles, title].join(': ').replaceAll(/ \(oracle: [^)]*\)/g, '');
}

/** @param {Oracle} oracle @returns {string} of the package that its first source names first */
function debianVersion({ from }) {
  const [first = ''] = from.flatMap((source) => ('debian' in source ? source.debian : []));
  return (packageVersion(first) ?? '').replace(/^\d+:/, '').replace(/[+~-].*/, '');
}

/** Verdicts about code that nobody else has are not recorded. */
function isCommitted() {
  return git('status', '--porcelain', '--', 'src') === '';
}

/** @param {string[]} args */
function git(...args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' });
}

/**
 * @param {readonly Oracle[]} wanted
 * @param {ReadonlyMap<string, Verdict>} verdicts
 * @param {ReadonlyMap<string, string>} missing
 */
function printTable(wanted, verdicts, missing) {
  console.log(`\n${'oracle'.padEnd(26)} ${'version'.padEnd(12)} passed failed minutes`);
  for (const { name } of wanted) {
    const verdict = verdicts.get(name);
    if (verdict === undefined) console.log(`${name.padEnd(26)} not available: ${missing.get(name)}`);
    else {
      const { failed, passed, seconds, version } = verdict;
      const figures = [passed, failed].map((count) => String(count).padStart(6)).join(' ');
      console.log(
        `${name.padEnd(26)} ${version.padEnd(12)} ${figures} ${(seconds / 60).toFixed(1).padStart(7)}`,
      );
      for (const title of verdict.failures ?? []) console.log(`  failed: ${title}`);
    }
  }
}

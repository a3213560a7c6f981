// @ts-check
/** Runs tests and reads the verdicts: for steps of `proof.js` whose comparisons are tests. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

/**
 * @param {string} file from the top folder
 * @returns {{ readonly cases: number, readonly passed: number, readonly skipped: number }}
 */
export function countTests(file) {
  const { numPassedTests, numPendingTests, numTotalTests } = runTests([file]);
  return { cases: numTotalTests, passed: numPassedTests, skipped: numPendingTests };
}

/**
 * Vitest's JSON report, as far as it is used.
 * @typedef {object} TestReport
 * @property {boolean} success whether no test and no hook has failed
 * @property {number} numTotalTests
 * @property {number} numPassedTests
 * @property {number} numPendingTests
 * @property {readonly { readonly assertionResults: readonly TestResult[] }[]} testResults by file
 */

/**
 * @typedef {object} TestResult
 * @property {readonly string[]} ancestorTitles
 * @property {string} title
 * @property {'passed' | 'failed' | 'skipped' | 'pending' | 'todo'} status
 */

/**
 * @param {readonly string[]} files or folders, from the top folder
 * @returns {TestReport}
 */
export function runTests(files) {
  const folder = mkdtempSync(join(tmpdir(), 'ironic-coreos tests '));
  try {
    const report = join(folder, 'report.json');
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const args = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...files, ...reporters];
    spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
    return JSON.parse(readFileSync(report, 'utf8'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

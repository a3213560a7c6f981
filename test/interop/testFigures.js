// @ts-check
/** Runs a file of tests and counts: for steps of `proof.js` whose comparisons are tests. */

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
  const folder = mkdtempSync(join(tmpdir(), 'ironic-coreos tests '));
  try {
    const report = join(folder, 'report.json');
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const args = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', file, ...reporters];
    spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
    const { numPassedTests, numPendingTests, numTotalTests } = JSON.parse(readFileSync(report, 'utf8'));
    return { cases: numTotalTests, passed: numPassedTests, skipped: numPendingTests };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

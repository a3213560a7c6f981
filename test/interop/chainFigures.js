// @ts-check
/**
 * Builds the parts of the real chain, boots them, and notes what each boot has shown (`chain/`).
 *
 *   npm run build && node test/interop/chainFigures.js [--only TEXT] [--json FILE]
 *
 * TEXT is in the titles of the wanted boots; without it, all are booted, which takes an hour on two cores. Exit 1 where a check
 * fails.
 */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { missingForBuild, missingForChain, versions } from './chain/parts.js';
import { askPeer, writeFigures, writeMissing } from './figures.js';
import { runTests } from './testFigures.js';

/** @typedef {{ readonly boot: string, readonly shows: string, readonly passed: boolean, readonly date: string }} Verdict */

const { values } = parseArgs({ options: { json: { type: 'string' }, only: { type: 'string' } } });
const missing = missingForBuild();
if (missing.length > 0) {
  console.log(`NOT CHECKED: missing ${missing.join(', ')}`);
  writeMissing(values.json, missing);
} else {
  const build = spawnSync(process.execPath, [join(import.meta.dirname, 'chain/build.js')], {
    stdio: 'inherit',
  });
  const notReady = missingForChain();
  if (build.status !== 0) throw new Error('the parts of the chain cannot be built');
  if (notReady.length > 0) throw new Error(`missing: ${notReady.join(', ')}`);
  process.env['IRONIC_COREOS_CHAIN'] = '1';
  const report = runTests(['test/interop/chain', ...(values.only === undefined ? [] : ['-t', values.only])]);
  const ran = report.testResults.flatMap(({ assertionResults }) => assertionResults).filter(isRun);
  if (ran.length === 0) throw new Error(`no boot has ${JSON.stringify(values.only)} in its title`);
  const matrix = verdicts(report);
  const boots = new Set(matrix.map(({ boot }) => boot)).size;
  const passed = matrix.filter((verdict) => verdict.passed).length;
  console.log(`${boots} boots: ${passed} of ${matrix.length} checks pass`);
  const peers = [
    { name: 'Ignition', version: versions.ignition },
    { name: 'ironic-python-agent', version: versions['ironic-python-agent'] },
    askPeer('QEMU', ['qemu-system-x86_64', '--version']),
  ];
  writeFigures(values.json, { peers, boots, matrix });
  process.exitCode = report.success && passed === matrix.length ? 0 : 1;
}

/**
 * What the boots have shown, and what docs/proof.json has of the boots that were not wanted now.
 * @param {import('./testFigures.js').TestReport} report
 * @returns {Verdict[]}
 */
function verdicts({ testResults }) {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const earlier = readEarlier();
  const date = new Date().toISOString().slice(0, 10);
  return tests.flatMap(({ ancestorTitles, status, title }) => {
    const boot = ancestorTitles.join(', ');
    if (isRun({ status })) return [{ boot, shows: title, passed: status === 'passed', date }];
    return earlier.filter((verdict) => verdict.boot === boot && verdict.shows === title);
  });
}

/** @param {Pick<import('./testFigures.js').TestResult, 'status'>} result */
function isRun({ status }) {
  return status === 'passed' || status === 'failed';
}

/** @returns {readonly Verdict[]} */
function readEarlier() {
  const { chain } = JSON.parse(readFileSync(join(import.meta.dirname, '../../docs/proof.json'), 'utf8'));
  return chain?.figures.matrix ?? [];
}

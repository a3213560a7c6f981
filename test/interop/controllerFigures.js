// @ts-check
/**
 * What `controller` does against a real API server: its tests there, and how it takes many objects at once.
 *
 *   npm run build && node test/interop/controllerFigures.js [OBJECTS] [--json FILE]
 *
 * `node test/interop/kubernetes/fetch.js` builds the API server. Exit 1 where a test fails.
 */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readArguments, writeFigures, writeMissing } from './figures.js';
import { missingPrograms, versions } from './kubernetes/programs.js';
import { countTests } from './testFigures.js';

const { json, given } = readArguments();
const missing = missingPrograms();
if (missing.length > 0) {
  console.log(`NOT CHECKED: no ${missing.join(', no ')}`);
  writeMissing(json, missing);
} else {
  process.exitCode = run();
}

/** @returns {number} exit code */
function run() {
  const { cases, passed } = countTests('test/interop/controller.test.ts');
  const bench = runBench();
  console.log(`${passed} of ${cases} tests pass`);
  const peer = { name: 'kube-apiserver', version: versions['kube-apiserver'] };
  writeFigures(json, { peer, cases, passed, ...bench });
  return passed === cases && bench !== undefined ? 0 : 1;
}

/** @returns {object | undefined} undefined where it found out nothing */
function runBench() {
  const folder = mkdtempSync(join(tmpdir(), 'ironic-coreos figures '));
  try {
    const figures = join(folder, 'bench.json');
    const script = resolve(import.meta.dirname, '../bench/controller.js');
    const { status } = spawnSync(process.execPath, [script, ...given, '--json', figures], {
      stdio: 'inherit',
    });
    return status === 0 ? JSON.parse(readFileSync(figures, 'utf8')) : undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

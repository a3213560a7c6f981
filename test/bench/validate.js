// @ts-check
/**
 * How fast `validate` is, beside what it has to beat: `npm run bench`, or `npm run build` and `node
 * test/bench/validate.js [--json FILE]`.
 * One small config beside a bare Node, configs of 5 MB beside the real ignition-validate where there is one, and 4000 files in one run.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ignitionValidatePeer, readArguments, writeFigures, writeMissing } from '../interop/figures.js';
import { findFile } from '../oracles/find.js';
import { largeConfigs, smallConfig } from './configs.js';
import { bareNode, format, ours, printBeyondBare, rounded, takeTurns } from './measure.js';

const manyFiles = 4000;

const { json } = readArguments();
const folder = mkdtempSync(join(tmpdir(), 'ironic-coreos bench '));
try {
  measureSmall();
  measureLarge(findFile('ignition-validate'));
  measureMany();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function measureSmall() {
  const small = join(folder, 'small.ign');
  writeFileSync(small, smallConfig(0));
  console.log(
    `small config on Node ${process.version}, 25 runs each: median and minimum in ms, and beyond bare Node`,
  );
  printBeyondBare(takeTurns([bareNode, ours('validate small.ign', ['validate', small])], 25));
}

/** @param {string | undefined} real */
function measureLarge(real) {
  console.log(
    'configs of 5 MB, 7 runs each: median in ms of ours, of ignition-validate, and how many times faster ours is',
  );
  if (real === undefined) console.log('  NOT COMPARED: no ignition-validate (npm run oracles gets it)');
  const ratios = [];
  for (const [name, make] of Object.entries(largeConfigs)) {
    const path = join(folder, 'large.ign');
    writeFileSync(path, make());
    const runs = [ours(name, ['validate', path])];
    if (real !== undefined) runs.push({ name: 'real', command: real, args: [path] });
    const [mine, theirs] = takeTurns(runs, 7).map(({ median }) => median);
    const beside =
      mine === undefined || theirs === undefined ? '' : ` ${format(theirs)} ${format(theirs / mine)}`;
    console.log(`  ${name.padEnd(24)}${format(mine ?? 0)}${beside}`);
    if (mine !== undefined && theirs !== undefined) ratios.push(rounded({ name, ours: mine, theirs }));
  }
  if (real === undefined) writeMissing(json, ['ignition-validate']);
  else writeFigures(json, { peers: [ignitionValidatePeer(real)], unit: 'ms', ratios });
}

function measureMany() {
  const many = join(folder, 'many');
  mkdirSync(many);
  for (let index = 0; index < manyFiles; index++)
    writeFileSync(join(many, `${index}.ign`), smallConfig(index));
  const [times] = takeTurns([ours('folder', ['validate', many])], 5);
  const rate = Math.round(manyFiles / ((times?.median ?? 0) / 1000));
  console.log(
    `${manyFiles} files in a folder, 5 runs: ${format(times?.median ?? 0)} ms, ${rate} files a second`,
  );
}

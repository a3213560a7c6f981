// @ts-check
/**
 * Compares every command for images with coreos-installer, on images of releases and of all layouts: exit code, output,
 * messages, and the files that result, which each program also has to read from the other.
 *
 *   npm run compare-installer -- [--only TEXT]... [--image TEXT]... [--no-build] [--keep]
 *     [--json FILE]
 *
 * `--only` takes scenarios whose commands contain the text. Exit 1 on a difference that `known.js` does not explain; says
 * what is missing, and ends with 0, where the other program or the images are not there.
 */

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { compareRuns } from './coreosInstaller/compareRuns.js';
import { makeImages, makeMinimalPair, missingForImages } from './coreosInstaller/images.js';
import { writeInputs } from './coreosInstaller/inputs.js';
import { explain } from './coreosInstaller/known.js';
import { openDecoder } from './coreosInstaller/meaning.js';
import { findPeer, openPrograms } from './coreosInstaller/programs.js';
import { scenarios } from './coreosInstaller/scenarios.js';
import { askPeer, writeFigures, writeMissing } from './figures.js';

/** @typedef {import('./coreosInstaller/compareRuns.js').Comparison} Comparison */
/** @typedef {import('./coreosInstaller/images.js').Image} Image */
/** @typedef {import('./coreosInstaller/scenarios.js').Scenario} Scenario */

const columns = /** @type {const} */ ([
  'equal bytes',
  'equal meaning',
  'same refusal',
  'explained',
  'DIFFERENT',
]);
/** @typedef {typeof columns[number]} Column */
/** @typedef {{ readonly scenario: Scenario, readonly image: string, readonly column: Column, readonly comparison: Comparison, readonly reasons: readonly string[] }} Result */

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    image: { type: 'string', multiple: true },
    'no-build': { type: 'boolean' },
    keep: { type: 'boolean' },
    json: { type: 'string' },
  },
});

const peer = findPeer();
const missing = [...(peer === undefined ? ['coreos-installer'] : []), ...missingForImages()];
if (peer === undefined || missing.length > 0) {
  console.log(`NOT CHECKED, as there is no ${missing.join(', no ')}`);
  writeMissing(values.json, missing);
} else process.exitCode = compareAll(peer);

/** @param {string} program @returns {number} exit code */
function compareAll(program) {
  if (!values['no-build']) {
    execFileSync('npm', ['run', 'build'], { cwd: resolve(import.meta.dirname, '../..'), stdio: 'pipe' });
  }
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'coreos-installer-')));
  process.env['TMPDIR'] = folder;
  try {
    for (const name of ['images', 'in', 'pair']) mkdirSync(join(folder, name));
    const lab = {
      run: openPrograms(program, folder),
      meaningOf: openDecoder(program),
      explain,
      folder: join(folder, 'runs'),
      inputs: join(folder, 'in'),
    };
    writeInputs(lab.inputs);
    const images = makeImages(join(folder, 'images'));
    makeMinimalPair(images[0]?.path ?? '', join(folder, 'pair'));
    /** @type {Result[]} */
    const results = [];
    console.log(row(['command', 'runs', ...columns]));
    const wanted = wantedScenarios();
    for (const command of new Set(wanted.map((scenario) => scenario.command))) {
      const ofCommand = wanted.filter((scenario) => scenario.command === command);
      const found = ofCommand.flatMap((scenario) =>
        placesOf(scenario, images, join(folder, 'pair')).map(({ name, files }) =>
          judge(scenario, name, compareRuns(scenario.steps, files, lab)),
        ),
      );
      console.log(row([command, ...countsOf(found)]));
      results.push(...found);
    }
    console.log(row(['all', ...countsOf(results)]));
    printDifferences(results);
    writeFigures(values.json, figuresOf(results, program));
    return results.some(({ column }) => column === 'DIFFERENT') ? 1 : 0;
  } finally {
    if (values.keep) console.log(`kept: ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
  }
}

/** @returns {readonly Scenario[]} */
function wantedScenarios() {
  const { only } = values;
  return scenarios.filter(
    (scenario) => only?.some((text) => `${scenario.command}: ${lineOf(scenario)}`.includes(text)) ?? true,
  );
}

/**
 * @param {Scenario} scenario @param {readonly Image[]} images @param {string} pair
 * @returns {{ name: string, files: (readonly [string, string])[] }[]}
 */
function placesOf({ on }, images, pair) {
  if (on === 'pair') {
    return [{ name: 'pair', files: ['full.iso', 'minimal.iso'].map((name) => [name, join(pair, name)]) }];
  }
  const wanted = images.filter(({ name }) => values.image?.some((text) => name.includes(text)) ?? true);
  return wanted
    .slice(0, on === 'one' ? 1 : undefined)
    .map(({ name, path }) => ({ name, files: [['image.iso', path]] }));
}

/** @param {Scenario} scenario @param {string} image @param {Comparison} comparison @returns {Result} */
function judge(scenario, image, comparison) {
  const reasons = [...new Set(comparison.differences.map(({ reason }) => reason ?? ''))];
  return { scenario, image, column: columnOf(comparison, reasons), comparison, reasons };
}

/** @param {Comparison} comparison @param {readonly string[]} reasons empty for a difference without one @returns {Column} */
function columnOf({ differences, equality, isRefusal }, reasons) {
  if (differences.length > 0) return reasons.includes('') ? 'DIFFERENT' : 'explained';
  if (equality === 'meaning') return 'equal meaning';
  return isRefusal ? 'same refusal' : 'equal bytes';
}

/** @param {Scenario} scenario */
function lineOf({ steps }) {
  return steps.map(({ args }) => args.join(' ').replaceAll(/k{100,}/g, (it) => `k×${it.length}`)).join('; ');
}

/** @param {readonly Result[]} results */
function countsOf(results) {
  return [results.length, ...columns.map((column) => results.filter((it) => it.column === column).length)];
}

/** @param {readonly Result[]} results @param {string} program */
function figuresOf(results, program) {
  const [runs, ...counts] = countsOf(results);
  return {
    peer: askPeer('coreos-installer', [program, '--version']),
    runs,
    outcomes: Object.fromEntries(columns.map((column, index) => [column, counts[index]])),
  };
}

/** @param {readonly (string | number)[]} cells */
function row(cells) {
  return cells
    .map((cell, index) => (index === 0 ? String(cell).padEnd(26) : String(cell).padStart(15)))
    .join('');
}

/** @param {readonly Result[]} results */
function printDifferences(results) {
  for (const reason of new Set(results.flatMap(({ reasons }) => reasons.filter((it) => it !== '')))) {
    const explained = results.filter(({ reasons }) => reasons.includes(reason));
    console.log(`\n${explained.length} explained: ${reason}`);
  }
  const different = results.filter(({ column }) => column === 'DIFFERENT');
  for (const line of new Set(different.map(({ scenario }) => lineOf(scenario)))) {
    const same = different.filter(({ scenario }) => lineOf(scenario) === line);
    console.log(`\nDIFFERENT: ${line}\n  on ${same.map(({ image }) => image).join(', ')}`);
    const details = same.flatMap(({ comparison }) =>
      comparison.differences
        .filter(({ reason }) => reason === undefined)
        .map((it) => `${it.kind}: ${it.detail}`),
    );
    for (const detail of [...new Set(details)].slice(0, 6)) console.log(`  ${detail}`);
  }
}

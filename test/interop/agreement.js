// @ts-check
/**
 * Agreement of `validate --lint none` with ignition-validate over a corpus of configs with its recorded verdicts: `npm run
 * agreement [FOLDER]`, with `-- --json FILE` for the figures.
 * The corpus is a folder with `index.jsonl`, one line a config; by default it is unpacked from the reference data beside
 * the checkout. Ends with 1 if fewer verdicts, paths, positions or texts agree than did when this was last changed.
 */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readArguments, writeFigures, writeMissing } from './figures.js';

/**
 * @typedef {{ severity: string, path: string, line: number | null, col: number | null, text: string }} Message
 * @typedef {{ file: string, source: string, exit: number, messages: Message[], unstable?: boolean }} Expected
 * @typedef {{ valid: boolean, messages: { severity: string, path: string, line?: number, column?: number, message: string }[] }} Report
 * @typedef {{ verdict: boolean, 'error paths': boolean, 'error positions': boolean, 'all positions': boolean, texts: boolean }} Comparison
 */

/** Per cent that have to agree. */
const bar = 100;

const archive = resolve(import.meta.dirname, '../../../shared/data/ignition-corpus.tar.gz');
const program = resolve(import.meta.dirname, '../../bin/ironic-coreos.js');

const { json, given } = readArguments();
process.exitCode = main(given[0]);

/** @param {string | undefined} folder */
function main(folder) {
  if (folder !== undefined) return compareFolder(folder);
  if (!existsSync(archive)) {
    console.log(
      `NOT CHECKED: there is no corpus. Expected ${archive}, or a folder with index.jsonl as an argument.`,
    );
    writeMissing(json, ['the corpus']);
    return 0;
  }
  const unpacked = mkdtempSync(join(tmpdir(), 'ignition-corpus-'));
  try {
    const { status, stderr } = spawnSync('tar', ['-xzf', archive, '-C', unpacked], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`cannot unpack ${archive}: ${stderr}`);
    return compareFolder(join(unpacked, readdirSync(unpacked)[0] ?? ''));
  } finally {
    rmSync(unpacked, { recursive: true, force: true });
  }
}

/** @param {string} folder */
function compareFolder(folder) {
  const index = readFileSync(join(folder, 'index.jsonl'), 'utf8').trim().split('\n');
  /** @type {Expected[]} */
  const corpus = index.map((line) => JSON.parse(line));
  const start = performance.now();
  const reports = validate(corpus.map(({ file }) => join(folder, file)));
  const results = corpus.map((expected, number) => {
    const report = reports[number];
    if (report === undefined) throw new Error(`no verdict for ${expected.file}`);
    return { expected, report, comparison: compare(expected, report) };
  });
  const seconds = (performance.now() - start) / 1000;
  console.log(
    `${corpus.length} configs in ${seconds.toFixed(1)} s (${Math.round(corpus.length / seconds)} a second)`,
  );
  const shares = printShares(results.map(({ comparison }) => comparison));
  writeFigures(json, { configs: corpus.length, aspects: Object.fromEntries(shares) });
  printDisagreements(results);
  return shares.every(([, agreeing]) => (100 * agreeing) / corpus.length >= bar) ? 0 : 1;
}

/** One run for so many files that the command line does not become too long. @param {string[]} files @returns {Report[]} */
function validate(files) {
  if (files.length === 0) return [];
  const args = [program, 'validate', '--lint', 'none', '--format', 'json', ...files.slice(0, 500)];
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 2 ** 30 });
  const reports = stdout.trimEnd().split('\n');
  return [...reports.map((line) => JSON.parse(line)), ...validate(files.slice(500))];
}

/**
 * Where the real program varies from run to run only the verdict counts.
 * @param {Expected} expected
 * @param {Report} report
 * @returns {Comparison}
 */
function compare({ exit, messages, unstable }, { valid, messages: findings }) {
  const theirs = messages.map(({ line, col, ...rest }) => ({
    ...rest,
    position: `${line ?? 0}:${col ?? 0}`,
  }));
  const ours = findings.map(({ column, line, message, ...rest }) => ({
    ...rest,
    text: message,
    position: `${line ?? 0}:${column ?? 0}`,
  }));
  /** @param {(message: (typeof ours)[number]) => string | undefined} describe */
  const same = (describe) => unstable === true || sameItems(theirs.map(describe), ours.map(describe));
  return {
    verdict: valid === (exit === 0),
    'error paths': same(({ severity, path }) => (severity === 'error' ? path : undefined)),
    'error positions': same(({ severity, path, position }) =>
      severity === 'error' ? `${path} ${position}` : undefined,
    ),
    'all positions': same(({ severity, path, position }) => `${severity} ${path} ${position}`),
    texts: same(({ severity, text }) => `${severity} ${text}`),
  };
}

/**
 * @param {(string | undefined)[]} left
 * @param {(string | undefined)[]} right
 */
function sameItems(left, right) {
  const sorted = [left, right].map((items) =>
    items
      .filter((item) => item !== undefined)
      .toSorted()
      .join('\n'),
  );
  return sorted[0] === sorted[1];
}

/** @param {Comparison[]} comparisons @returns {[aspect: string, agreeing: number][]} */
function printShares(comparisons) {
  const aspects = /** @type {const} */ ([
    'verdict',
    'error paths',
    'error positions',
    'all positions',
    'texts',
  ]);
  return aspects.map((aspect) => {
    const agreeing = comparisons.filter((comparison) => comparison[aspect]).length;
    const share = ((100 * agreeing) / comparisons.length).toFixed(3);
    console.log(`${aspect.padEnd(16)}${share} % (${agreeing} of ${comparisons.length})`);
    return [aspect, agreeing];
  });
}

/** @param {{ expected: Expected, report: Report, comparison: Comparison }[]} results */
function printDisagreements(results) {
  const wrong = results.filter(({ comparison }) => !comparison.verdict);
  printSources(
    'accepted though invalid',
    wrong.filter(({ report }) => report.valid).map(({ expected }) => expected),
  );
  printSources(
    'rejected though valid',
    wrong.filter(({ report }) => !report.valid).map(({ expected }) => expected),
  );
  printSources(
    'same verdict, other messages',
    results
      .filter(({ comparison }) => comparison.verdict && !Object.values(comparison).every(Boolean))
      .map(({ expected }) => expected),
  );
}

/**
 * @param {string} title
 * @param {Expected[]} configs
 */
function printSources(title, configs) {
  console.log(`${title}: ${configs.length}`);
  for (const [source, group] of groupBySource(configs)) {
    const files = group.map(({ file }) => file);
    console.log(
      `  ${source}: ${files.slice(0, 5).join(' ')}${files.length > 5 ? ` and ${files.length - 5} more` : ''}`,
    );
  }
}

/** @param {Expected[]} configs */
function groupBySource(configs) {
  /** @type {Map<string, Expected[]>} */
  const groups = new Map();
  for (const config of configs) groups.set(config.source, [...(groups.get(config.source) ?? []), config]);
  return groups;
}

// @ts-check
/**
 * Runs the comparisons with other programs, the boots, the benchmarks and the fuzzing, and writes what they find into
 * docs/proof.json, and from there into the tables of README.md and docs/proof.md. No figure gets there in another way.
 *
 *   npm run proof -- [--only STEP]... [--small] [--write] [-- ARGUMENTS]
 *
 * With `--only`, what is there of the other steps stays; behind `--` are arguments for a single one in place of its
 * usual ones. `--small` tries the steps with little work and keeps nothing. `--write` runs nothing and writes the tables
 * anew. What has to be installed is said by each script; IPA_PYTHON names the Python with ironic-python-agent. Exit 1
 * where a step fails.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { rootfsSize, steps } from './proofSteps.js';

/** @typedef {import('../support/proofTables.ts').Proof} Proof */
/** @typedef {Proof[string]} Run */
/** @typedef {import('./proofSteps.js').Step} Step */

const root = resolve(import.meta.dirname, '../..');
const proofFile = join(root, 'docs/proof.json');
const makeIso = resolve(root, '../shared/tools/make-iso.sh');

const { values, positionals } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    small: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
process.exitCode = values.write ? writeTables() : runAll(wantedSteps());

/** @returns {readonly Step[]} */
function wantedSteps() {
  const { only } = values;
  const unknown = only?.filter((name) => !steps.some((step) => step.name === name)) ?? [];
  if (unknown.length > 0) {
    throw new Error(
      `no such step: ${unknown.join(', ')}; there are ${steps.map(({ name }) => name).join(', ')}`,
    );
  }
  if (positionals.length > 0 && only?.length !== 1) throw new Error('arguments are for a single --only STEP');
  return steps.filter(({ name }) => only?.includes(name) ?? true);
}

/** @param {readonly Step[]} wanted @returns {number} exit code */
function runAll(wanted) {
  const folder = mkdtempSync(join(tmpdir(), 'ironic-coreos proof '));
  let failures = 0;
  try {
    for (const step of wanted) {
      console.log(`\n== ${step.name}`);
      const run = runStep(step, folder);
      if (run?.passed !== true) failures += 1;
      if (run === undefined) continue;
      if (values.small) console.log(JSON.stringify(run));
      else writeProof({ ...readProof(), [step.name]: run });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const written = values.small ? 0 : writeTables();
  return failures === 0 ? written : 1;
}

/** @param {Step} step @param {string} folder @returns {Run | undefined} undefined where the script has found out nothing */
function runStep(step, folder) {
  const json = join(folder, `${step.name}.json`);
  const start = performance.now();
  const args = argumentsOf(step, folder);
  if (args === undefined) writeFileSync(json, JSON.stringify({ missing: ['make-iso.sh'] }));
  const { status } =
    args === undefined
      ? { status: 0 }
      : spawnSync(process.execPath, [join(root, step.script), ...args, '--json', json], {
          cwd: root,
          stdio: 'inherit',
          env: { ...process.env, PATH: pathWithPeers() },
        });
  const seconds = Math.round((performance.now() - start) / 1000);
  console.log(`${step.name} took ${seconds} s and ended with ${status}`);
  if (!existsSync(json)) return undefined;
  const date = new Date().toISOString().slice(0, 10);
  const figures = JSON.parse(readFileSync(json, 'utf8'));
  return { date, seconds, passed: status === 0, machine: thisMachine(), figures };
}

/** @param {Step} step @param {string} folder @returns {readonly string[] | undefined} undefined where what it needs is not there */
function argumentsOf({ args, needs, small }, folder) {
  const own = positionals.length > 0 ? positionals : values.small ? small : args;
  if (needs === undefined) return own;
  if (!existsSync(makeIso)) return undefined;
  const path = join(folder, needs);
  const size = String(values.small ? rootfsSize.small : rootfsSize.args);
  execFileSync('bash', [makeIso, '--rootfs-mib', size, path], { stdio: ['ignore', 'ignore', 'inherit'] });
  return [path, ...own];
}

/** Where `cargo install` and `go install` put programs. */
function pathWithPeers() {
  return [process.env['PATH'], join(homedir(), '.cargo/bin'), join(homedir(), 'go/bin')].join(':');
}

function thisMachine() {
  const all = cpus();
  return { cores: all.length, processor: all[0]?.model.trim() ?? 'unknown', node: process.version };
}

/** @returns {Proof} */
function readProof() {
  return existsSync(proofFile) ? JSON.parse(readFileSync(proofFile, 'utf8')) : {};
}

/** In the order of the steps; those that are no more are left out. @param {Proof} proof */
function writeProof(proof) {
  const kept = steps.flatMap(({ name }) => (proof[name] === undefined ? [] : [[name, proof[name]]]));
  writeFileSync(proofFile, `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`);
}

/** @returns {number} exit code */
function writeTables() {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', 'test/docsProof.test.ts', '-u'];
  return spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1;
}

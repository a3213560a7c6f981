// @ts-check
/** docs/proof.json: the last verdict of each oracle and the last figures of each benchmark. */

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { all, judgedCode, root } from './find.js';

/** @typedef {import('./find.js').Oracle} Oracle */

/**
 * @typedef {object} Verdict
 * @property {string} version of the oracle
 * @property {string} date
 * @property {string} commit
 * @property {string} code digest of the judged code
 * @property {number} passed
 * @property {number} failed
 * @property {number} seconds all of its tests
 * @property {readonly string[]} [failures] titles
 * @property {readonly string[]} [shows] titles of passed tests, of the chain
 */

/**
 * @typedef {object} Bench
 * @property {string} date
 * @property {string} commit
 * @property {string} machine
 * @property {Figures} figures
 */

/**
 * What a script of `test/bench` writes; each only what it measures.
 * @typedef {object} Figures
 * @property {readonly { readonly name: string, readonly version: string }[]} [peers]
 * @property {readonly string[]} [missing] programs that are not there; if any, nothing was measured
 * @property {string} [unit]
 * @property {readonly { readonly name: string, readonly ours: number, readonly theirs: number }[]} [ratios]
 * @property {number} [objects]
 * @property {number} [readyAfter]
 * @property {number} [mebibytes]
 * @property {number} [requestsEach]
 */

/** @typedef {{ readonly oracles: Readonly<Record<string, Verdict>>, readonly benches: Readonly<Record<string, Bench>> }} Proof */

const file = join(root, 'docs/proof.json');

/** @returns {Proof} */
export function readProof() {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** @param {ReadonlyMap<string, Verdict>} verdicts replace those of the same oracles */
export function writeVerdicts(verdicts) {
  const { benches, oracles } = readProof();
  const rows = all.flatMap(({ name }) => {
    const verdict = verdicts.get(name) ?? oracles[name];
    return verdict === undefined ? [] : [[name, verdict]];
  });
  write({ oracles: Object.fromEntries(rows), benches });
}

/** @param {string} name @param {Bench} bench */
export function writeBench(name, bench) {
  const { benches, oracles } = readProof();
  write({ oracles, benches: { ...benches, [name]: bench } });
}

/** @param {Proof} proof */
function write(proof) {
  writeFileSync(file, `${JSON.stringify(proof, null, 2)}\n`);
}

/** Whether the oracle has not judged the present code. @param {Oracle} oracle @param {Proof} proof */
export function isOutOfDate(oracle, proof) {
  return proof.oracles[oracle.name]?.code !== judgedCode(oracle);
}

/** Writes the tables of docs/proof.md, README.md and docs/kubernetes.md from the file. */
export function writeTables() {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', 'test/docsProof.test.ts', '-t', 'what docs/proof.json has is', '-u'];
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(stdout);
}

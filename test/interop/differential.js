// @ts-check
/**
 * Compares the validator with the real ignition-validate on configs that nobody has seen: random ones and mutations.
 *
 *   npm run differential -- [--count N] [--seed S] [--json FILE]
 *
 * `findIgnitionValidate` finds the real program, which has to be 2.27 or newer. It reads a document that is not a valid
 * config as Butane, too. That needs the key `variant`, which no document here has. Exit 1 on any difference.
 */

import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { formatPath, validateConfig } from '../../dist/ignition.js';
import { ignitionValidatePeer, writeFigures, writeMissing } from './figures.js';
import { mutate, randomConfig, randomNumbers } from './configGenerator.js';
import { findIgnitionValidate } from './findIgnitionValidate.js';

const versions = ['3.0.0', '3.1.0', '3.2.0', '3.3.0', '3.4.0', '3.5.0', '3.6.0', '3.7.0-experimental'];

const { values } = parseArgs({
  options: { count: { type: 'string' }, seed: { type: 'string' }, json: { type: 'string' } },
});
const count = Number(values.count ?? 2000);
const seed = Number(values.seed ?? Date.now() % 2 ** 32);

const program = findIgnitionValidate();
if (program === undefined) {
  console.log('skipped: no ignition-validate 2.27 or newer (set IGNITION_VALIDATE, or put it on PATH)');
  writeMissing(values.json, ['ignition-validate']);
} else {
  process.exitCode = await compareAll(program);
}

/** @param {string} command @returns {Promise<number>} */
async function compareAll(command) {
  console.log(`seed ${seed}, ${count} documents`);
  const random = randomNumbers(seed);
  let differences = 0;
  for (let done = 0; done < count; done += 4) {
    const documents = Array.from({ length: 4 }, () => randomDocument(random));
    const theirs = await Promise.all(documents.map((document) => runReal(command, document)));
    for (const [index, document] of documents.entries()) {
      const ours = describe(document);
      if (ours === theirs[index]) continue;
      differences++;
      if (differences <= 20)
        console.log(
          `--- ${JSON.stringify(document.toString('latin1'))}\nreal: ${theirs[index]}\nours: ${ours}`,
        );
    }
  }
  console.log(`${count - differences} of ${count} agree in verdict, messages, paths and positions`);
  const peer = ignitionValidatePeer(command);
  writeFigures(values.json, { peer, seed, documents: count, agreeing: count - differences });
  return differences === 0 ? 0 : 1;
}

/** @param {() => number} random @returns {Buffer} */
function randomDocument(random) {
  const version = versions[Math.floor(random() * versions.length)] ?? '3.6.0';
  const indent = random() < 0.3 ? 2 : undefined;
  const document = Buffer.from(JSON.stringify(randomConfig(random, version), null, indent));
  const result = random() < 0.5 ? document : mutate(random, document);
  // The real program prints its report as a printf format: per cent signs come out mangled there.
  return result.includes('%') ? document.includes('%') ? Buffer.from('{}') : document : result; // prettier-ignore
}

/** @param {string} command @param {Buffer} document @returns {Promise<string>} exit code and sorted lines */
function runReal(command, document) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, ['-'], { stdio: ['pipe', 'pipe', 'pipe'] });
    /** @type {Buffer[]} */
    const output = [];
    child.stdout.on('data', (chunk) => output.push(chunk));
    child.stderr.on('data', (chunk) => output.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => resolve(summary(code === 0, Buffer.concat(output).toString().split('\n'))));
    child.stdin.on('error', () => {});
    child.stdin.end(document);
  });
}

/** @param {Buffer} document @returns {string} our report in the words of the real program */
function describe(document) {
  const report = validateConfig(document);
  const own = report.findings.filter((finding) => finding.severity !== 'info');
  return summary(report.valid, own.map(formatAsReal).join('\n').split('\n'));
}

/** @param {import('../../dist/ignition.js').Finding} finding @returns {string} */
function formatAsReal(finding) {
  if (['empty', 'version-malformed', 'version-unsupported'].includes(finding.rule)) {
    return `couldn't parse config: ${finding.message}`;
  }
  const path = finding.path.length === 0 ? '' : formatPath(finding.path);
  const { line, column } = finding.position ?? { line: 0, column: 0 };
  const at = finding.position || path === '' ? `line ${line} col ${column}` : '';
  const where = [path, at].filter((part) => part).join(', ');
  return `${finding.severity}${where && ` at ${where}`}: ${finding.message}`;
}

/** @param {boolean} valid @param {string[]} lines @returns {string} */
function summary(valid, lines) {
  return [
    valid ? 'valid' : 'invalid',
    ...lines
      .map((line) => line.trim())
      .filter((line) => line)
      .toSorted(),
  ].join('\n');
}

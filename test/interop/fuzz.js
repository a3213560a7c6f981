// @ts-check
/**
 * Feeds the validator what nobody would write: random bytes, configs, mutations, URLs, units and conf files. Whatever
 * comes, there has to be a report: no exception, in little time, in little memory.
 *
 *   npm run fuzz -- [--count N] [--seed S]
 *
 * Ends with 1 at the first input that breaks this, and prints it.
 */

import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { checkConf, decodeDataUrl, FormatError, formatTextReport, validateConfig } from '../../dist/index.js';
import { mutate, randomConfig, randomNumbers } from './configGenerator.js';

/** Milliseconds for one input of some kilobytes, on a busy machine. */
const longest = 1000;

/** Bytes that the process may take beyond three times the largest input and what it takes for ordinary ones. */
const allowance = 16 * 1024 * 1024;

/** Keeps the heap so small that garbage does not count; what needs more than that ends the process. */
const heapFlags = ['--max-semi-space-size=1', '--max-old-space-size=40'];

const versions = ['3.0.0', '3.1.0', '3.2.0', '3.3.0', '3.4.0', '3.5.0', '3.6.0', '3.7.0-experimental'];

const jsonPieces = '{ } [ ] : , " \\ \\u \\ud800 null true 1e999 -0 1.5 "ignition" "version" "3.4.0" "storage" "files" "path" \n \t \xff \u2028 ü ſ'.split(' '); // prettier-ignore
const urlPieces = 'data: , ; base64 ;base64, = %20 %zz % text/plain charset=utf-8 " \\" \\ http:// s3:// arn:aws:s3::: [ ] ::1 : @ / // ? & versionId= # 80 ü \x01 aGk= \n A'.split(' '); // prettier-ignore
const unitPieces = ['[', ']', '[Unit]', '[Install]', '\n', '\r\n', '\r', '\\\n', '=', '#', ';', ' ', '\t', 'Description', 'WantedBy=x', '\ud800', '\u00a0', '\u2028', 'é', '\0', 'x'.repeat(600)]; // prettier-ignore
const confPieces = ['[DEFAULT]', '[', ']', 'api_url', '=', ':', ' = ', '\n', '\n ', '\r\n', '#', ';', '%(x)s', '$', '${x}', '"', "'", 'True', '1', '-1', 'http://[::1', 'mdns', '\0', 'é', '\ud800', '\u2028', 'x'.repeat(300)]; // prettier-ignore

/** @typedef {{ make: (random: () => number) => Buffer, run: (input: Buffer) => void }} Target */

/** Makers of inputs and what they are fed to. @type {Readonly<Record<string, Target>>} */
const targets = {
  'random bytes': { make: randomBytes, run: checkReport },
  'JSON-like text': { make: (random) => randomText(random, jsonPieces), run: checkReport },
  'random configs': { make: makeConfig, run: checkReport },
  'mutated configs': { make: (random) => mutate(random, makeConfig(random)), run: checkReport },
  URLs: { make: (random) => randomText(random, urlPieces), run: checkSource },
  units: { make: (random) => randomText(random, unitPieces), run: checkUnit },
  'agent confs': { make: (random) => randomText(random, confPieces), run: checkAgentConf },
};

process.exitCode = heapFlags.every((flag) => process.execArgv.includes(flag)) ? main() : runWithSmallHeap();

function runWithSmallHeap() {
  const args = [...heapFlags, import.meta.filename, ...process.argv.slice(2)];
  return spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
}

function main() {
  const { values } = parseArgs({ options: { count: { type: 'string' }, seed: { type: 'string' } } });
  const count = Number(values.count ?? 1_000_000);
  const seed = Number(values.seed ?? Date.now() % 2 ** 32);
  console.log(`seed ${seed}, ${count} inputs`);
  const random = randomNumbers(seed);
  const runtime = warmUp(random);
  const start = performance.now();
  let largest = 0;
  for (const [name, target] of Object.entries(targets)) {
    const share = Math.ceil(count / Object.keys(targets).length);
    const result = feed(target, share, random);
    if (result.failure !== undefined) return reportFailure(name, result);
    largest = Math.max(largest, result.largest);
    console.log(
      `  ${name.padEnd(16)} ${share} inputs, up to ${result.largest} bytes, slowest ${result.slowest.toFixed(1)} ms`,
    );
  }
  const growth = peakMemory() - runtime;
  const seconds = (performance.now() - start) / 1000;
  console.log(
    `${seconds.toFixed(0)} s; peak memory ${megabytes(peakMemory())}, ${megabytes(growth)} more than for ordinary configs`,
  );
  if (growth <= 3 * largest + allowance) return 0;
  console.log('FAILED: that is too much memory');
  return 1;
}

/** What the process takes once everything has been used. @param {() => number} random */
function warmUp(random) {
  for (const { make, run } of Object.values(targets)) {
    for (let index = 0; index < 2000; index++) run(make(random));
  }
  return peakMemory();
}

/**
 * @typedef {{ largest: number, slowest: number, failure?: unknown, input?: Buffer }} Result
 * @param {Target} target @param {number} count @param {() => number} random @returns {Result}
 */
function feed({ make, run }, count, random) {
  let largest = 0;
  let slowest = 0;
  for (let index = 0; index < count; index++) {
    const input = make(random);
    const start = performance.now();
    try {
      run(input);
    } catch (failure) {
      return { largest, slowest, failure, input };
    }
    const taken = performance.now() - start;
    largest = Math.max(largest, input.length);
    slowest = Math.max(slowest, taken);
    if (taken > longest) return { largest, slowest, failure: `it took ${taken.toFixed(0)} ms`, input };
  }
  return { largest, slowest };
}

/** @param {string} name @param {Result} result */
function reportFailure(name, { failure, input }) {
  console.log(`FAILED in ${name}:`, failure);
  console.log(JSON.stringify(input?.toString('latin1')));
  return 1;
}

/** @param {Buffer} input */
function checkReport(input) {
  const report = validateConfig(input);
  const text = formatTextReport(report, { name: 'fuzz.ign', bytes: input });
  const hasErrors = report.findings.some(({ severity }) => severity === 'error');
  if (report.valid === hasErrors || (text === '') !== (report.findings.length === 0)) {
    throw new Error('the verdict and the findings do not go together');
  }
}

/** @param {Buffer} input */
function checkSource(input) {
  const source = input.toString('utf8');
  checkReport(configOf({ storage: { files: [{ path: '/a', contents: { source } }] } }));
  try {
    decodeDataUrl(source);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
  }
}

/** @param {Buffer} input */
function checkUnit(input) {
  checkReport(
    configOf({
      systemd: { units: [{ name: 'a.service', enabled: true, contents: input.toString('utf8') }] },
    }),
  );
}

/** @param {Buffer} input */
function checkAgentConf(input) {
  if (!Array.isArray(checkConf(input.toString('utf8')))) throw new Error('no findings');
}

/** @param {object} sections */
function configOf(sections) {
  return Buffer.from(JSON.stringify({ ignition: { version: '3.4.0' }, ...sections }));
}

/** @param {() => number} random */
function makeConfig(random) {
  const version = versions[Math.floor(random() * versions.length)] ?? '3.4.0';
  const indent = random() < 0.3 ? 2 : undefined;
  return Buffer.from(JSON.stringify(randomConfig(random, version), null, indent));
}

/** @param {() => number} random */
function randomBytes(random) {
  return Buffer.from(Array.from({ length: randomLength(random) }, () => Math.floor(random() * 256)));
}

/** Pieces in any order, now and then one of them many times. @param {() => number} random @param {readonly string[]} pieces */
function randomText(random, pieces) {
  let text = '';
  for (let left = randomLength(random); left > 0; left--) {
    const piece = pieces[Math.floor(random() * pieces.length)] ?? '';
    text += random() < 0.01 ? piece.repeat(Math.floor(random() * 300)) : piece;
  }
  return Buffer.from(text);
}

/** Mostly short. @param {() => number} random */
function randomLength(random) {
  return Math.floor(60 * random() ** 2);
}

/** Bytes. */
function peakMemory() {
  return process.resourceUsage().maxRSS * 1024;
}

/** @param {number} bytes */
function megabytes(bytes) {
  return `${Math.round(bytes / 1024 / 1024)} MB`;
}

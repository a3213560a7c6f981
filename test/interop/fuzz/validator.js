// @ts-check
/** The validator, fed what nobody would write: random bytes, configs, mutations, URLs, units and conf files. */

import { mutate, randomConfig } from '../configGenerator.js';
import { noise, pick } from './damage.js';

/**
 * @typedef {typeof import('./subjects.ts')} Subjects
 * @typedef {import('./damage.js').Random} Random
 * @typedef {import('./worker.js').Target} Target
 */

const versions = ['3.0.0', '3.1.0', '3.2.0', '3.3.0', '3.4.0', '3.5.0', '3.6.0', '3.7.0-experimental'];

const jsonPieces = '{ } [ ] : , " \\ \\u \\ud800 null true 1e999 -0 1.5 "ignition" "version" "3.4.0" "storage" "files" "path" \n \t \xff \u2028 ü ſ'.split(' '); // prettier-ignore
const urlPieces = 'data: , ; base64 ;base64, = %20 %zz % text/plain charset=utf-8 " \\" \\ http:// s3:// arn:aws:s3::: [ ] ::1 : @ / // ? & versionId= # 80 ü \x01 aGk= \n A'.split(' '); // prettier-ignore
const unitPieces = ['[', ']', '[Unit]', '[Install]', '\n', '\r\n', '\r', '\\\n', '=', '#', ';', ' ', '\t', 'Description', 'WantedBy=x', '\ud800', '\u00a0', '\u2028', 'é', '\0', 'x'.repeat(600)]; // prettier-ignore
const confPieces = ['[DEFAULT]', '[', ']', 'api_url', '=', ':', ' = ', '\n', '\n ', '\r\n', '#', ';', '%(x)s', '$', '${x}', '"', "'", 'True', '1', '-1', 'http://[::1', 'mdns', '\0', 'é', '\ud800', '\u2028', 'x'.repeat(300)]; // prettier-ignore

/** Of all inputs for the validator, what one of its targets gets. */
const share = 1 / 7;

/** @param {Subjects} subjects @returns {Readonly<Record<string, Target>>} */
export function validatorTargets(subjects) {
  /** @param {(subjects: Subjects, input: Buffer) => void} check @returns {Target['run']} */
  const run = (check) => (input) => check(subjects, input);
  const report = run(checkReport);
  return {
    'random bytes': { make: (random) => noise(random, randomLength(random)), run: report, share },
    'JSON-like text': { make: (random) => randomText(random, jsonPieces), run: report, share },
    'random configs': { make: makeConfig, run: report, share },
    'mutated configs': { make: (random) => mutate(random, makeConfig(random)), run: report, share },
    URLs: { make: (random) => randomText(random, urlPieces), run: run(checkSource), share },
    units: { make: (random) => randomText(random, unitPieces), run: run(checkUnit), share },
    'agent confs': { make: (random) => randomText(random, confPieces), run: run(checkAgentConf), share },
  };
}

/** @param {Subjects} subjects @param {Buffer} input */
function checkReport({ formatTextReport, validateConfig }, input) {
  const report = validateConfig(input);
  const text = formatTextReport(report, { name: 'fuzz.ign', bytes: input });
  const hasErrors = report.findings.some(({ severity }) => severity === 'error');
  if (report.valid === hasErrors || (text === '') !== (report.findings.length === 0)) {
    throw new Error('the verdict and the findings do not go together');
  }
}

/** @param {Subjects} subjects @param {Buffer} input */
function checkSource(subjects, input) {
  const source = input.toString('utf8');
  checkReport(subjects, configOf({ storage: { files: [{ path: '/a', contents: { source } }] } }));
  try {
    subjects.decodeDataUrl(source);
  } catch (error) {
    if (!(error instanceof subjects.FormatError)) throw error;
  }
}

/** @param {Subjects} subjects @param {Buffer} input */
function checkUnit(subjects, input) {
  checkReport(
    subjects,
    configOf({
      systemd: { units: [{ name: 'a.service', enabled: true, contents: input.toString('utf8') }] },
    }),
  );
}

/** @param {Subjects} subjects @param {Buffer} input */
function checkAgentConf({ checkConf }, input) {
  if (!Array.isArray(checkConf(input.toString('utf8')))) throw new Error('no findings');
}

/** @param {object} sections */
function configOf(sections) {
  return Buffer.from(JSON.stringify({ ignition: { version: '3.4.0' }, ...sections }));
}

/** @param {Random} random */
function makeConfig(random) {
  const version = pick(random, versions);
  const indent = random() < 0.3 ? 2 : undefined;
  return Buffer.from(JSON.stringify(randomConfig(random, version), null, indent));
}

/** Pieces in any order, now and then one of them many times. @param {Random} random @param {readonly string[]} pieces */
function randomText(random, pieces) {
  let text = '';
  for (let left = randomLength(random); left > 0; left--) {
    const piece = pick(random, pieces);
    text += random() < 0.01 ? piece.repeat(Math.floor(random() * 300)) : piece;
  }
  return Buffer.from(text);
}

/** Mostly short. @param {Random} random */
function randomLength(random) {
  return Math.floor(60 * random() ** 2);
}

// @ts-check
/**
 * Runs the steps of a scenario side by side: all by the other program, all by ours, and in turns, so that each reads what the
 * other wrote. After every step, exit codes, output, messages and files have to be those of the first.
 */

import { createHash } from 'node:crypto';
import {
  constants,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { ignitionMeaning } from './meaning.js';
import { soughtPhrases } from './soughtPhrases.js';

/** @typedef {import('./programs.js').Program} Program */
/** @typedef {import('./programs.js').Step} Step */
/** @typedef {import('./programs.js').Outcome} Outcome */
/** @typedef {'bytes' | 'meaning'} Equality */
/** @typedef {{ readonly kind: string, readonly detail: string, readonly reason?: string | undefined }} Difference */

/**
 * @typedef {object} Lab
 * @property {(program: Program, step: Step, cwd: string) => Outcome} run
 * @property {(path: string) => string} meaningOf
 * @property {(command: string, difference: Difference) => string | undefined} explain why programs differ knowingly
 * @property {string} folder for the runs
 * @property {string} inputs folder that every run sees as `in`
 */

/**
 * @typedef {object} Comparison
 * @property {Equality} equality of everything, where there is no difference
 * @property {boolean} isRefusal the last step fails
 * @property {readonly Difference[]} differences
 */

/** @type {Readonly<Record<string, readonly [Program, Program]>>} by who does the first step and who the next, in turns */
const turns = {
  theirs: ['theirs', 'theirs'],
  ours: ['ours', 'ours'],
  'ours, then theirs': ['ours', 'theirs'],
  'theirs, then ours': ['theirs', 'ours'],
};

/**
 * @param {readonly Step[]} steps
 * @param {readonly (readonly [name: string, path: string])[]} files that are there at the beginning
 * @param {Lab} lab
 * @returns {Comparison}
 */
export function compareRuns(steps, files, lab) {
  const names = Object.keys(turns).slice(0, steps.length > 1 ? 4 : 2);
  const folders = new Map(names.map((name) => [name, prepare(join(lab.folder, name), files, lab)]));
  try {
    /** @type {Difference[]} */
    const differences = [];
    /** @type {Equality} */
    let equality = 'bytes';
    let isRefusal = false;
    for (const [index, step] of steps.entries()) {
      const [reference, ...others] = [...folders].map(([name, cwd]) => ({
        name,
        ...observe(lab.run(turns[name]?.[index % 2] ?? 'ours', step, cwd), cwd),
      }));
      if (reference === undefined) break;
      isRefusal = reference.outcome.code !== 0;
      for (const other of others) {
        const found = compareStep(step, { reference, other }, lab);
        if (found.equality === 'meaning') equality = 'meaning';
        const command = step.args.join(' ');
        const explained = found.differences.map((it) => ({
          kind: it.kind,
          detail: `${other.name}: ${command}: ${it.detail}`,
          reason: lab.explain(command, it),
        }));
        differences.push(...explained);
        // What follows would only repeat it.
        if (explained.some(({ kind, reason }) => reason === undefined || kind === 'exit code')) {
          folders.delete(other.name);
        }
      }
    }
    return { equality, isRefusal, differences };
  } finally {
    rmSync(lab.folder, { recursive: true, force: true });
    digests.clear();
  }
}

/** @param {string} folder @param {readonly (readonly [string, string])[]} files @param {Lab} lab */
function prepare(folder, files, { inputs }) {
  mkdirSync(folder, { recursive: true });
  symlinkSync(inputs, join(folder, 'in'));
  for (const [name, path] of files) copyFileSync(path, join(folder, name), constants.COPYFILE_FICLONE);
  return folder;
}

/**
 * @typedef {object} Observed
 * @property {string} cwd
 * @property {Outcome} outcome
 * @property {ReadonlyMap<string, string>} files digests by paths
 */

/** @param {Outcome} outcome @param {string} cwd @returns {Observed} */
function observe(outcome, cwd) {
  const entries = readdirSync(cwd, { recursive: true, withFileTypes: true }).filter((it) => it.isFile());
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name)).toSorted();
  return {
    cwd,
    outcome,
    files: new Map(paths.map((path) => [path.slice(cwd.length + 1), digestOf(path)])),
  };
}

/** @type {Map<string, string>} by what changes with the contents */
const digests = new Map();

/** @param {string} path */
function digestOf(path) {
  const { ino, size, mtimeNs } = statSync(path, { bigint: true });
  const key = `${path} ${ino} ${size} ${mtimeNs}`;
  const known = digests.get(key);
  if (known !== undefined) return known;
  const result = createHash('sha256').update(readFileSync(path)).digest('hex');
  digests.set(key, result);
  return result;
}

/**
 * @param {Step} step
 * @param {{ reference: Observed, other: Observed }} observed
 * @param {Lab} lab
 * @returns {{ equality: Equality, differences: Difference[] }}
 */
function compareStep(step, { reference, other }, lab) {
  const files = compareFiles(reference, other, lab);
  const stdout = compareStdout(step, reference.outcome, other.outcome);
  return {
    equality: [files.equality, stdout.equality].includes('meaning') ? 'meaning' : 'bytes',
    differences: [
      ...compareCodes(reference.outcome, other.outcome),
      ...compareTalk(reference.outcome, other.outcome),
      ...stdout.differences,
      ...files.differences,
    ],
  };
}

/** @param {Outcome} reference @param {Outcome} other @returns {Difference[]} */
function compareCodes({ code }, { code: otherCode, stderr }) {
  if (code === otherCode) return [];
  return [{ kind: 'exit code', detail: `${otherCode} and not ${code}: ${stderr.trim().split('\n')[0]}` }];
}

/**
 * A script that looks for a notice, or for one of the texts that scripts look for, has to find it.
 * @param {Outcome} reference @param {Outcome} other @returns {Difference[]}
 */
function compareTalk({ code, stderr }, { stderr: otherStderr }) {
  if (code === 2) return [];
  const said = oneLine(otherStderr);
  const looked = code === 0 ? notices(stderr) : soughtPhrases.filter((it) => stderr.includes(it));
  const missing = looked.filter((it) => !said.includes(it));
  if (missing.length > 0) return missing.map((it) => ({ kind: 'phrase', detail: `not said: ${it}` }));
  if (code === 0 || looked.length > 0) return [];
  const causes = causesOf(stderr);
  if (causes.some((cause) => said.includes(oneLine(cause)))) return [];
  return [{ kind: 'words', detail: `none of ${JSON.stringify(causes)} in ${JSON.stringify(said)}` }];
}

/** Paragraphs, as they may be wrapped elsewhere. @param {string} stderr */
function notices(stderr) {
  return stderr
    .split(/\n(?=[A-Z`])/)
    .map(oneLine)
    .filter((notice) => notice !== '');
}

/** @param {string} stderr @returns {string[]} of an error, the outermost first */
function causesOf(stderr) {
  const [, outermost = ''] = /^Error: (.*)$/m.exec(stderr) ?? [];
  const causes = stderr.split('Caused by:\n')[1]?.trimEnd().split('\n') ?? [];
  const inner = causes.map((cause) => cause.replace(/^ +(?:\d+: )?/, ''));
  return [outermost, ...inner].map((cause) => cause.replace(/ \(os error \d+\)$/, ''));
}

/** @param {string} text */
function oneLine(text) {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/**
 * @param {Step} step @param {Outcome} reference @param {Outcome} other
 * @returns {{ equality: Equality, differences: Difference[] }}
 */
function compareStdout({ stdout: kind = 'text' }, { code, stdout }, { stdout: otherStdout }) {
  if (code !== 0 || kind === 'none' || stdout.equals(otherStdout))
    return { equality: 'bytes', differences: [] };
  const same =
    (kind === 'ignition' && ignitionMeaning(stdout.toString()) === ignitionMeaning(otherStdout.toString())) ||
    (kind === 'json' && sameJson(stdout, otherStdout));
  if (same) return { equality: 'meaning', differences: [] };
  const detail = `${shorten(otherStdout)} and not ${shorten(stdout)}`;
  return { equality: 'bytes', differences: [{ kind: 'stdout', detail }] };
}

/** @param {Buffer} left @param {Buffer} right */
function sameJson(left, right) {
  return JSON.stringify(JSON.parse(left.toString())) === JSON.stringify(JSON.parse(right.toString()));
}

/** @param {Observed} reference @param {Observed} other @param {Lab} lab */
function compareFiles(reference, other, { meaningOf }) {
  /** @type {Difference[]} */
  const differences = [];
  /** @type {Equality} */
  let equality = 'bytes';
  for (const path of new Set([...reference.files.keys(), ...other.files.keys()])) {
    const [wanted, found] = [reference.files.get(path), other.files.get(path)];
    if (wanted === found) continue;
    if (wanted === undefined || found === undefined) {
      differences.push({
        kind: 'files',
        detail: `${path} is ${found === undefined ? 'not there' : 'there'}`,
      });
      continue;
    }
    const difference = differenceOf(meaningOf, join(reference.cwd, path), join(other.cwd, path));
    if (difference === undefined) equality = 'meaning';
    else differences.push({ kind: 'contents', detail: `${path}: ${difference}` });
  }
  return { equality, differences };
}

/** @param {(path: string) => string} meaningOf @param {string} reference @param {string} other */
function differenceOf(meaningOf, reference, other) {
  try {
    const [wanted, found] = [meaningOf(reference), meaningOf(other)];
    if (wanted === found) return undefined;
    let index = 0;
    while (wanted[index] === found[index]) index++;
    const [start, end] = [Math.max(0, index - 100), index + 100];
    return `…${JSON.stringify(found.slice(start, end))} and not ${JSON.stringify(wanted.slice(start, end))}`;
  } catch (error) {
    return `cannot be decoded: ${String(error).split('\n')[0]}`;
  }
}

/** @param {Buffer} bytes */
function shorten(bytes) {
  return JSON.stringify(bytes.length > 300 ? `${bytes.subarray(0, 300).toString()}…` : bytes.toString());
}

/**
 * Butane, as it is in Ignition 2.27, and ours on the same documents: config, errors and warnings with paths and positions, and
 * the verdict of Ignition itself.
 */

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LocalFiles } from '../../src/butane/localFiles.ts';
import { translateButane } from '../../src/butane/translate.ts';
import { butaneVersions } from '../../src/butane/versions.ts';
import { type Finding, formatPath, type Path } from '../../src/core/finding.ts';
import { formatIgnition } from '../../src/ignition/ignitionText.ts';
import { examineConfig } from '../../src/ignition/validate.ts';
import { snakePath } from '../../src/butane/sources.ts';
import { checkDataUrl, decodeDataUrl } from '../../src/formats/dataUrl.ts';
import { openFilesDir } from '../../src/hosts/input/filesDir.ts';
import { butaneExamples } from '../support/butaneExamples.ts';
import { randomButane } from '../support/butaneDocuments.ts';
import { oracleFile, have, oracleNote } from '../support/programs.ts';
import { publicFiles } from '../support/publicConfigs.ts';
import { withoutEmpty } from '../support/randomConfigs.ts';

const oracle = oracleFile('Butane');
/** Documents of each version. */
const count = Number(process.env['IRONIC_COREOS_BUTANE_COUNT'] ?? 1000);
const seed = Number(process.env['IRONIC_COREOS_BUTANE_SEED'] ?? 1);

interface Theirs {
  readonly config?: unknown;
  readonly error?: string;
  readonly entries: readonly {
    severity: string;
    message: string;
    path: string;
    line: number;
    column: number;
  }[];
  readonly isAccepted: boolean;
}

let files: string;
beforeAll(() => {
  files = mkdtempSync(join(tmpdir(), 'butane-'));
  mkdirSync(join(files, 'tree', 'sub'), { recursive: true });
  mkdirSync(join(files, 'empty'));
  writeFileSync(join(files, 'a.txt'), 'hello\n');
  writeFileSync(join(files, 'big.txt'), 'a line of text\n'.repeat(500));
  writeFileSync(
    join(files, 'random.bin'),
    Buffer.from(Array.from({ length: 300 }, (_, index) => (index * 7919) % 256)),
  );
  writeFileSync(join(files, 'keys.pub'), 'ssh-ed25519 AAAA a\r\n\nssh-ed25519 BBBB b\n');
  writeFileSync(join(files, 'unit.service'), '[Service]\nExecStart=/bin/true\n');
  writeFileSync(join(files, 'tree', 'run.sh'), '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(join(files, 'tree', 'sub', 'b.txt'), '');
  writeFileSync(join(files, 'own.ign'), '{"ignition":{"version":"3.0.0"}}');
  symlinkSync('../a.txt', join(files, 'tree', 'link'));
});
afterAll(() => rmSync(files, { recursive: true, force: true }));

describe.skipIf(!have('Butane'))(`Butane${oracleNote('Butane')}`, () => {
  it.each(butaneVersions)(
    '%s: the same about random documents',
    async (version) => {
      const random = randomNumbers(seed);
      const documents = Array.from({ length: count }, (_, index) => ({
        text: randomButane(random, version),
        ...(index % 2 === 0 && { filesDir: files }),
      }));
      const { stdout, stderr } = spawnSync(oracle, {
        input: documents.map((document) => JSON.stringify(document)).join('\n'),
        encoding: 'utf8',
        maxBuffer: 2 ** 30,
      });
      const lines = stdout.trimEnd().split('\n');
      expect({ lines: lines.length, stderr }).toEqual({ lines: count, stderr: '' });
      const different: string[] = [];
      const verdicts: string[] = [];
      for (const [index, document] of documents.entries()) {
        const theirs: Theirs = JSON.parse(lines[index]!);
        const local = 'filesDir' in document ? openFilesDir(files, { cwd: '/' }) : undefined;
        const ours = judge(document.text, local);
        const expected = expectedOf(theirs, document.text);
        const reason = differenceOf(ours, expected);
        // Ignition reads no local files.
        const isValid = judge(document.text, undefined).config !== undefined;
        if (isValid !== theirs.isAccepted && reason !== 'inlined') verdicts.push(document.text);
        if (reason === undefined) continue;
        known[reason] = (known[reason] ?? 0) + 1;
        if (reason !== 'other') continue;
        const messages = ours.messages.map(([message]) => message);
        different.push(
          `--- ${index}\n${document.text}\ntheirs: ${theirs.error} ${JSON.stringify(expected)}\nours: ${JSON.stringify({ ...ours, messages })}`,
        );
      }
      if (different.length > 0)
        writeFileSync(join(tmpdir(), `butane-diff-${version}.txt`), different.join('\n\n'));
      expect(different.slice(0, 3)).toEqual([]);
      expect(verdicts.slice(0, 3)).toEqual([]);
    },
    600_000,
  );
});

/** Each example in the version that adds it, and in all newer ones. */
const examples = butaneExamples.map(({ title, since, text }) => ({
  title,
  since,
  documents: butaneVersions
    .slice(butaneVersions.indexOf(since))
    .map((version) => `variant: fcos\nversion: ${version}\n${text}\n`),
}));

describe.skipIf(!have('Butane'))(`Butane's examples${oracleNote('Butane')}`, () => {
  it.each(examples)('$title, since $since', ({ documents }) => {
    const { stdout } = spawnSync(oracle, {
      input: documents.map((text) => JSON.stringify({ text, filesDir: files })).join('\n'),
      encoding: 'utf8',
    });
    const lines = stdout.trimEnd().split('\n');
    for (const [index, text] of documents.entries()) {
      const ours = judge(text, openFilesDir(files, { cwd: '/' }));
      const expected = expectedOf(JSON.parse(lines[index]!), text);
      expect(ours.config).toEqual(expected.config);
      expect(ours.config).toBeDefined();
      // Butane warns of an inlined config whose version is not that of its own spec.
      const allowed = index === 0 ? [undefined] : [undefined, 'inlined'];
      expect({ allowed, ours, expected, reason: differenceOf(ours, expected) }).toSatisfy(({ reason }) =>
        allowed.includes(reason),
      );
    }
  });
});

describe.skipIf(!have('Butane', 'public configs'))(
  `public Butane documents${oracleNote('Butane', 'public configs')}`,
  () => {
    it('are translated to the same configs, with the same messages', () => {
      const documents = publicFiles('butane');
      const input = documents.map(({ text }) => JSON.stringify({ text })).join('\n');
      const { stdout } = spawnSync(oracle, { input, encoding: 'utf8', maxBuffer: 2 ** 30 });
      const lines = stdout.trimEnd().split('\n');
      const different = documents.flatMap(({ name, text }, index) => {
        const theirs: Theirs = JSON.parse(lines[index]!);
        const ours = judge(text, undefined);
        const expected = expectedOf(theirs, text);
        const isAccepted = ours.config !== undefined;
        const reason = differenceOf(ours, expected);
        if (isAccepted === theirs.isAccepted && reason !== 'other') return [];
        return [{ name, isAccepted, reason, ours: ours.messages, theirs: expected.messages }];
      });
      expect(different).toEqual([]);
    });
  },
);

const isValid = (input: string): boolean =>
  spawnSync(oracleFile('ignition-validate'), ['-'], { input }).status === 0;

describe.skipIf(!have('ignition-validate'))(
  `ignition-validate, of Butane's examples${oracleNote('ignition-validate')}`,
  () => {
    it.each(examples)('$title, since $since', ({ documents: [first = '', ...newer] }) => {
      for (const text of [first, newer.at(-1) ?? first]) {
        // Ignition reads no local files.
        expect(isValid(text)).toBe(judge(text, undefined).config !== undefined);
        const { config } = translateButane(text, openFilesDir(files, { cwd: '/' }));
        expect(isValid(formatIgnition(config!))).toBe(true);
        const broken = text.replace('version: 1', 'version: v1');
        expect([isValid(broken), judge(broken, undefined).config]).toEqual([false, undefined]);
      }
    });
  },
);

const known: Record<string, number> = {};
afterAll(() => console.log(JSON.stringify(known)));

const inlinedProblem =
  /\$\.ignition\.config\.\S+ .*(?:config is not valid|skipping validation for the merge\/replace)/;

/** Why the results differ; undefined if they are equal. */
function differenceOf(
  ours: Verdict,
  theirs: { config: unknown; messages: readonly string[] },
): string | undefined {
  const primary = new Set(ours.messages.map(([message]) => message));
  const isEqual =
    primary.size === theirs.messages.length &&
    theirs.messages.every((message) => primary.has(message)) &&
    JSON.stringify(ours.config) === JSON.stringify(theirs.config);
  if (isEqual) return undefined;
  // Butane reports problems of a config that is inlined at its path in that config, with a position in the outer one.
  if (theirs.messages.some((message) => inlinedProblem.test(message))) return 'inlined';
  // Butane loses the source of empty values when it merges generated objects, and reports the path in the result.
  const found = new Set(theirs.messages);
  const all = new Set(ours.messages.flat());
  const isMatched = ours.messages.every((names) => names.some((name) => found.has(name)));
  if (
    isMatched &&
    theirs.messages.every((message) => all.has(message)) &&
    JSON.stringify(ours.config) === JSON.stringify(theirs.config)
  )
    return 'source';
  // zlib finds repetitions that gzip of Go does not find, so that gzip may be the shortest form only here.
  const isSame = JSON.stringify(decoded(ours.config)) === JSON.stringify(decoded(theirs.config));
  return isSame && primary.size === theirs.messages.length && isMatched ? 'gzip' : 'other';
}

interface Verdict {
  readonly config: unknown;
  /** Each with its forms. */
  readonly messages: readonly (readonly string[])[];
}

function judge(text: string, local: LocalFiles | undefined): Verdict {
  const unreadable = { config: undefined, messages: [['unreadable YAML']] };
  let translated;
  try {
    translated = translateButane(text, local);
  } catch {
    return unreadable;
  }
  const { config, findings, pathOf, positionOf } = translated;
  if (findings.some(({ rule }) => /^butane-(?:type|yaml|variant|version)$/.test(rule))) return unreadable;
  const format = ({ severity, message }: Finding, path: Path, position = positionOf(path)): string =>
    `${severity} ${formatPath(path)} ${position.line}:${position.column} ${normal(message)}`;
  const messages = findings.map((finding) => [format(finding, finding.path, finding.position)]);
  if (config === undefined) return { config, messages };
  const json = Buffer.from(formatIgnition(config));
  const { report } = examineConfig(json);
  for (const finding of report.findings) {
    messages.push([format(finding, pathOf(finding.path)), format(finding, snakePath(finding.path))]);
  }
  return { config: report.valid ? comparable(JSON.parse(json.toString())) : undefined, messages };
}

function expectedOf(
  { config, entries, error = '' }: Theirs,
  text: string,
): { config: unknown; messages: readonly string[] } {
  const lines = text.split('\n');
  if (entries.length === 0 && error !== '') return { config: undefined, messages: ['unreadable YAML'] };
  const messages = entries.map(({ severity, message, path, line, column }) => {
    // Columns of Butane count characters.
    const bytes = Buffer.byteLength(
      Array.from(lines[line - 1] ?? '')
        .slice(0, column - 1)
        .join(''),
    );
    return `${severity} ${path} ${line}:${bytes + 1} ${normal(message)}`;
  });
  return { config: comparable(config), messages: unordered(messages) };
}

/** Messages of the system differ, and Butane repeats some. */
function normal(message: string): string {
  return /no such file|is a directory|not a directory|does not exist|not a file/.test(message)
    ? 'unreadable file'
    : message;
}

function unordered(messages: readonly string[]): string[] {
  return [...new Set(messages)].toSorted();
}

/** Members in the order of their names; compressed contents are decompressed, because gzip differs. */
function comparable(config: unknown): unknown {
  return withoutEmpty(sorted(config));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    members.map(([name, member]) => [name, name === 'source' ? unpacked(member) : sorted(member)]),
  );
}

/** Without the encoding of contents. */
function decoded(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decoded);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name]) => name !== 'compression');
  return Object.fromEntries(
    members.map(([name, member]) => {
      const isPlain = name === 'source' && typeof member === 'string' && checkDataUrl(member) === undefined;
      return [name, isPlain ? Buffer.from(decodeDataUrl(member)).toString('latin1') : decoded(member)];
    }),
  );
}

function unpacked(source: unknown): unknown {
  const data =
    typeof source === 'string' && source.startsWith('data:;base64,H4sI') ? source.slice(13) : undefined;
  return data === undefined ? source : gunzipSync(Buffer.from(data, 'base64')).toString('latin1');
}

function randomNumbers(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

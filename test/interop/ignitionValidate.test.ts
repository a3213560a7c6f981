/** The real ignition-validate and ours on the same random configs: verdict, texts, paths and positions. */

import { spawnSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validateConfig } from '../../src/ignition/validate.ts';
import { type Finding, formatPath } from '../../src/core/finding.ts';
import { specVersions } from '../../src/ignition/versions.ts';
import { publicFiles, publicNote } from '../support/publicConfigs.ts';
import { runCli } from '../support/runCli.ts';
import { findIgnitionValidate } from './findIgnitionValidate.js';

const program = findIgnitionValidate();
const note = program === undefined ? ' (skipped: no ignition-validate 2.27 or newer)' : '';

describe.skipIf(program === undefined)(`ignition-validate${note}`, () => {
  it('says the same about random configs', () => {
    fc.assert(
      fc.property(configTexts(), (text) => {
        const theirs = judge(text);
        const { valid, findings } = validateConfig(Buffer.from(text));
        // It uses the report as a format, which mangles "%".
        fc.pre(!theirs.report.includes('%'));
        expect({ valid, report: unordered(findings.map(formatLine)) }).toEqual({
          valid: theirs.valid,
          report: unordered(theirs.report.split('\n')),
        });
      }),
      { numRuns: 120 },
    );
  });
});

describe.skipIf(program === undefined || publicNote !== '')(`public configs${publicNote}`, () => {
  it('have the same verdict and messages, and without an agent no errors beyond them', async () => {
    const different: object[] = [];
    for (const { name, text } of publicFiles('ignition')) {
      const theirs = judge(text);
      const { valid, findings } = validateConfig(Buffer.from(text));
      const ours = { valid, report: unordered(findings.map(formatLine)) };
      const report = unordered(theirs.report.split('\n'));
      if (valid !== theirs.valid || (!theirs.report.includes('%') && report.join() !== ours.report.join()))
        different.push({ name, ours, theirs: { ...theirs, report } });
      const { code } = await runCli(['validate', '-'], { stdin: text });
      if (!text.includes('ironic') && (code === 0) !== theirs.valid) different.push({ name, code });
    }
    expect(different).toEqual([]);
  });
});

function judge(text: string): { valid: boolean; report: string } {
  const { status, stdout, stderr } = spawnSync(program ?? '', ['-'], { input: text, encoding: 'utf8' });
  return { valid: status === 0, report: (stdout + stderr).trim() };
}

function formatLine({ severity, path, position, message, rule }: Finding): string {
  if (['empty', 'version-malformed', 'version-unsupported'].includes(rule))
    return `couldn't parse config: ${message}`;
  const places = path.length === 0 ? [] : [formatPath(path)];
  const isAboutAll = path.length === 0;
  if (position !== undefined) places.push(`line ${position.line} col ${position.column}`);
  else if (isAboutAll) places.push('line 0 col 0');
  return `${severity}${places.length > 0 ? ` at ${places.join(', ')}` : ''}: ${message}`;
}

/** The order of the unused keys of one object varies from run to run. */
function unordered(lines: readonly string[]): string[] {
  return lines
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .toSorted();
}

/** One of the bases below, with some tokens replaced, doubled or removed. */
function configTexts(): fc.Arbitrary<string> {
  const edit = fc.record({
    at: fc.nat(),
    kind: fc.constantFrom('value', 'value', 'key', 'double', 'drop', 'cut'),
    token: fc.constantFrom(...tokens),
    key: fc.constantFrom(...keys),
  });
  const version = fc.constantFrom(...specVersions);
  return fc
    .tuple(fc.constantFrom(...bases), version, fc.array(edit, { maxLength: 4 }))
    .map(([base, spec, edits]) => edits.reduce(applyEdit, base.replace('VERSION', spec)));
}

interface Edit {
  readonly at: number;
  readonly kind: string;
  readonly token: string;
  readonly key: string;
}

function applyEdit(text: string, { at, kind, token, key }: Edit): string {
  const values = [...text.matchAll(/(?<=[:[,]\s*)("[^"]*"|-?\d+|true|false|null|\{\}|\[\])(?=\s*[,}\]])/g)];
  const names = [...text.matchAll(/"[^"]*"(?=:)/g)];
  const members = [...text.matchAll(/"\w+":("[^"]*"|\d+|true|false|\[[^[\]]*\]|\{[^{}]*\})/g)];
  const replace = (matches: RegExpMatchArray[], by: (found: string) => string): string => {
    const match = matches[at % Math.max(1, matches.length)];
    if (match?.index === undefined) return text;
    return text.slice(0, match.index) + by(match[0]) + text.slice(match.index + match[0].length);
  };
  if (kind === 'value') return replace(values, () => token);
  if (kind === 'key') return replace(names, (name) => (at % 2 === 0 ? name.toUpperCase() : key));
  if (kind === 'double')
    return replace(members, (member) => `${member},${member.replace(/:[^[{]+$/, `:${token}`)}`);
  if (kind === 'drop') return replace(members, () => `${key}:${token}`);
  return text.slice(0, at % (text.length + 1));
}

const tokens = [
  'null',
  'true',
  '0',
  '-1',
  '420',
  '1.5',
  '1e999',
  '9223372036854775808',
  '""',
  '"x"',
  '"/a"',
  '"/a/../b"',
  '"http://x/"',
  '"data:,x"',
  '"data:base64,x"',
  '"\\ud800"',
  '[]',
  '{}',
  '[null]',
  '{"x":1}',
  '"é"',
];

const keys = [
  '"x"',
  '""',
  '"path"',
  '"Path"',
  '"name"',
  '"storage"',
  '"\\u0070ath"',
  '"pa\u017fswd"',
  '"__proto__"',
];

const bases = [
  '{"ignition":{"version":"VERSION","config":{"merge":[{"source":"http://a/"}],"replace":{"source":null}},"timeouts":{"httpTotal":5}},\n"passwd":{"users":[{"name":"core","groups":["a","b"],"sshAuthorizedKeys":["k"],"uid":1000,"system":false}],"groups":[{"name":"g","gid":7}]}}',
  '{"ignition":{"version":"VERSION"},"storage":{"files":[{"path":"/etc/a","mode":420,"user":{"id":0},"contents":{"source":"data:,hi","verification":{"hash":null}}},\n{"path":"/etc/b","overwrite":false,"append":[{"source":"https://b/"}],"group":{"name":"root"}}],"directories":[{"path":"/var/d","mode":493}],"links":[{"path":"/etc/l","target":"/etc/a","hard":false}]}}',
  '{"ignition":{"version":"VERSION"},\r\n"systemd":{"units":[{"name":"a.service","enabled":true,"contents":"[Unit]\\n[Install]\\nWantedBy=x\\n","dropins":[{"name":"d.conf","contents":"[Service]\\nA=b"}]},{"name":"b.service","mask":true}]}}',
  '{"ignition":{"version":"VERSION"},"storage":{"disks":[{"device":"/dev/sda","wipeTable":true,"partitions":[{"label":"root","number":1,"sizeMiB":100,"startMiB":1},{"label":"var","number":2,"startMiB":200,"sizeMiB":100}]}],"raid":[{"name":"r","level":"raid1","devices":["/dev/a","/dev/b"],"spares":0}],"filesystems":[{"device":"/dev/md/r","format":"ext4","path":"/var","label":"v","options":["-O","x"],"wipeFilesystem":true}],"luks":[{"name":"l","device":"/dev/c","clevis":{"tpm2":true,"tang":[{"url":"http://t","thumbprint":"x"}],"custom":{}},"keyFile":{}}]}}',
];

/** What the program has to do wherever it comes from: the package, the executable, other versions of Node. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { imageEnv } from './agentImage.ts';

interface SmokeRun {
  readonly title: string;
  readonly args: readonly string[];
  readonly exitCode?: 0 | 1;
  /** In what is printed, no matter where. */
  readonly output: RegExp;
}

const prepare = ['prepare', '--iso', 'quickstart/sample-live.iso', '--base-url', 'http://192.0.2.1'];

/** Each finds the files that those before it have left. */
const runs: readonly SmokeRun[] = [
  { title: 'starts', args: ['--version'], output: /^\d+\.\d+\.\d+$/m },
  { title: 'finds templates', args: ['quickstart'], output: /config read from the ISO: the same \d+ bytes/ },
  { title: 'starts an inventory', args: ['init', 'deploy'], output: /ramdisk\.yaml written/ },
  {
    title: 'renders',
    args: ['render', '--api-url', 'https://192.0.2.1', '--no-ssh-key', '-o', 'agent.ign'],
    output: /agent\.ign written/,
  },
  { title: 'validates', args: ['validate', '--strict', 'agent.ign'], output: /agent\.ign: valid/ },
  {
    title: 'finds compiled schemas',
    args: ['validate', 'twice.ign'],
    exitCode: 1,
    output: /also has an invalid type \[\$\.storage\.files\.1\.path\]/,
  },
  { title: 'finds the rules', args: ['explain', 's3-version-id'], output: /^s3-version-id/m },
  {
    title: 'embeds',
    args: [
      'iso',
      'ignition',
      'embed',
      '-f',
      '-i',
      'agent.ign',
      '-o',
      'out.iso',
      'quickstart/sample-live.iso',
    ],
    output: /^$/,
  },
  { title: 'reads back', args: ['iso', 'ignition', 'show', 'out.iso'], output: /"ironic-agent\.service"/ },
  {
    title: 'changes kernel arguments',
    args: ['iso', 'kargs', 'modify', '-a', 'x=1', 'out.iso'],
    output: /^$/,
  },
  { title: 'shows kernel arguments', args: ['iso', 'kargs', 'show', 'out.iso'], output: /x=1$/m },
  { title: 'inspects', args: ['inspect', '--format', 'json', 'out.iso'], output: /"kind": "live-iso"/ },
  {
    title: 'reads YAML and checks inventories',
    args: [...prepare, '--inventory', 'wrong.yaml', '-o', 'www'],
    exitCode: 1,
    output: /bogus/,
  },
  {
    title: 'prepares a folder and packs it',
    args: [...prepare, '--inventory', 'hosts.yaml', '-o', 'www', '--bundle', 'www.tar.gz'],
    output: /1 host prepared/,
  },
];

const inventory =
  'agent:\n  ironic.apiUrls: https://192.0.2.1\nhosts:\n  - mac: 52:54:00:00:00:01\n    name: a\n';

/** The files that the runs begin with, by their names. */
const files: Readonly<Record<string, string>> = {
  'twice.ign': '{"ignition":{"version":"3.2.0"},"storage":{"files":[{"path":1},{"path":2}]}}',
  'hosts.yaml': inventory,
  'wrong.yaml': `${inventory}    bogus: 1\n`,
};

/** Declares a test for each run. @param program the words before the arguments, known once the tests run */
export function testSmokeRuns(program: () => readonly string[]): void {
  let cwd = '';
  beforeAll(() => {
    cwd = mkdtempSync(join(tmpdir(), 'smoke runs '));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  });
  afterAll(() => rmSync(cwd, { recursive: true, force: true }));

  it.each(runs.map((run) => [run.title, run] as const))('%s', (_title, { args, exitCode = 0, output }) => {
    const [file = '', ...first] = program();
    // Nothing of the one who runs the tests: no cache, no settings.
    const env = { PATH: process.env['PATH'], ...imageEnv };
    const { status, stdout, stderr } = spawnSync(file, [...first, ...args], { cwd, env, encoding: 'utf8' });
    expect(stdout + stderr).toMatch(output);
    expect(status).toBe(exitCode);
  });
}

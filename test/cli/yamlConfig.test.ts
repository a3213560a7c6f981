/** Ignition configs that are written as YAML, wherever a config is checked or embedded. */

import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { liveIso } from '../support/liveIso.ts';
import { runCli, type RunOptions, type RunResult } from '../support/runCli.ts';

const good = `# the agent
ignition:
  version: 3.4.0
storage:
  files:
    - path: /etc/x
      mode: 420
`;
const json = '{"ignition":{"version":"3.4.0"},"storage":{"files":[{"path":"/etc/x","mode":420}]}}\n';
const relative = good.replace('/etc/x', 'etc/x # tell nobody');
const wrongType = good.replace('mode: 420', 'mode: rw-r--r--');
const secret = `${relative}passwd:\n  users:\n    - name: core\n      passwordHash: $6$hunter2\n`;

let cwd: string;
beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'yaml configs ')));
  const files = {
    good,
    relative,
    wrongType,
    secret,
    quoted: relative.replace('etc/x', '"etc/x # no comment"'),
    butane: 'variant: fcos\nversion: 1.5.0\n',
    broken: 'a: [\n',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, `${name}.yaml`), text);
  await writeFile(join(cwd, 'coreos.iso'), liveIso('2023-07'));
});
afterEach(async () => rm(cwd, { recursive: true, force: true }));

const run = async (line: string, options: RunOptions = {}): Promise<RunResult> =>
  runCli(line.split(' '), { cwd, ...options });

describe('validate', () => {
  it.each([
    ['good', 0, /^$/, 'good.yaml: valid\n'],
    ['relative', 1, /--> relative\.yaml:6:13\n[^]* 6 \| {5}- path: etc\/x # \*/, 'invalid (1 error)'],
    ['wrongType', 1, /--> wrongType\.yaml:7:13\n/, 'invalid'],
    ['secret', 1, /--> secret\.yaml:6:13\n[^]* 6 \| {5}- path: etc\/x # \*/, 'invalid'],
    ['quoted', 1, /6 \| {5}- path: "etc\/x # no comment" # \*/, 'invalid'],
    ['butane', 0, /^$/, 'butane.yaml: valid\n'],
    ['broken', 1, /^$/, /^error: broken\.yaml:2:1: Invalid YAML: .*\n/],
  ])('%s', async (name, code, stdout, stderr) => {
    const result = await run(`validate ${name}.yaml`);
    expect(result.code).toBe(code);
    expect(result.stdout).toMatch(stdout);
    expect(result.stderr).toMatch(stderr);
    expect(result.stdout + result.stderr).not.toMatch(/hunter2|tell nobody/);
  });

  it('has the places of the YAML in JSON, too', async () => {
    const { stdout } = await run('validate --format json relative.yaml');
    expect(JSON.parse(stdout)).toMatchObject({ messages: [{ line: 6, column: 13 }] });
    const broken = await run('validate --format json broken.yaml');
    const message = expect.stringMatching(/^Invalid YAML/);
    expect(JSON.parse(broken.stdout)).toMatchObject({ messages: [{ line: 2, column: 1, message }] });
    const { stdout: annotation } = await run('validate --format github broken.yaml');
    expect(annotation).toMatch(/^::error file=broken\.yaml,line=2,col=1,title=file-unreadable::Invalid YAML/);
  });
});

describe('embed and wrap', () => {
  it('embed as JSON', async () => {
    expect(await run('iso ignition embed -i good.yaml coreos.iso')).toMatchObject({ code: 0, stderr: '' });
    expect((await run('iso ignition show coreos.iso')).stdout).toBe(json);
    const { stdoutBytes } = await run('pxe ignition wrap -i good.yaml');
    expect((await run('pxe ignition unwrap', { stdin: stdoutBytes })).stdout).toBe(json);
  });

  it('refuse what Ignition would refuse, at its place', async () => {
    const { code, stderr } = await run('iso ignition embed -i relative.yaml coreos.iso');
    expect([code, stderr]).toEqual([1, expect.stringContaining('relative.yaml:6:13')]);
    const unchecked = await run('iso ignition embed --no-validate -i relative.yaml coreos.iso');
    expect(unchecked).toMatchObject({ code: 0, stderr: '' });
  });
});

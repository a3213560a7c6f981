import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../support/runCli.ts';

const valid = '{"ignition":{"version":"3.4.0"}}';
const warned = '{"ignition":{"version":"3.4.0"},"x":1}';
const invalid = '{"ignition":{"version":"3.4.0"},"storage":{"files":[{"path":"a"}]}}';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'validate test '));
  for (const [name, text] of Object.entries({
    valid,
    warned,
    invalid,
    mistyped: invalid.replace('"a"', '1,"mode":"x"'),
  })) {
    await writeFile(join(folder, `${name}.ign`), text);
  }
  await mkdir(join(folder, 'folder.ign'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const validate = (...args: string[]) => runCli(['validate', ...args], { cwd: folder });

describe('validate', () => {
  it.each([
    [['valid.ign'], 0, '', 'valid.ign: valid\n'],
    [['warned.ign'], 0, 'warning: unused key x', 'warned.ign: valid (1 warning)\n'],
    [['invalid.ign'], 1, 'error: path not absolute', 'invalid.ign: not valid (1 error)\n'],
    [['valid.ign', 'invalid.ign'], 1, 'error: path', 'valid.ign: valid\ninvalid.ign: not valid (1 error)\n'],
    [['missing.ign'], 1, '', 'error: Ignition config not found: missing.ign\nhint: check the path\n'],
    [['folder.ign'], 1, '', 'folder.ign is a directory'],
    [['missing.ign', 'valid.ign'], 1, '', 'valid.ign: valid\n'],
  ])('%j: %i', async (files, code, stdout, stderr) => {
    const result = await validate(...files);
    expect(result.code).toBe(code);
    expect(result.stdout).toContain(stdout);
    expect(stdout === '' ? result.stdout : '').toBe('');
    expect(result.stderr).toContain(stderr);
  });

  it('reads standard input', async () => {
    const result = await runCli(['validate', '-'], { stdin: invalid });
    expect(result.code).toBe(1);
    expect(result.stdout).toContain('  --> standard input:1:61');
    expect(result.stderr).toBe('standard input: not valid (1 error)\n');
  });

  it('writes JSON: one object a file, also for those that cannot be read', async () => {
    const result = await validate('--format', 'json', 'valid.ign', 'missing.ign', 'invalid.ign');
    expect(result.code).toBe(1);
    expect(result.stderr).toBe('');
    const reports = result.stdout
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(reports).toMatchObject([
      { file: 'valid.ign', valid: true, messages: [] },
      { file: 'missing.ign', valid: false, messages: [{ rule: 'file-unreadable', line: null }] },
      {
        file: 'invalid.ign',
        valid: false,
        messages: [{ path: '$.storage.files.0.path', line: 1, column: 61 }],
      },
    ]);
  });

  it('notes what is of a wrong type behind the error at which Ignition stops', async () => {
    const { stdout } = await validate('--format', 'json', 'mistyped.ign');
    expect(JSON.parse(stdout)).toMatchObject({
      messages: [
        { severity: 'error', rule: 'json-type', path: '$' },
        { severity: 'info', rule: 'json-type-further', path: '$.storage.files.0.mode' },
      ],
    });
  });

  it.each([
    [['validate'], "missing required argument 'FILE'"],
    [['validate', '--format', 'xml', 'valid.ign'], 'unknown format: xml'],
    [['validate', '-', '-'], 'standard input can be checked only once'],
  ])('%j is wrong usage', async (args, message) => {
    const result = await runCli(args, { cwd: folder });
    expect(result.code).toBe(2);
    expect(result.stderr).toContain(message);
  });
});

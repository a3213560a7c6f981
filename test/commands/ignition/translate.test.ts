import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../support/runCli.ts';

const configs = {
  bits: '{"ignition":{"version":"03.05.00"},"storage":{"files":[{"path":"/a","mode":2541}]},"unknown":1}',
  link: '{"ignition":{"version":"3.2.0"},"storage":{"links":[{"path":"/a"}]}}',
  newest:
    '{"ignition":{"version":"3.6.0"},"kernelArguments":{"shouldExist":["a"]},\n' +
    '"storage":{"files":[{"path":"/a","contents":{"source":"gs://b/k"}}]}}',
  invalid: '{"ignition":{"version":"3.4.0"},"storage":{"files":[{"path":"a"}]}}',
};

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'translate test '));
  for (const [name, text] of Object.entries(configs)) await writeFile(join(folder, `${name}.ign`), text);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const translate = (...args: string[]) => runCli(['ignition', 'translate', ...args], { cwd: folder });

describe('ignition translate', () => {
  it('translates upwards and says what is lost', async () => {
    const { code, stdout, stderr } = await translate('--to', '3.6.0', 'bits.ign');
    expect(code).toBe(0);
    expect(stdout).toBe('{"ignition":{"version":"3.6.0"},"storage":{"files":[{"path":"/a","mode":493}]}}\n');
    expect(stderr).toContain('warning: the setuid, setgid and sticky bits are removed');
    expect(stderr).toContain('[$.storage.files.0.mode] (special-bits-dropped)\n  --> bits.ign:1:76\n');
    expect(stderr).toContain('warning: unused key unknown');
  });

  it('reads standard input and writes an indented file', async () => {
    const args = ['ignition', 'translate', '--to', '3.5.0', '-', '-o', 'out.ign', '--pretty'];
    const { code, stdout } = await runCli(args, { cwd: folder, stdin: '{"ignition":{"version":"3.0.0"}}' });
    expect([code, stdout]).toEqual([0, '']);
    expect(await readFile(join(folder, 'out.ign'), 'utf8')).toBe(
      '{\n  "ignition": {\n    "version": "3.5.0"\n  }\n}\n',
    );
  });

  it('names everything that an older version cannot say, with its place', async () => {
    const { code, stdout, stderr } = await translate('--to', '3.1.0', 'newest.ign', '-o', 'older.ign');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('error: spec version 3.1.0 does not have kernelArguments [$.kernelArguments]');
    expect(stderr).toContain('hint: translate to 3.3.0 or newer, or remove kernelArguments\n');
    expect(stderr).toContain(
      'error: invalid url scheme, in spec version 3.1.0 [$.storage.files.0.contents.source] (url-scheme)\n  --> newest.ign:2:',
    );
    expect(stderr).toContain('hint: use spec version 3.2.0 or newer for gs: URLs\n');
    expect(stderr).toContain('error: newest.ign cannot be translated from 3.6.0 to 3.1.0 without loss\n');
    expect(await readdir(folder)).not.toContain('older.ign');
  });

  it('says where a newer version asks for more', async () => {
    const { code, stdout, stderr } = await translate('--to', '3.3.0', 'link.ign');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ storage: { links: [{ path: '/a', target: '' }] } });
    expect(stderr).toContain('error: link target is required');
    expect(stderr).toContain('error: the translated config is invalid\n');
  });

  it.each([
    [['--to', '3.6.0', 'invalid.ign'], 1, 'error: path not absolute'],
    [['--to', '3.6.0', 'missing.ign'], 1, 'error: Ignition config not found: missing.ign'],
    [['--to', '3.6', 'link.ign'], 2, 'error: invalid value "3.6" for --to\n'],
    [['link.ign'], 2, "error: required option '--to <version>' not specified"],
    [['--to', '3.6.0'], 2, "error: missing required argument 'FILE'"],
  ])('%j: %i', async (args, code, message) => {
    const result = await translate(...args);
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).toContain(message);
  });
});

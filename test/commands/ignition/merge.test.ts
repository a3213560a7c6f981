import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../support/runCli.ts';

const partition = (members: string) =>
  `{"ignition":{"version":"3.4.0"},"storage":{"disks":[{"device":"/dev/sda","partitions":[${members}]}]}}`;
const dataUrl = `data:;base64,${gzipSync('x').toString('base64')}`;
const contents = (source: string, ...more: string[]) =>
  `{"ignition":{"version":"3.4.0"},"storage":{"files":[{"path":"/etc/a","contents":{${[`"source":"${source}"`, ...more].join()}}}]}}`;
const configs = {
  parent:
    '{"ignition":{"version":"3.1.0"},"storage":{"links":[{"path":"/etc/a","target":"/b"}]},"unknown":1}',
  child: '{"ignition":{"version":"3.4.0"},"storage":{"files":[{"path":"/etc/a","mode":420}]}}',
  third: '{"ignition":{"version":"3.0.0"},"storage":{"files":[{"path":"/etc/a","mode":384}]}}',
  arguments: '{"ignition":{"version":"3.3.0"},"kernelArguments":{"shouldExist":["a"]}}',
  invalid: '{"ignition":{"version":"3.4.0"},"storage":{"files":[{"path":"a"}]}}',
  broken: '{"ignition":',
  numbered: partition('{"number":1,"label":"root"}'),
  labelled: partition('{"label":"root"}'),
  packed: contents(dataUrl, '"compression":"gzip"'),
  plain: contents('data:,x'),
  large: '{"ignition":{"version":"3.4.0"},"passwd":{"users":[{"name":"core","uid":9007199254740993}]}}',
};

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'merge test '));
  for (const [name, text] of Object.entries(configs)) await writeFile(join(folder, `${name}.ign`), text);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const merge = (...args: string[]) => runCli(['ignition', 'merge', ...args], { cwd: folder });

describe('ignition merge', () => {
  it('merges in the newest of the versions', async () => {
    const { code, stdout, stderr } = await merge('parent.ign', 'child.ign');
    expect(code).toBe(0);
    expect(stdout).toBe(
      '{"ignition":{"version":"3.4.0"},"storage":{"files":[{"path":"/etc/a","mode":420}]}}\n',
    );
    expect(stderr).toContain('warning: unused key unknown [$.unknown] (unused-key)\n  --> parent.ign:1:');
  });

  it('refuses plain contents that inherit the compression of the parent', async () => {
    const { code, stderr } = await merge('packed.ign', 'plain.ign', '-o', 'out.ign');
    expect(code).toBe(1);
    expect(stderr).toContain('(merge-inherits)');
    expect(stderr).toContain(
      '[$.storage.files.0.contents.source] (contents-undecodable)\n  --> merged config:1:',
    );
    expect((await merge('plain.ign', 'packed.ign')).code).toBe(0);
  });

  it('merges from left to right', async () => {
    const { stdout } = await merge('parent.ign', 'child.ign', 'third.ign', '--to', '3.0.0');
    expect(JSON.parse(stdout)).toEqual({
      ignition: { version: '3.0.0' },
      storage: { files: [{ path: '/etc/a', mode: 384 }] },
    });
  });

  it('reads standard input and indents', async () => {
    const args = ['ignition', 'merge', '-', 'child.ign', '--pretty'];
    const { code, stdout } = await runCli(args, { cwd: folder, stdin: configs.large });
    expect(code).toBe(0);
    expect(stdout).toContain('        "uid": 9007199254740993\n');
  });

  it('replaces a file, but not an input', async () => {
    await writeFile(join(folder, 'own.ign'), configs.parent);
    const refused = await merge('own.ign', 'child.ign', '-o', 'own.ign');
    expect([refused.code, await readFile(join(folder, 'own.ign'), 'utf8')]).toEqual([1, configs.parent]);
    const { code, stdout } = await merge('parent.ign', 'child.ign', '-o', 'own.ign');
    expect([code, stdout]).toEqual([0, '']);
    expect(await readFile(join(folder, 'own.ign'), 'utf8')).toContain('"mode":420');
  });

  it('prints a merged config that is not valid, and says so', async () => {
    const { code, stdout, stderr } = await merge('numbered.ign', 'labelled.ign');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      storage: { disks: [{ partitions: [{ label: 'root', number: 1 }, { label: 'root' }] }] },
    });
    expect(stderr).toContain('error: cannot use the same partition label twice');
    expect(stderr).toContain('  --> merged config:1:');
    expect(stderr).toContain('error: the merged config is invalid\n');
  });

  it('does not write such a config to a file', async () => {
    const { code, stderr } = await merge('numbered.ign', 'labelled.ign', '-o', 'new.ign');
    expect(code).toBe(1);
    expect(stderr).toContain('error: the merged config is invalid; nothing was written\n');
    expect(await readdir(folder)).not.toContain('new.ign');
  });

  it.each([
    [
      ['parent.ign', 'invalid.ign'],
      1,
      'error: path not absolute [$.storage.files.0.path] (path-relative)\n  --> invalid.ign:1:61',
    ],
    [['broken.ign', 'invalid.ign'], 1, 'error: not a valid Ignition config: broken.ign, invalid.ign\n'],
    [['parent.ign', 'missing.ign'], 1, 'error: Ignition config not found: missing.ign\n'],
    [
      ['arguments.ign', 'child.ign', '--to', '3.2.0'],
      1,
      'error: spec version 3.2.0 does not have kernelArguments',
    ],
    [
      ['arguments.ign', 'child.ign', '--to', '3.2.0'],
      1,
      'cannot be translated from 3.3.0 to 3.2.0 without loss',
    ],
    [['parent.ign'], 2, "error: missing required argument 'CHILD'"],
    [['-', '-'], 2, 'error: standard input can be read only once\n'],
    [
      ['parent.ign', 'child.ign', '--to', '3.9.0'],
      2,
      'error: invalid value "3.9.0" for --to\nhint: use 3.0.0; valid values: 3.0.0,',
    ],
    [['parent.ign', 'child.ign', '--to', '3.4.0', '--to', '3.5.0'], 2, 'cannot be used multiple times'],
  ])('%j: %i', async (args, code, message) => {
    const result = await merge(...args);
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).toContain(message);
  });
});

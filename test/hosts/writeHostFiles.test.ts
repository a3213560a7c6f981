import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FileContent, makeHosts, writeHostFiles } from '../../src/hosts/hostRun.ts';
import { report } from '../../src/io/report/report.ts';
import { hosts, testRun } from './support.ts';

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'host files '));
});
afterAll(async () => rm(cwd, { recursive: true, force: true }));

const fileOf = (name: string): FileContent => ({
  data: Buffer.from(name),
  ...(name === 'secret' && { mode: 0o600 }),
});

const brokenFileOf = (name: string): FileContent => ({ data: Buffer.alloc(name === 'a' ? -1 : 1) });

async function write(folder: string, ...names: readonly string[]): Promise<{ code: number; told: string }> {
  const { run, told } = testRun({}, cwd);
  const made = makeHosts(
    hosts(...names),
    async ({ name }, io) => {
      if (name !== 'secret') report(io, { severity: 'warning', message: 'hm' });
      return name;
    },
    run,
  );
  const code = await writeHostFiles(made, folder, '.txt', fileOf, run);
  return { code, told: told().replaceAll('<end>', '') };
}

describe('writeHostFiles', () => {
  it('writes more hosts than at one time, and tells at the end what was said of them', async () => {
    const names = Array.from({ length: 100 }, (_, index) => `h${index}`);
    expect(await write('many', ...names)).toEqual({
      code: 0,
      told: 'warning: 100 hosts: hm\n  for h0 … h99\nmany: 100 written, 0 unchanged, 0 invalid\n',
    });
    expect(await readdir(join(cwd, 'many'))).toHaveLength(100);
    expect((await write('many', 'h1', 'new')).told).toContain('many: 1 written, 1 unchanged, 0 invalid\n');
  });

  it('keeps secrets from others', async () => {
    expect(await write('secrets', 'secret')).toMatchObject({ code: 0 });
    expect((await stat(join(cwd, 'secrets/secret.txt'))).mode & 0o777).toBe(0o600);
  });

  it('goes on behind a file that cannot be written', async () => {
    await mkdir(join(cwd, 'partly/a.txt'), { recursive: true });
    const { code, told } = await write('partly', 'a', 'b');
    expect(told).toContain('error: a is not written (h.yaml:1): ');
    expect(told).toMatch(/\npartly: 1 written, 0 unchanged, 1 invalid\n$/);
    expect([code, await readdir(join(cwd, 'partly'))]).toEqual([1, ['a.txt', 'b.txt']]);
  });

  it('goes on behind a defect of this program', async () => {
    const { run, told } = testRun({}, cwd);
    const made = makeHosts(hosts('a', 'b'), async ({ name }) => name, run);
    expect(await writeHostFiles(made, 'broken', '.txt', brokenFileOf, run)).toBe(1);
    expect(told()).toContain('error: a is not written (h.yaml:1): internal error (RangeError)');
    expect(await readdir(join(cwd, 'broken'))).toEqual(['b.txt']);
  });

  it('refuses what can be no folder before any host is made', async () => {
    await writeFile(join(cwd, 'file'), '');
    await expect(write('file', 'a')).rejects.toThrow('File exists: file');
  });
});

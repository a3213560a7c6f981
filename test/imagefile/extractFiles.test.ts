import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { prepareExtraction } from '../../src/imagefile/extractFiles.ts';

const byName = (left: string, right: string): number => (left < right ? -1 : 1);

let base: string;
let cwd: string;
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'extract files ')));
  cwd = join(base, 'work');
  await mkdir(cwd);
});
afterEach(async () => rm(base, { recursive: true, force: true }));

async function extract(directory: string, ...names: readonly string[]): Promise<string[]> {
  const { write, pathOf } = await prepareExtraction({ directory }, names, { cwd });
  for (const name of names) await write(name, Buffer.from(`content of ${name}`));
  return names.map(pathOf);
}

const listAll = async (): Promise<string[]> => (await readdir(base, { recursive: true })).toSorted(byName);

describe('prepareExtraction', () => {
  it.each<[directory: string, name: string, path: string, place: string]>([
    ['.', 'a', './a', 'work/a'],
    ['out', 'a/b/c', 'out/a/b/c', 'work/out/a/b/c'],
    ['out/', './a//b', 'out/a/b', 'work/out/a/b'],
    ['x/y', '.hidden', 'x/y/.hidden', 'work/x/y/.hidden'],
    ['../beside', '...', '../beside/...', 'beside/...'],
  ])('in %s: %s', async (directory, name, path, place) => {
    expect(await extract(directory, name)).toEqual([path]);
    expect(await readFile(join(base, place), 'utf8')).toBe(`content of ${name}`);
    expect((await stat(join(base, place))).mode & 0o777).toBe(0o666 & ~process.umask());
  });

  it('uses folders that are there', async () => {
    await extract('out', 'a/b', 'a/c');
    expect(await extract('out', 'a/d')).toEqual(['out/a/d']);
  });

  it.each([
    ['..', 'path .. contains path traversal'],
    ['../a', 'path ../a contains path traversal'],
    ['a/../../b', 'path a/../../b contains path traversal'],
    ['/a', 'path /a contains path traversal'],
    ['', '"" is not a valid file name'],
    ['./', '"./" is not a valid file name'],
    ['a\0b', '"a\\u0000b" is not a valid file name'],
    ['a/'.repeat(3000), 'is not a valid file name'],
  ])('%j writes nothing at all', async (name, message) => {
    await expect(extract('out', 'fine', name)).rejects.toThrow(message);
    expect(await listAll()).toEqual(['work']);
  });

  it('replaces nothing, and then writes nothing', async () => {
    await writeFile(join(cwd, 'b'), 'mine');
    await expect(extract('.', 'a', 'b')).rejects.toThrow('File exists: ./b');
    await expect(extract('.', 'a', 'a')).rejects.toThrow('File exists: ./a');
    expect(await listAll()).toEqual(['work', 'work/b']);
    expect(await readFile(join(cwd, 'b'), 'utf8')).toBe('mine');
  });

  it('replaces files with --overwrite, but neither what a link leads to nor a folder', async () => {
    for (const name of ['a', 'b', 'theirs']) await writeFile(join(cwd, name), 'mine');
    await rm(join(cwd, 'b'));
    await symlink(join(cwd, 'theirs'), join(cwd, 'b'));
    await mkdir(join(cwd, 'c'));
    const { write } = await prepareExtraction({ directory: '.', overwrite: true }, ['a', 'b', 'c'], { cwd });
    for (const name of ['a', 'b']) await write(name, Buffer.from('new'));
    await expect(write('c', Buffer.from('new'))).rejects.toThrow('./c is a directory');
    const texts = await Promise.all(['a', 'b', 'theirs'].map((name) => readFile(join(cwd, name), 'utf8')));
    expect([texts, (await readdir(cwd)).toSorted()]).toEqual([
      ['new', 'new', 'mine'],
      ['a', 'b', 'c', 'theirs'],
    ]);
  });

  it('follows no symbolic link below the folder', async () => {
    await mkdir(join(base, 'elsewhere'));
    await mkdir(join(cwd, 'out'));
    await symlink(join(base, 'elsewhere'), join(cwd, 'out/link'));
    await symlink(join(base, 'elsewhere/new'), join(cwd, 'out/dangling'));
    await expect(extract('out', 'link/a')).rejects.toThrow('File exists: out/link');
    await expect(extract('out', 'dangling')).rejects.toThrow('File exists: out/dangling');
    expect(await readdir(join(base, 'elsewhere'))).toEqual([]);
  });

  it.each([
    ['file', 'File exists: file'],
    ['file/x', 'A part of the path is not a folder: file/x'],
    ['', 'The folder path is empty'],
  ])('refuses the folder %j, where file is a file', async (directory, message) => {
    await writeFile(join(cwd, 'file'), 'mine');
    await expect(extract(directory, 'a')).rejects.toThrow(message);
  });

  it('names the folder that a file stands in for', async () => {
    await expect(extract('out', 'd', 'd/x')).rejects.toThrow('File exists: out/d');
  });

  it('writes a file again where the archive has it again', async () => {
    const { write } = await prepareExtraction({ directory: 'out' }, ['d/a'], { cwd });
    await write('d/a', Buffer.from('first, and longer'));
    await write('d/a', Buffer.from('second'));
    expect(await readFile(join(cwd, 'out/d/a'), 'utf8')).toBe('second');
  });
});

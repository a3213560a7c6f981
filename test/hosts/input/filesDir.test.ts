import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFilesDir } from '../../../src/hosts/input/filesDir.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'files dir '));
  mkdirSync(join(folder, 'files', 'sub'), { recursive: true });
  writeFileSync(join(folder, 'secret'), 'secret');
  writeFileSync(join(folder, 'files', 'a.txt'), 'a');
  writeFileSync(join(folder, 'files', 'sub', 'run'), '', { mode: 0o755 });
  symlinkSync('../secret', join(folder, 'files', 'out'));
  symlinkSync('..', join(folder, 'files', 'up'));
  symlinkSync('a.txt', join(folder, 'files', 'in'));
  symlinkSync(join(folder, 'secret'), join(folder, 'files', 'absolute'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = () => openFilesDir('files', { cwd: folder });

describe('the folder of --files-dir', () => {
  it.each(['a.txt', './sub/../a.txt', 'in', '/a.txt', 'sub/run'])('reads %s', (path) => {
    expect(open().read(path)).toBeInstanceOf(Buffer);
  });

  it.each([
    ['../secret', 'traverses outside'],
    ['sub/../../secret', 'traverses outside'],
    ['out', 'traverses outside'],
    ['up/secret', 'traverses outside'],
    ['absolute', 'traverses outside'],
    ['up', 'traverses outside'],
    ['missing', 'does not exist'],
    ['a.txt/x', 'does not exist'],
    ['sub', 'is not a file'],
    ['a\0', 'cannot be read'],
  ])('refuses %j', (path, reason) => {
    expect(() => open().read(path)).toThrow(reason);
  });

  it('does not wait for a pipe', () => {
    execFileSync('mkfifo', [join(folder, 'files', 'pipe')]);
    expect(() => open().read('pipe')).toThrow('is not a file');
    expect(open().walk('.')).toContainEqual({ kind: 'other', path: 'pipe' });
  });

  it('lists a folder in order, and follows no link', () => {
    const listed = open().walk('.');
    expect(listed.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      'folder .',
      'file a.txt',
      'link absolute',
      'link in',
      'link out',
      'folder sub',
      'file sub/run',
      'link up',
    ]);
    expect(() => open().walk('..')).toThrow('traverses outside');
    expect(() => open().walk('up')).toThrow('traverses outside');
    expect(() => open().walk('a.txt')).toThrow('must be a directory');
  });

  it.each([
    ['nowhere', 'the folder of local files cannot be read: nowhere'],
    ['secret', 'the folder of local files cannot be read: secret'],
  ])('%s is no folder', (path, message) => {
    expect(() => openFilesDir(path, { cwd: folder })).toThrow(message);
  });
});

/** Files that get their names together, also when the program ends in the middle of that. */

import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { finishCommit, StagedFiles } from '../../src/commands/prepare/folder/folderNotes.ts';
import { targetOfTemp } from '../../src/io/files/tempFile.ts';

let root: string;
const at = (...steps: string[]): string => join(root, ...steps);
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'staged files '));
  await mkdir(at('.ironic-coreos'));
  await writeFile(at('one'), 'old one');
  await writeFile(at('two'), 'old two');
});
afterEach(() => rm(root, { recursive: true }));

const contents = (): Promise<string[]> =>
  Promise.all(['one', 'two'].map((name) => readFile(at(name), 'utf8')));
const names = async (): Promise<string[]> => (await readdir(root, { recursive: true })).toSorted();

async function stageBoth(): Promise<StagedFiles> {
  const staged = new StagedFiles(root);
  for (const name of ['one', 'two']) await writeFile(await staged.stage(at(name)), `new ${name}`);
  return staged;
}

describe('stagedFiles', () => {
  it('changes nothing until all get their names', async () => {
    const staged = await stageBoth();
    expect(await contents()).toEqual(['old one', 'old two']);
    expect(await readFile(staged.currentPath(at('one')), 'utf8')).toBe('new one');
    await staged.commit();
    expect(await contents()).toEqual(['new one', 'new two']);
    expect(await names()).toEqual(['.ironic-coreos', 'one', 'two']);
    expect(staged.currentPath(at('one'))).toBe(at('one'));
  });

  it('leaves nothing where it is given up', async () => {
    await (await stageBoth()).discardAll();
    expect([await contents(), await names()]).toEqual([
      ['old one', 'old two'],
      ['.ironic-coreos', 'one', 'two'],
    ]);
  });

  it('keeps a symbolic link', async () => {
    await symlink('one', at('link'));
    const staged = new StagedFiles(root);
    await writeFile(await staged.stage(at('link')), 'by the link');
    await staged.commit();
    expect((await contents())[0]).toBe('by the link');
  });
});

const list = (renames: unknown): Promise<void> =>
  writeFile(at('.ironic-coreos', 'commit'), typeof renames === 'string' ? renames : JSON.stringify(renames));

describe('finishCommit', () => {
  it('does what was left to do', async () => {
    await writeFile(at('.two.0123456789ab.tmp'), 'new two'); // the first has been done
    await list({ id: '0123456789ab', paths: ['one', 'two'] });
    await finishCommit(root);
    expect([await contents(), await names()]).toEqual([
      ['old one', 'new two'],
      ['.ironic-coreos', 'one', 'two'],
    ]);
  });

  it.each([
    ['no list', '{}'],
    ['half of one', '{"id":'],
    ['another ID', { id: '../two', paths: ['one'] }],
    ['other types', { id: '0123456789ab', paths: [1, null] }],
    ['a missing folder', { id: '0123456789ab', paths: ['sub/two'] }],
  ])('does not do what nobody has staged: %s', async (_title, renames) => {
    await list(renames);
    await finishCommit(root);
    expect([await contents(), await names()]).toEqual([
      ['old one', 'old two'],
      ['.ironic-coreos', 'one', 'two'],
    ]);
  });

  it('has nothing to do in most folders', async () => {
    await finishCommit(root);
    expect(await contents()).toEqual(['old one', 'old two']);
  });
});

describe('targetOfTemp', () => {
  it.each([
    ['.one.0123456789ab.tmp', 'one'],
    ['..one.0123456789ab.tmp.ba9876543210.tmp', 'one'],
    ['one', undefined],
    ['.one.tmp', undefined],
    ['.one.0123456789AB.tmp', undefined],
  ])('%s', (name, target) => {
    expect(targetOfTemp(name)).toBe(target);
  });
});

import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expandInputs } from '../../../src/io/files/inputFiles.ts';

const interest = { isWanted: (path: string) => path.endsWith('.ign'), description: '*.ign' };

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'input files '));
  for (const name of [
    'a.ign',
    'b.ign',
    'c.json',
    'd/a.ign',
    'd/e/f.ign',
    'd/.hidden/g.ign',
    'x*y.ign',
    'none/n.txt',
  ]) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), '');
  }
  await mkdir(join(folder, 'links/sub'), { recursive: true });
  await symlink('../a.ign', join(folder, 'links/a.ign'));
  await symlink('missing', join(folder, 'links/broken.ign'));
  await symlink('missing', join(folder, 'links/broken'));
  await symlink('circle', join(folder, 'links/circle'));
  await symlink('..', join(folder, 'links/sub/up'));
  await symlink('../d', join(folder, 'links/d'));
  await symlink('../d', join(folder, 'links/again'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The paths; `error: MESSAGE`. */
async function expand(...inputs: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const input of expandInputs(inputs, interest, { cwd: folder })) {
    found.push(input.kind === 'error' ? `error: ${input.error.message}` : input.path);
  }
  return found;
}

describe('expandInputs', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['files as they are named', ['b.ign', './a.ign', 'c.json', '-'], ['b.ign', './a.ign', 'c.json', '-']],
    ['each once', ['a.ign', './a.ign', 'd/../a.ign', 'd', 'd/a.ign'], ['a.ign', 'd/a.ign', 'd/e/f.ign']],
    ['a missing file, to be read', ['missing.ign'], ['missing.ign']],
    ['a folder, in order, without hidden files', ['d/'], ['d/a.ign', 'd/e/f.ign']],
    ['links', ['links'], ['links/a.ign', 'links/again/a.ign', 'links/again/e/f.ign', 'links/broken.ign']],
    ['a pattern', ['*.ign'], ['a.ign', 'b.ign', 'x*y.ign']],
    ['a pattern in a folder', ['?/*.ign'], ['d/a.ign']],
    ['a pattern of any depth', ['d/**/*.ign'], ['d/a.ign', 'd/e/f.ign']],
    ['a pattern for everything', ['d/**'], ['d/a.ign', 'd/e/f.ign']],
    ['a pattern for hidden folders', ['d/.*/*.ign'], ['d/.hidden/g.ign']],
    ['a pattern over circles', ['links/**/f.ign'], ['links/again/e/f.ign']],
    ['a file that looks like a pattern', ['x*y.ign'], ['x*y.ign']],
    ['a folder without any', ['none'], ['error: No file to check in none']],
    ['a pattern without any', ['*.toml', 'a.ign'], ['error: No file matches *.toml', 'a.ign']],
    ['a pattern in a missing folder', ['missing/*.ign'], ['error: No file matches missing/*.ign']],
    ['the content of a file', [`[${'x'.repeat(200)}]`], [`error: No file matches [${'x'.repeat(79)}…`]],
    ['a pattern below a file, to be refused', ['a.ign/*'], ['a.ign/*']],
    ['an empty name, to be refused', [''], ['']],
  ])('%s', async (_title, inputs, expected) => {
    expect(await expand(...inputs)).toEqual(expected);
  });

  it('takes absolute folders and patterns', async () => {
    expect(await expand(join(folder, 'd'))).toEqual([join(folder, 'd/a.ign'), join(folder, 'd/e/f.ign')]);
    expect(await expand(join(folder, 'd/*.ign'))).toEqual([join(folder, 'd/a.ign')]);
  });

  it.skipIf(process.getuid?.() === 0)(
    'goes on behind a folder that cannot be read (skipped for root)',
    async () => {
      const locked = join(folder, 'locked/a');
      await mkdir(locked, { recursive: true });
      await writeFile(join(folder, 'locked/b.ign'), '');
      await chmod(locked, 0);
      expect(await expand('locked')).toEqual(['error: No permission to read locked/a', 'locked/b.ign']);
      await chmod(locked, 0o700);
    },
  );
});

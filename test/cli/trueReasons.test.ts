/** Errors whose first sentence has to be about what is wrong, and not about what follows from it. */

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { liveIso } from '../support/liveIso.ts';
import { efiPartition } from '../support/newIso.ts';
import { runCli } from '../support/runCli.ts';

const render = ['render', '--api-url', 'https://192.0.2.1', '--no-ssh-key'];
let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'true reasons '));
  await mkdir(join(cwd, 'manager', 'm.dist-info'), { recursive: true });
  await mkdir(join(cwd, 'many'));
  for (let index = 0; index < 501; index++) await writeFile(join(cwd, 'many', String(index)), '');
  await mkdir(join(cwd, 'large'));
  await writeFile(join(cwd, 'large', 'image'), Buffer.alloc(2 * 1024 * 1024));
  await writeFile(join(cwd, 'note'), 'x');
  await writeFile(join(cwd, 'site.ign'), '{"ignition": {"version": "3.4.0"}}');
  await writeFile(join(cwd, 'a.iso'), liveIso('2023-07'));
  await writeFile(join(cwd, 'esp.img'), efiPartition);
  await writeFile(join(cwd, 'out'), '');
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

describe('--file', () => {
  it.each(['888', '64', '07777x', 'rw', '', '00644'])('says that mode=%s is invalid', async (mode) => {
    const { code, stderr } = await runCli([...render, '--file', `/etc/x=note,mode=${mode}`], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain(`error: --file: invalid mode "${mode}"\nhint: use three or four octal digits`);
  });

  it('takes a name with a comma for a name', async () => {
    await writeFile(join(cwd, 'a,mode=b'), 'x');
    await mkdir(join(cwd, 'd,mode=x'), { recursive: true });
    await writeFile(join(cwd, 'd,mode=x', 'f'), 'x');
    const { code } = await runCli([...render, '--file', '/etc/x=d,mode=x/f,mode=0600'], { cwd });
    expect(code).toBe(0);
  });
});

describe('--hardware-manager', () => {
  it.each([
    ['.', 'manager', '. does not contain NAME.dist-info/entry_points.txt'],
    ['.', '.', '. has a name that is invalid in a module path: "true reasons '],
    ['many', '.', 'many does not contain NAME.dist-info/entry_points.txt'],
    ['large', '.', 'large does not contain NAME.dist-info/entry_points.txt'],
    ['note', '.', 'note'],
    ['missing', '.', 'not found: missing'],
  ])('%s in %s: %s', async (folder, place, message) => {
    const { code, stderr } = await runCli([...render, '--hardware-manager', folder], {
      cwd: join(cwd, place),
    });
    expect(code).toBe(1);
    expect(stderr.split('\n')[0]).toContain(message);
  });
});

describe('File exists', () => {
  it.each([
    'iso ignition embed -i site.ign -o out a.iso',
    'iso ignition remove -o out a.iso',
    'iso network remove -o out a.iso',
    'iso customize --live-ignition site.ign -o out a.iso',
    'iso kargs modify -a x -o out a.iso',
    'iso kargs reset -o out a.iso',
    'iso reset -o out a.iso',
    'iso extract minimal-iso a.iso out',
    'iso extract minimal-iso --output-rootfs out a.iso new',
    'iso create -o out -k note -i note --efi-image esp.img',
    'pxe customize --live-ignition site.ign -o out note',
  ])('%s: names --overwrite', async (line) => {
    const { code, stderr } = await runCli(line.split(' '), { cwd });
    expect([code, stderr]).toEqual([
      1,
      'error: File exists: out\nhint: replace it with --overwrite, or use another path\n',
    ]);
  });

  it('names a command that works', async () => {
    await runCli(['iso', 'extract', 'pxe', 'a.iso'], { cwd });
    const { stderr } = await runCli(['iso', 'extract', 'pxe', 'a.iso'], { cwd });
    expect(stderr).toContain('File exists: ./a-');
    expect(stderr).toContain('--overwrite');
    expect((await runCli(['iso', 'extract', 'pxe', '--overwrite', 'a.iso'], { cwd })).code).toBe(0);
  });
});

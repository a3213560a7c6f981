import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { validateConfig } from '../../src/ignition/validate.ts';
import { have, missingNote } from '../support/programs.ts';
import { runCli } from '../support/runCli.ts';

const names = [
  'boot.ipxe',
  'grub.cfg',
  'ironic-agent.ign',
  'ironic.conf',
  'kernel-arguments.txt',
  'sample-live.iso',
];

let cwd = '';
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'quick start '));
});
afterEach(() => rm(cwd, { recursive: true }));

const configOf = (folder: string): Promise<Buffer> => readFile(join(cwd, folder, 'ironic-agent.ign'));

describe('quickstart', () => {
  it('leaves a valid config, the image that holds it, and boot scripts; says what each is for', async () => {
    const { code, stdout, stderr } = await runCli(['quickstart'], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect((await readdir(join(cwd, 'quickstart'))).toSorted()).toEqual(names);
    for (const name of names) expect(stdout).toContain(`quickstart/${name}`);

    const config = await configOf('quickstart');
    expect(validateConfig(config)).toEqual({ valid: true, findings: [] });
    const shown = await runCli(['iso', 'ignition', 'show', 'quickstart/sample-live.iso'], { cwd });
    expect(shown.stdoutBytes.equals(config)).toBe(true);
    expect(await readFile(join(cwd, 'quickstart/boot.ipxe'), 'utf8')).toMatch(
      /^#!ipxe\n[^]* ignition\.firstboot /,
    );
  });

  it('gives the same bytes when it is run again', async () => {
    const read = (): Promise<Buffer[]> => Promise.all(names.map((name) => readFile(join(cwd, 'q', name))));
    await runCli(['quickstart', '-C', 'q'], { cwd });
    const first = await read();
    expect(await runCli(['quickstart', '-C', 'q'], { cwd })).toMatchObject({ code: 0 });
    expect(await read()).toEqual(first);
  });

  it('keeps out of a folder with other files', async () => {
    await writeFile(join(cwd, 'mine'), '');
    const { code, stderr } = await runCli(['quickstart', '-C', '.'], { cwd });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'error: . holds other files; quickstart writes only into a folder of its own\n' +
        'hint: name an empty or a new folder: ironic-coreos quickstart --directory FOLDER\n',
    });
    expect(await readdir(cwd)).toEqual(['mine']);
  });

  it.skipIf(!have('coreos-installer'))(
    `is read by coreos-installer${missingNote('coreos-installer')}`,
    async () => {
      await runCli(['quickstart'], { cwd });
      const args = ['iso', 'ignition', 'show', join(cwd, 'quickstart/sample-live.iso')];
      expect(spawnSync('coreos-installer', args).stdout.equals(await configOf('quickstart'))).toBe(true);
    },
  );

  it.skipIf(!have('xorriso'))(`makes an ISO that xorriso reads${missingNote('xorriso')}`, async () => {
    await runCli(['quickstart'], { cwd });
    const { stdout } = spawnSync('xorriso', [
      '-indev',
      join(cwd, 'quickstart/sample-live.iso'),
      '-find',
      '/',
    ]);
    expect(stdout.toString()).toContain("'/coreos/igninfo.json'");
  });
});

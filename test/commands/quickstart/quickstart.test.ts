import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { validateConfig } from '../../../src/ignition/validate.ts';
import { tempPathFor } from '../../../src/io/files/tempFile.ts';
import { have, oracleNote } from '../../support/programs.ts';
import { liveIso } from '../../support/liveIso.ts';
import { runCli } from '../../support/runCli.ts';
import { program } from '../../support/packageFolder.ts';

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
    expect(shown.stdoutBytes).toEqual(config);
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

  it('removes what a killed run left in the folder', async () => {
    const temp = tempPathFor(join(cwd, 'q', 'sample-live.iso'));
    await mkdir(join(cwd, 'q'));
    await writeFile(temp, 'a part of the image');
    const owner = join(cwd, 'q', '.sample-live.iso.lock', '999999999-00000000-localhost');
    await mkdir(dirname(owner));
    await writeFile(owner, '');
    await utimes(owner, 0, 0);
    expect(await runCli(['quickstart', '-C', 'q'], { cwd })).toMatchObject({ code: 0, stderr: '' });
    expect((await readdir(join(cwd, 'q'))).toSorted()).toEqual(names);
  });

  it('keeps out of a folder with other files', async () => {
    await writeFile(join(cwd, 'mine'), '');
    const { code, stderr } = await runCli(['quickstart', '-C', '.'], { cwd });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'error: . contains other files; quickstart requires a folder of its own\n' +
        'hint: use --directory with a new or an empty folder\n',
    });
    expect(await readdir(cwd)).toEqual(['mine']);
  });

  it.skipIf(!have('coreos-installer'))(
    `is read by coreos-installer${oracleNote('coreos-installer')}`,
    async () => {
      await runCli(['quickstart'], { cwd });
      const args = ['iso', 'ignition', 'show', join(cwd, 'quickstart/sample-live.iso')];
      expect(spawnSync('coreos-installer', args).stdout).toEqual(await configOf('quickstart'));
    },
  );

  it.skipIf(!have('xorriso'))(`makes an ISO that xorriso reads${oracleNote('xorriso')}`, async () => {
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

/** The commands in what quickstart prints. */
const commandsIn = (text: string): string[] =>
  text
    .slice(text.indexOf('\nNext'))
    .split('\n')
    .flatMap((line) => /^(?: {2}|.*: (?=\S+ .*iso ignition show))(\S.*)$/.exec(line)?.[1] ?? []);

describe('the commands that quickstart prints', () => {
  const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK9zIsVJMfhacIuKONUMGEmrH10rGh7UkLGfneQkUQH0 a@b\n';

  /** Ways to start it, and how its commands begin then. */
  it.each<[string, (folder: string) => Promise<string>, string]>([
    [
      'as in npm start',
      async (folder) => {
        await symlink(join(program, '../..'), join(folder, 'clone'));
        return 'node clone/bin/ironic-coreos.js';
      },
      'node clone/bin/ironic-coreos.js',
    ],
    [
      'from a folder with a blank',
      async (folder) => {
        await symlink(join(program, '../..'), join(folder, "a 'clone"));
        return `node "a 'clone/bin/ironic-coreos.js"`;
      },
      String.raw`node 'a '\''clone/bin/ironic-coreos.js'`,
    ],
    [
      'on the PATH',
      async (folder) => {
        await symlink(program, join(folder, 'home', 'ironic-coreos'));
        return 'ironic-coreos';
      },
      'ironic-coreos',
    ],
    [
      'by a link that is not on the PATH',
      async (folder) => {
        await symlink(program, join(folder, 'ironic-coreos'));
        return './ironic-coreos';
      },
      './ironic-coreos',
    ],
  ])('can be run: %s', async (_title, prepare, start) => {
    const home = join(cwd, 'home');
    await mkdir(join(home, '.ssh'), { recursive: true });
    await writeFile(join(home, '.ssh/id_ed25519.pub'), key);
    const given = await prepare(cwd);
    const env = { HOME: home, PATH: `${home}:${process.env['PATH']}` };
    const sh = (line: string) => spawnSync('sh', ['-c', line], { cwd, env, encoding: 'utf8' });
    const { stdout } = sh(`${given} quickstart`);
    await writeFile(join(cwd, 'coreos-live.iso'), liveIso('2023-07'));
    const commands = commandsIn(stdout);
    expect(commands).toHaveLength(4);
    for (const command of commands) expect(command.startsWith(`${start} `)).toBe(true);
    // Behind the start they are the same in each way.
    for (const command of start === 'ironic-coreos' ? commands : commands.slice(0, 1))
      expect([command, sh(command).status]).toEqual([command, 0]);
  });

  it('are those of npx under npx', async () => {
    const env = { HOME: cwd, PATH: process.env['PATH'], npm_command: 'exec' };
    const { stdout } = spawnSync(process.execPath, [program, 'quickstart'], { cwd, env, encoding: 'utf8' });
    expect(commandsIn(stdout).every((command) => command.startsWith('npx ironic-coreos '))).toBe(true);
  });
});

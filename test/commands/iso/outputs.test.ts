/** What becomes of the new file: its name, its mode, and the file that it replaces. */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmod,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { liveIso } from '../../support/liveIso.ts';
import { runCli, type RunOptions, type RunResult } from '../../support/runCli.ts';

const config = '{"ignition":{"version":"3.4.0"}}\n';
const secret =
  '{"ignition":{"version":"3.4.0"},"passwd":{"users":[{"name":"core","passwordHash":"$1$salt$qJH7.N4xYta3aEG/dfqo/0"}]}}\n';
const original = liveIso('2023-07');
const byUmask = 0o666 & ~process.umask();

let cwd: string;
beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'iso outputs ')));
  await writeFile(join(cwd, 'coreos.iso'), original);
  await writeFile(join(cwd, 'config.ign'), config);
  await writeFile(join(cwd, 'secret.ign'), secret);
  await writeFile(
    join(cwd, 'psk.nmconnection'),
    '[connection]\nid=a\ntype=ethernet\n[wifi-security]\npsk=12345678\n',
  );
  await writeFile(join(cwd, 'eth0.nmconnection'), '[connection]\nid=eth0\ntype=ethernet\n');
});
afterEach(async () => rm(cwd, { recursive: true, force: true }));

const run = async (line: string, options: RunOptions = {}): Promise<RunResult> =>
  runCli(line.split(' '), { cwd, ...options });
const modeOf = async (name: string): Promise<number> => (await stat(join(cwd, name))).mode & 0o7777;
const silence = /^$/;
const hash =
  /^the new file contains a password hash, so it is created with mode 0600; override with --mode\n$/;
const psk = /contains a network password, so it is created with mode 0600; override with --mode\n$/;

describe('mode of the new file', () => {
  it.each<[string, number, RegExp]>([
    ['iso ignition embed -i config.ign -o out coreos.iso', byUmask, silence],
    ['iso ignition embed -i secret.ign -o out coreos.iso', 0o600, hash],
    ['iso ignition embed -i secret.ign -o out --mode 0640 coreos.iso', 0o640, silence],
    ['iso ignition embed -i config.ign -o out --mode 444 coreos.iso', 0o444, silence],
    ['iso network embed -k eth0.nmconnection -o out coreos.iso', byUmask, silence],
    ['iso network embed -k psk.nmconnection -o out coreos.iso', 0o600, psk],
    ['iso ignition embed -i config.ign --iso-file secret.ign:a.ign -o out coreos.iso', 0o600, hash],
    ['iso ignition embed -i secret.ign --iso-file config.ign:config.ign -o out coreos.iso', 0o600, hash],
    ['iso ignition embed -i config.ign --iso-file config.ign:a.ign -o out coreos.iso', byUmask, silence],
    ['iso kargs modify -a x -o out coreos.iso', byUmask, silence],
    ['iso customize --live-ignition secret.ign -o out coreos.iso', 0o600, hash],
    ['iso reset -o out coreos.iso', byUmask, silence],
    ['pxe ignition wrap -i config.ign -o out', byUmask, silence],
    ['pxe ignition wrap -i secret.ign -o out', 0o600, hash],
    ['pxe ignition wrap -i secret.ign -o out --mode 0644', 0o644, silence],
    ['pxe network wrap -k psk.nmconnection -o out', 0o600, psk],
  ])('%s: %o', async (line, mode, note) => {
    const { code, stderr } = await run(line);
    expect([code, stderr]).toEqual([0, expect.stringMatching(note)]);
    expect(await modeOf('out')).toBe(mode);
  });

  it('is strict for whatever a secret image becomes', async () => {
    await run('iso ignition embed -i secret.ign coreos.iso');
    await run('iso kargs modify -a x -o out coreos.iso');
    expect(await modeOf('out')).toBe(0o600);
    await run('iso ignition remove -o clean coreos.iso');
    expect(await modeOf('clean')).toBe(byUmask);
    await run('iso ignition embed -f -i config.ign --iso-file secret.ign:a.ign coreos.iso');
    await run('iso ignition remove -o medium coreos.iso');
    expect(await modeOf('medium')).toBe(0o600);
    await run('iso reset -o reset coreos.iso');
    expect(await modeOf('reset')).toBe(byUmask);
  });

  it('is that of the umask for an image whose config grew and is removed, of which nothing is left', async () => {
    const noise = createHash('shake256', { outputLength: 340_000 }).update('secret').digest();
    await writeFile(join(cwd, 'large.ign'), noise);
    const embed = 'iso ignition embed --no-validate --grow -i large.ign --iso-file config.ign:config.tar';
    await run(`${embed} coreos.iso`);
    expect((await readFile(join(cwd, 'coreos.iso'))).includes(noise.subarray(100_000, 101_000))).toBe(true);
    expect((await run('iso ignition remove -o clean coreos.iso')).code).toBe(0);
    const { stdoutBytes } = await run('iso ignition remove -o - coreos.iso');
    await run('iso ignition remove coreos.iso');
    expect(await modeOf('clean')).toBe(byUmask);
    const results = [
      await readFile(join(cwd, 'clean')),
      stdoutBytes,
      await readFile(join(cwd, 'coreos.iso')),
    ];
    for (const bytes of results) {
      expect([bytes.includes(noise.subarray(100_000, 100_100)), bytes.equals(stdoutBytes)]).toEqual([
        false,
        true,
      ]);
    }
  });
});

describe('in place', () => {
  it('keeps the mode, and warns once where everybody can read a secret', async () => {
    await chmod(join(cwd, 'coreos.iso'), 0o644);
    const first = await run('iso ignition embed -i secret.ign coreos.iso');
    expect(first.stderr).toBe(
      'warning: the image now contains a password hash and all users of this machine can read it\nhint: run chmod 600 on the image\n',
    );
    expect(await modeOf('coreos.iso')).toBe(0o644);
    expect((await run('iso kargs modify -a x coreos.iso')).stderr).toBe('');
    expect((await run('iso network embed -k eth0.nmconnection coreos.iso')).stderr).toBe('');
  });

  it('has nothing to say about a file for few', async () => {
    await chmod(join(cwd, 'coreos.iso'), 0o640);
    expect((await run('iso ignition embed -i secret.ign coreos.iso')).stderr).toBe('');
  });
});

describe('--overwrite', () => {
  const embed = 'iso ignition embed -i config.ign';

  it('replaces a file as a whole, with its mode, behind a link', async () => {
    await run(`${embed} -o expected coreos.iso`);
    await writeFile(join(cwd, 'out'), 'older');
    await chmod(join(cwd, 'out'), 0o640);
    await symlink('out', join(cwd, 'link'));
    expect((await run(`${embed} -o link coreos.iso`)).stderr).toContain('File exists: link');
    expect(await run(`${embed} --overwrite -o link coreos.iso`)).toMatchObject({ code: 0, stderr: '' });
    expect(await readFile(join(cwd, 'out'))).toEqual(await readFile(join(cwd, 'expected')));
    expect(await modeOf('out')).toBe(0o640);
    expect((await lstat(join(cwd, 'link'))).isSymbolicLink()).toBe(true);
  });

  it('leaves what is there where something fails', async () => {
    await writeFile(join(cwd, 'out'), 'older');
    await writeFile(join(cwd, 'broken.iso'), original.subarray(0, 100_000));
    expect((await run(`${embed} --overwrite -o out broken.iso`)).code).toBe(1);
    expect(await readFile(join(cwd, 'out'), 'utf8')).toBe('older');
  });

  it.each(['coreos.iso', './coreos.iso', 'hard', 'soft'])(
    'does not take the input for the output: %s',
    async (output) => {
      await link(join(cwd, 'coreos.iso'), join(cwd, 'hard'));
      await symlink('coreos.iso', join(cwd, 'soft'));
      const { code, stderr } = await run(`${embed} --overwrite -o ${output} coreos.iso`);
      expect([code, stderr]).toEqual([1, expect.stringContaining(`File exists: ${output} is the input`)]);
      expect(await readFile(join(cwd, 'coreos.iso'))).toEqual(original);
    },
  );

  it.each([
    ['/dev/null', 'File exists: /dev/null is not a regular file'],
    ['.', '. is a directory'],
  ])('does not replace %s', async (output, message) => {
    const { code, stderr } = await run(`${embed} --overwrite -o ${output} coreos.iso`);
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  });
});

describe('wrong usage', () => {
  it.each([
    ['--mode 0640 coreos.iso', '--mode requires an output file'],
    ['--overwrite coreos.iso', '--overwrite requires an output file'],
    ['--overwrite -o - coreos.iso', '--overwrite requires an output file'],
    ['-o out --mode rw coreos.iso', "invalid value 'rw' for '--mode <octal>'"],
    ['-o out --mode 4755 coreos.iso', "invalid value '4755'"],
    ['-o out --mode 0888 coreos.iso', "invalid value '0888'"],
    ['-o out --mode 0640 --mode 0600 coreos.iso', 'cannot be used multiple times'],
  ])('%s', async (options, message) => {
    const { code, stderr } = await run(`iso ignition remove ${options}`);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(await readdir(cwd)).not.toContain('out');
  });
});

/** Root may mount a small file system, at least outside of containers. */
function mountSmall(folder: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

it('a full disk is said, and keeps no half of a file', async (context) => {
  const folder = join(cwd, 'small');
  await mkdir(folder);
  if (!mountSmall(folder)) {
    context.skip('needs root, and the right to mount a file system');
    return;
  }
  try {
    const { code, stderr } = await run('iso kargs modify -a x -o small/out coreos.iso');
    expect([code, stderr]).toEqual([1, expect.stringContaining('No space left to create small/out')]);
    expect(await readdir(folder)).toEqual([]);
  } finally {
    execFileSync('umount', [folder]);
  }
});

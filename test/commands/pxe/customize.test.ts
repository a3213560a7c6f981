import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readInitrd, writeInitrd } from '../../../src/image/initrd.ts';
import { sampleFiles } from '../../support/sampleIso.ts';
import { have, oracleNote } from '../../support/programs.ts';
import { runCli, type RunOptions, type RunResult } from '../../support/runCli.ts';

const initrd = Buffer.from(sampleFiles('fedora').get('images/pxeboot/initrd.img') ?? []);
const stamp = new Map([['etc/coreos-live-initramfs', Buffer.from('1\n')]]);
const inputs: Readonly<Record<string, string | Uint8Array>> = {
  'initrd.img': initrd,
  'plain.img': writeInitrd(stamp),
  'other.img': writeInitrd(new Map([['init', Buffer.from('1\n')]])),
  'features.img': writeInitrd(new Map(stamp).set('etc/coreos/features.json', Buffer.from('{'))),
  'cut.img': initrd.subarray(0, -4),
  'config.ign': '{"ignition":{"version":"3.4.0"}}',
  'text.img':
    'a text that is not an initramfs, and as long as a header of an entry, which has 110 bytes: '.repeat(3),
  'eth1.nmconnection': '[connection]\nid=eth1\ntype=ethernet\n',
};
const notice =
  'PXE configuration must include kernel arguments:\n\tignition.firstboot ignition.platform.id=metal\n';

let cwd: string;
beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'pxe customize ')));
  await Promise.all(Object.entries(inputs).map(([name, content]) => writeFile(join(cwd, name), content)));
});
afterEach(async () => rm(cwd, { recursive: true, force: true }));

const customize = async (line: string, options: RunOptions = {}): Promise<RunResult> =>
  runCli(['pxe', 'customize', ...line.split(' ').filter((part) => part !== '')], { cwd, ...options });
const file = async (name: string): Promise<Buffer> => readFile(join(cwd, name));

describe('the result', () => {
  it('is the input with an archive behind it', async () => {
    const result = await customize(
      '--live-ignition config.ign --network-keyfile eth1.nmconnection -o out.img initrd.img',
    );
    expect(result).toMatchObject({ code: 0, stdout: '', stderr: notice });
    const output = await file('out.img');
    expect(output.subarray(0, initrd.length)).toEqual(initrd);
    const appended = await readInitrd(output.subarray(initrd.length));
    expect([...appended.keys()].toSorted()).toEqual([
      'config.ign',
      'etc/coreos-firstboot-network/eth1.nmconnection',
    ]);
    expect((await stat(join(cwd, 'out.img'))).mode & 0o777).toBe(0o666 & ~process.umask());
    expect([...(await readInitrd(output)).keys()]).toContain('etc/coreos-live-initramfs');
  });

  it('is the same on standard output', async () => {
    const { stdoutBytes } = await customize('--live-ignition config.ign -o - initrd.img');
    await customize('--live-ignition config.ign -o out.img initrd.img');
    expect(stdoutBytes).toEqual(await file('out.img'));
  });

  it.skipIf(!have('mkfifo'))(`is the same from a pipe${oracleNote('mkfifo')}`, async () => {
    await customize('--live-ignition config.ign -o out.img initrd.img');
    spawnSync('mkfifo', [join(cwd, 'pipe')]);
    for (const output of ['again.img', '-']) {
      const [{ code, stdoutBytes }] = await Promise.all([
        customize(`--live-ignition config.ign -o ${output} pipe`),
        writeFile(join(cwd, 'pipe'), initrd),
      ]);
      const result = output === '-' ? stdoutBytes : await file(output);
      expect([code, result.equals(await file('out.img'))]).toEqual([0, true]);
    }
  });

  it('has an empty archive behind it where there are no options', async () => {
    expect(await customize('-o out.img initrd.img')).toMatchObject({ code: 0, stderr: '' });
    const appended = (await file('out.img')).subarray(initrd.length);
    expect(appended.toString('hex', 0, 3)).toBe('1f8b08');
    expect(await readInitrd(appended)).toEqual(new Map());
  });

  it('needs no kernel arguments with connections alone', async () => {
    const { stderr } = await customize('--network-keyfile eth1.nmconnection -o out.img initrd.img');
    expect(stderr).toBe('');
  });

  it('installs on its own', async () => {
    const { stderr } = await customize('--dest-device /dev/sda -o out.img initrd.img');
    expect(stderr).toBe(`Boot media will automatically install to /dev/sda without confirmation.\n${notice}`);
  });
});

describe('errors are one line and a hint, and nothing is written', () => {
  it.each([
    ['nowhere.img', 'Initramfs not found: nowhere.img'],
    ['other.img', 'other.img: not a CoreOS live initramfs image'],
    ['config.ign', 'config.ign is an Ignition config, not an initramfs\n'],
    ['text.img', 'text.img: Cannot read the initramfs: '],
    ['cut.img', 'cut.img: '],
    ['features.img', 'features.img: etc/coreos/features.json in the initramfs is not JSON'],
    [
      '--network-keyfile eth1.nmconnection plain.img',
      'This OS image does not support customizing network settings.',
    ],
    ['--dest-console tty0 plain.img', 'This OS image does not support customizing the destination console.'],
    ['--live-ignition nowhere.ign initrd.img', 'Ignition config not found: nowhere.ign'],
  ])('%s', async (line, message) => {
    const before = await readdir(cwd);
    for (const output of ['out.img', '-']) {
      const { code, stderr, stdout } = await customize(`${line} -o ${output}`);
      expect(stderr.startsWith(`error: ${message}`)).toBe(true);
      expect([code, stdout]).toEqual([1, '']);
    }
    expect(await readdir(cwd)).toEqual(before);
  });

  it('of what is already customized', async () => {
    for (const option of ['--live-ignition config.ign', '--network-keyfile eth1.nmconnection']) {
      await customize(`${option} -o out.img initrd.img`);
      const { code, stderr } = await customize('-o again.img out.img');
      expect([code, stderr.split('\n')[0]]).toEqual([1, 'error: out.img: input is already customized']);
      await rm(join(cwd, 'out.img'));
    }
  });

  it('of an output that exists', async () => {
    const { code, stderr } = await customize('-o initrd.img nowhere.img');
    expect([code, stderr.split('\n')[0]]).toEqual([1, 'error: File exists: initrd.img']);
  });
});

describe('usage errors', () => {
  it.each([
    'initrd.img',
    '-o out.img',
    '-o out.img -o other.img initrd.img',
    '-f -o out.img initrd.img',
    '--live-karg-append x -o out.img initrd.img',
    '--dest-console foo -o out.img initrd.img',
  ])('pxe customize %s', async (line) => {
    const { code, stdout, stderr } = await customize(line);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).not.toBe('');
    expect(await readdir(cwd)).not.toContain('out.img');
  });
});

it('help fits 80 columns', async () => {
  const { code, stdout } = await customize('--help');
  expect(code).toBe(0);
  expect(stdout.split('\n').filter((text) => text.length > 80)).toEqual([]);
});

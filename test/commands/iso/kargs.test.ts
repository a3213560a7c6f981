import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultKargs } from '../../support/sampleIso.ts';
import { layouts, liveIso, liveIsoWith } from '../../support/liveIso.ts';
import { runCli, type RunResult } from '../../support/runCli.ts';

const DEFAULTS = defaultKargs('fedora-coreos-99.20990101.dev.0');
const original = liveIso('2023-07');
const config = '{"ignition":{"version":"3.4.0"}}';
const done = { code: 0, stdout: '', stderr: '' };

let cwd: string;
beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'iso kargs ')));
  await writeFile(join(cwd, 'coreos.iso'), original);
});
afterEach(async () => rm(cwd, { recursive: true, force: true }));

const kargs = async (...args: string[]): Promise<RunResult> => runCli(['iso', 'kargs', ...args], { cwd });
const holds = async (name: string, bytes: Uint8Array): Promise<boolean> =>
  Buffer.compare(await readFile(join(cwd, name)), bytes) === 0;

describe.each(layouts.filter((layout) => layout !== '2020-09'))('layout %s', (layout) => {
  it('modify, show, reset in place: the arguments are there, then the original bytes', async () => {
    const bytes = liveIso(layout);
    await writeFile(join(cwd, 'coreos.iso'), bytes);
    const edits = ['-a', 'a=1', '-d', 'ignition.firstboot', '-r', 'ignition.platform.id=metal=qemu'];
    expect(await kargs('modify', ...edits, 'coreos.iso')).toEqual({ ...done, stdoutBytes: Buffer.of() });
    const shown = DEFAULTS.replace(' ignition.firstboot', '').replace('metal', 'qemu');
    expect(await kargs('show', 'coreos.iso')).toMatchObject({ ...done, stdout: `${shown} a=1\n` });
    expect(await kargs('show', '-d', 'coreos.iso')).toMatchObject({ ...done, stdout: `${DEFAULTS}\n` });
    expect(await kargs('reset', 'coreos.iso')).toMatchObject(done);
    expect(await holds('coreos.iso', bytes)).toBe(true);
  });
});

describe('layout 2020-09', () => {
  it.each([['modify', '-a', 'x'], ['reset'], ['show'], ['show', '--default']])(
    '%s %s fails',
    async (...args) => {
      await writeFile(join(cwd, 'coreos.iso'), liveIso('2020-09'));
      expect(await kargs(...args, 'coreos.iso')).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(
          /^error: No karg embed areas found; old or corrupted CoreOS ISO image\.\nhint: .*\n$/,
        ),
      });
      expect(await holds('coreos.iso', liveIso('2020-09'))).toBe(true);
    },
  );
});

describe('characters that GRUB interprets', () => {
  const url = 'http://example.com/a?b=1&c=2';
  it.each<[string, string[]]>([
    ['ignition.config.url', ['iso', 'kargs', 'modify', '-a', `ignition.config.url=${url}`, 'coreos.iso']],
    ['x', ['iso', 'customize', '--live-karg-append', `x=${url}`, 'coreos.iso']],
  ])('are reported for a new %s', async (name, args) => {
    const { code, stderr } = await runCli(args, { cwd });
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(`the kernel argument ${name}, or changes it: & is special in its menu\nhint: `),
    ]);
    expect((await kargs('modify', '-a', 'y=1', 'coreos.iso')).stderr).toBe('');
  });

  it('include the start of a comment, which is no comment within an argument', async () => {
    const comment = await kargs('modify', '-a', 'a=1 #b c=2', 'coreos.iso');
    expect([comment.code, comment.stderr]).toEqual([
      0,
      'warning: GRUB cannot boot with the kernel argument #b, or changes it: # is special in its menu\n' +
        'hint: remove the argument: GRUB ignores it and all arguments after it\n',
    ]);
    expect((await kargs('modify', '-a', 'd=#1 e="2 #3"', 'coreos.iso')).stderr).toBe('');
  });

  it('are not reported for s390x, which has no GRUB', async () => {
    await writeFile(join(cwd, 'coreos.iso'), liveIso('s390x'));
    expect(await kargs('modify', '-a', `x=${url}`, 'coreos.iso')).toMatchObject(done);
  });
});

describe('modify', () => {
  it('edits in its own order, not in that of the options', async () => {
    await kargs('modify', '-r', 'k=o=n', '--append=k=o', '--delete', 'x', '-ax', 'coreos.iso');
    expect((await kargs('show', 'coreos.iso')).stdout).toBe(`${DEFAULTS} k=n x\n`);
  });

  it('takes arguments that start with a hyphen', async () => {
    await kargs('modify', '--append', '-x=y', '-a', '-z=1', '-a=-v=2', '-d', '-z=1', 'coreos.iso');
    expect((await kargs('show', 'coreos.iso')).stdout).toBe(`${DEFAULTS} -x=y -z=1 -v=2\n`);
    await kargs('modify', '--delete', '-x=y', '-r', '-z=1=2', 'coreos.iso');
    expect((await kargs('show', 'coreos.iso')).stdout).toBe(`${DEFAULTS} -z=2 -v=2\n`);
  });

  it('gives the same bytes in place, to a file and to standard output', async () => {
    await kargs('modify', '-a', 'x', '-o', 'copy.iso', 'coreos.iso');
    const { stdoutBytes } = await kargs('modify', '-a', 'x', '--output', '-', 'coreos.iso');
    expect(await holds('coreos.iso', original)).toBe(true);
    await kargs('modify', '-a', 'x', 'coreos.iso');
    expect(await holds('coreos.iso', stdoutBytes)).toBe(true);
    expect(await holds('copy.iso', stdoutBytes)).toBe(true);
  });

  it('adds to what is there, and leaves what is embedded', async () => {
    await runCli(['iso', 'ignition', 'embed', 'coreos.iso'], { cwd, stdin: config });
    await kargs('modify', '-a', 'x', 'coreos.iso');
    await kargs('modify', '-a', 'y', 'coreos.iso');
    expect((await kargs('show', 'coreos.iso')).stdout).toBe(`${DEFAULTS} x y\n`);
    await kargs('reset', 'coreos.iso');
    expect((await runCli(['iso', 'ignition', 'show', 'coreos.iso'], { cwd })).stdout).toBe(config);
  });

  it.each([
    [
      ['-d', 'mitigations'],
      /^warning: no kernel argument to delete matches: mitigations\nhint: pass mitigations with its current value/,
    ],
    [['-r', 'k=a=b'], /^warning: no kernel argument to replace matches: k\nhint: /],
    [[], /^warning: the kernel arguments do not change\nhint: /],
    [['-a', 'a\nb'], /^warning: the kernel arguments contain a line break/],
  ])('warns of %j', async (edits, warning) => {
    const { code, stdout, stderr } = await kargs('modify', ...edits, 'coreos.iso');
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(warning);
  });

  it.each([
    ['a wrong replacement', ['-r', 'a=b'], /^error: Wrong input, format should be: KEY=OLD=NEW\nhint: /],
    [
      'too much',
      ['-a', 'x'.repeat(2000)],
      /^error: kargs too large for area: 2117 vs 1139\nhint: shorten the kernel arguments by at least 978 /,
    ],
  ])('fails with %s, and writes nothing', async (_title, edits, message) => {
    const { code, stderr } = await kargs('modify', ...edits, '-o', 'copy.iso', 'coreos.iso');
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
    expect((await kargs('modify', ...edits, 'coreos.iso')).code).toBe(1);
    expect(await holds('coreos.iso', original)).toBe(true);
    await expect(readFile(join(cwd, 'copy.iso'))).rejects.toThrow('ENOENT');
  });

  it('names the image where its areas differ, and what repairs it', async () => {
    const bytes = Buffer.from(original);
    bytes.write('other', bytes.indexOf(DEFAULTS));
    await writeFile(join(cwd, 'coreos.iso'), bytes);
    expect((await kargs('modify', '-a', 'x', 'coreos.iso')).stderr).toMatch(
      /^error: coreos\.iso: kargs don't match at all offsets! \(expected '.*', but offset \d+ has: '.*'\)\nhint: .*iso reset --force/,
    );
  });

  it.each([
    [['modify']],
    [['modify', '-o', 'a', '-o', 'b', 'coreos.iso']],
    [['show', '--format', 'xml', 'coreos.iso']],
    [[]],
  ])('kargs %j is wrong usage', async (args) => {
    expect((await kargs(...args)).code).toBe(2);
  });
});

describe('arguments of the network', () => {
  it.each([
    ['ip=eno1:dhcp4', 1, 'error: ip=eno1:dhcp4: NetworkManager of the initramfs ignores INTERFACE:dhcp4'],
    ['ip="dhcp"', 1, 'error: ip="dhcp": the program that reads this argument does not remove the quotes'],
    ['ip=[2001:db8::2]:::64::eno1:none:192.0.2.53', 1, 'NetworkManager rejects eno1: it has a DNS server'],
    [
      'ip=dhcp6 ignition.config.url=https://203.0.113.1/c',
      0,
      'no connection of the host has an IPv4 address',
    ],
    ['rd.route=198.51.100.0/24', 0, ''],
    ['rd.route=a:b', 0, 'warning: rd.route: the initramfs ignores the value'],
    ['ifname=net0:52:54:00:12:34', 0, 'warning: ifname: the initramfs ignores the value'],
    ['console=COM1', 0, 'warning: console: the kernel does not support this console'],
    ['coreos.live.rootfs_url=http://h/${mac:hexhyp}', 1, 'only iPXE replaces ${…}'],
    ['sshkey="ssh-ed25519 AAAA a@b"', 0, ''],
  ])('%s ends with %i', async (added, code, message) => {
    const commands = [
      ['iso', 'kargs', 'modify', '-a', added],
      ['iso', 'customize', '--live-karg-append', added],
    ];
    for (const command of commands) {
      await writeFile(join(cwd, 'coreos.iso'), original);
      const result = await runCli([...command, 'coreos.iso'], { cwd });
      expect(result).toMatchObject({ code, stderr: expect.stringContaining(message) });
      expect(result.stderr === '').toBe(message === '');
      expect(await holds('coreos.iso', original)).toBe(code === 1);
    }
  });

  it('are ignored beside embedded keyfiles', async () => {
    const ignored = 'warning: the live system ignores the network of the kernel arguments';
    await writeFile(join(cwd, 'eno1.nmconnection'), '[connection]\nid=eno1\ntype=ethernet\n');
    const embed = () =>
      runCli(['iso', 'network', 'embed', '-f', '-k', 'eno1.nmconnection', 'coreos.iso'], { cwd });
    expect((await embed()).stderr).toBe('');
    expect((await kargs('modify', '-a', 'ip=dhcp', 'coreos.iso')).stderr).toContain(ignored);
    expect((await kargs('modify', '-a', 'quiet', 'coreos.iso')).stderr).toBe('');
    await runCli(['iso', 'network', 'remove', 'coreos.iso'], { cwd });
    expect((await embed()).stderr).toContain(ignored);
    expect((await runCli(['validate', 'coreos.iso'], { cwd })).stdout).toContain('image-network-twice');
  });

  it('--ignore turns an error off', async () => {
    const args = ['--ignore', 'ip-spec', 'iso', 'kargs', 'modify', '-a', 'ip=eno1:dhcp4', 'coreos.iso'];
    expect(await runCli(args, { cwd })).toMatchObject(done);
  });
});

describe('show', () => {
  it.each([[[]], [['--default']]])('--format json has both and the room that is left (%j)', async (flags) => {
    await kargs('modify', '-a', 'ü', 'coreos.iso');
    const { stdout } = await kargs('show', '--format', 'json', ...flags, 'coreos.iso');
    const length = DEFAULTS.length + 1024;
    expect(JSON.parse(stdout)).toEqual({
      current: `${DEFAULTS} ü`,
      default: DEFAULTS,
      length,
      free: length - DEFAULTS.length - 1 - 3,
    });
    expect((await kargs('modify', '-a', 'x'.repeat(1020 - 1), 'coreos.iso')).code).toBe(0);
    const full = await kargs('show', '--format', 'json', 'coreos.iso');
    expect(JSON.parse(full.stdout)).toMatchObject({ free: 0 });
  });

  it('does not need an embed area that can be read', async () => {
    const bytes = liveIsoWith((files) => files.set('images/ignition.img', Buffer.alloc(262_144, 'x')));
    await writeFile(join(cwd, 'coreos.iso'), bytes);
    expect(await kargs('show', 'coreos.iso')).toMatchObject({ ...done, stdout: `${DEFAULTS}\n` });
  });
});

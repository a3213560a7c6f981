import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli, type RunResult } from '../../support/runCli.ts';

const kargs = (...args: string[]): Promise<RunResult> => runCli(['pxe', 'kargs', ...args]);
const rootfs = ['--rootfs-url', 'http://192.0.2.1/rootfs'];
const ignition = ['--ignition-url', 'https://192.0.2.1/agent.ign'];
const line =
  'coreos.live.rootfs_url=http://192.0.2.1/rootfs ignition.config.url=https://192.0.2.1/agent.ign ignition.firstboot ignition.platform.id=metal';

describe('pxe kargs', () => {
  it.each([
    ['a config from a URL', [...rootfs, ...ignition], line],
    [
      'an embedded config',
      [...rootfs, '--embedded'],
      'coreos.live.rootfs_url=http://192.0.2.1/rootfs ignition.firstboot ignition.platform.id=metal',
    ],
    [
      'options that repeat, in their order',
      [...rootfs, ...ignition, '--append', 'b', '--console', 'tty0', '--append', 'a', '--console', 'ttyS0'],
      `${line} console=tty0 console=ttyS0 b a`,
    ],
    [
      'names below a base URL',
      ['--base-url', 'http://192.0.2.1:6180/images/', ...ignition],
      line.replace('192.0.2.1/rootfs', '192.0.2.1:6180/images/ironic-python-agent.rootfs'),
    ],
    ['a URL beside the base URL', ['--base-url', 'http://192.0.2.9/images', ...rootfs, ...ignition], line],
  ])('writes one line: %s', async (_title, args, expected) => {
    expect(await kargs(...args)).toMatchObject({ code: 0, stdout: `${expected}\n`, stderr: '' });
  });

  it.each([
    ['without any URL', ['--console', 'ttyS0', '--ipa', 'debug=1'], 'console=ttyS0 ipa-debug=1'],
    ['with a network', ['--ip', 'dhcp', '--append', 'nofb'], 'ip=dhcp rd.neednet=1 nofb'],
    ['with a folder of images', ['--base-url', 'http://192.0.2.1/images', '--ipa', 'debug=1'], 'ipa-debug=1'],
    [
      'with a proxy for its services',
      ['--http-proxy', 'http://192.0.2.9:3128', '--api-url', 'https://192.0.2.1:6385'],
      'systemd.setenv=http_proxy=http://192.0.2.9:3128 systemd.setenv=no_proxy=192.0.2.1',
    ],
  ])('writes nothing for Ignition to a ramdisk that is not CoreOS: %s', async (_title, args, expected) => {
    expect(await kargs('--no-coreos', ...args)).toMatchObject({
      code: 0,
      stdout: `${expected}\n`,
      stderr: '',
    });
  });

  it.each(['ipxe', 'grub', 'pxelinux', 'ironic', 'json'])(
    'has all forms for a ramdisk that is not CoreOS: %s',
    async (format) => {
      const base = ['--base-url', 'http://192.0.2.1/images', '--ipa', 'debug=1'];
      const { code, stdout, stderr } = await kargs('--no-coreos', ...base, '--format', format);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toContain('ipa-debug=1');
      expect(stdout).not.toMatch(/coreos|ignition|rootfs/i);
    },
  );

  it('derives the URLs of a boot script from the base URL', async () => {
    const { code, stdout } = await kargs(
      '--base-url',
      'http://192.0.2.1/images',
      '--embedded',
      '--format',
      'ipxe',
    );
    expect(code).toBe(0);
    expect(stdout).toContain('\nkernel http://192.0.2.1/images/ironic-python-agent.kernel coreos.live.');
    expect(stdout).toContain(
      '\ninitrd --name initramfs http://192.0.2.1/images/ironic-python-agent.initramfs ||',
    );
  });

  it('writes a file, and then nothing to standard output', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pxe kargs '));
    try {
      const args = ['pxe', 'kargs', ...rootfs, ...ignition, '-o', 'kargs.txt'];
      expect(await runCli(args, { cwd: folder })).toMatchObject({ code: 0, stdout: '', stderr: '' });
      expect(await readFile(join(folder, 'kargs.txt'), 'utf8')).toBe(`${line}\n`);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it.each([
    [
      'a config over http',
      [...rootfs, '--ignition-url', 'http://h/c'],
      /^warning: --ignition-url: .*unencrypted/,
    ],
    ['no config', rootfs, /^warning: no Ignition config/],
    ['no root filesystem', ignition, /^warning: no root filesystem/],
    [
      'an unknown parameter',
      [...rootfs, ...ignition, '--ipa', 'insecrue=1'],
      /--ipa insecrue:.*\nhint: .*ipa-insecure/,
    ],
  ])('warns, and goes on: %s', async (_title, args, expected) => {
    const result = await kargs(...args);
    expect(result).toMatchObject({ code: 0, stderr: expect.stringMatching(expected) });
    expect(result.stdout).toContain('ignition.firstboot');
  });

  it.each([
    ['a rootfs scheme', ['--rootfs-url', 'nfs://h/r', ...ignition], '--rootfs-url: '],
    ['an ignition scheme', [...rootfs, '--ignition-url', '/c.ign'], '--ignition-url: '],
    ['a base URL', ['--base-url', 'images', ...ignition], '--base-url: '],
    ['a base URL with a query', ['--base-url', 'http://h/?a', ...ignition], '--base-url: '],
    [
      'an image scheme',
      ['--base-url', 'http://h/', '--kernel-url', 'kernel', '--format', 'ipxe'],
      '--kernel-url: ',
    ],
    ['a network', [...rootfs, ...ignition, '--ip', 'eno1:dhcp4'], '--ip eno1:dhcp4: '],
    ['a network', [...rootfs, ...ignition, '--ip', 'ip=dhcp'], '--ip ip=dhcp: '],
    ['a parameter', [...rootfs, ...ignition, '--ipa', 'insecure=maybe'], '--ipa insecure: '],
    [
      'two arguments in one',
      [...rootfs, ...ignition, '--append', 'nofb nomodeset'],
      '--append "nofb nomodeset": ',
    ],
    ['a line break', [...rootfs, ...ignition, '--append', 'a\nb=c'], String.raw`--append "a\nb": `],
    [
      'the label of a live ISO',
      [...rootfs, ...ignition, '--append', 'coreos.liveiso=x'],
      '--append coreos.liveiso: ',
    ],
    [
      'Ignition switched off',
      [...rootfs, ...ignition, '--append', 'ignition.firstboot=0'],
      '--append ignition.firstboot: ',
    ],
    [
      'the length',
      [...rootfs, ...ignition, '--append', 'a'.repeat(2048)],
      'the kernel command line is too long: ',
    ],
  ])('refuses %s with exit code 1, a line and a hint', async (_title, args, subject) => {
    const { code, stdout, stderr } = await kargs(...args);
    const lines = stderr.trimEnd().split('\n');
    const errors = lines.filter((text) => text.startsWith('error: '));
    expect({ code, stdout, count: errors.length }).toEqual({ code: 1, stdout: '', count: 1 });
    expect(errors[0]).toContain(`error: ${subject}`);
    expect(lines.every((text) => /^(?:error|warning|hint): /.test(text))).toBe(true);
  });

  it('shows all mistakes at once', async () => {
    const { code, stderr } = await kargs(
      ...rootfs,
      ...ignition,
      '--ip',
      'x',
      '--console',
      'y',
      '--append',
      '=z',
    );
    expect(code).toBe(1);
    expect(stderr).toContain('warning: --console y: ');
    expect(stderr.match(/^error: --\w+/gm)).toEqual(['error: --ip', 'error: --append']);
  });

  it('does not show values that may be secret', async () => {
    const { stderr } = await kargs(
      ...rootfs,
      '--ignition-url',
      'https://me:hunter2@h:x/',
      '--append',
      'a=hunter2 b',
    );
    expect(stderr).toContain('--append a: ');
    expect(stderr).not.toContain('hunter2');
  });

  it.each([
    ['no URL', ['--embedded']],
    ['a config in two places', [...rootfs, ...ignition, '--embedded']],
    ['a config for another ramdisk', ['--no-coreos', ...ignition]],
    ['an embedded config for another ramdisk', ['--no-coreos', '--embedded']],
    ['a root filesystem for another ramdisk', ['--no-coreos', ...rootfs]],
    ['a boot script for another ramdisk without a kernel', ['--no-coreos', '--format', 'ipxe']],
    ['an unknown format', [...rootfs, ...ignition, '--format', 'lilo']],
    ['a boot script without a kernel', [...rootfs, ...ignition, '--format', 'grub']],
    ['an unknown option', [...rootfs, '--kernel', 'x']],
    ['an option twice', [...rootfs, ...rootfs]],
    ['an operand', [...rootfs, 'x']],
  ])('ends with exit code 2: %s', async (_title, args) => {
    expect(await kargs(...args)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^error: /),
    });
  });
});

describe('pxe kargs with ipa-insecure=1', () => {
  it.each([
    ['of an unknown config', undefined, '', false],
    ['beside the conf of profile default', 'default', 'ironic.apiUrls: https://192.0.2.1', false],
    [
      'beside the conf of another generator',
      'configure-coreos-ipa',
      'ironic.apiUrls: https://192.0.2.1, agent.image: quay.io/a/b',
      true,
    ],
  ])('%s', async (_title, profile, agent, isReported) => {
    const cwd = await mkdtemp(join(tmpdir(), 'pxe insecure '));
    await writeFile(join(cwd, 'i.yaml'), `profile: ${profile}\nagent: { ${agent} }\n`);
    const inventory = profile === undefined ? [] : ['--inventory', 'i.yaml'];
    const args = ['pxe', 'kargs', ...rootfs, ...ignition, ...inventory, '--append', 'ipa-insecure=1'];
    const { code, stderr } = await runCli(args, { cwd });
    await rm(cwd, { recursive: true });
    expect([code, /^warning: .*\(ipa-insecure\)$/m.test(stderr)]).toEqual([0, isReported]);
  });
});

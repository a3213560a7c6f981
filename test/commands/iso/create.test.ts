/** `iso create` as a user calls it. */

import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  efiPartition,
  initrd,
  isolinux,
  kernel,
  ldlinux,
  liveInitrd,
  liveRootfs,
} from '../../support/newIso.ts';
import { liveIso } from '../../support/liveIso.ts';
import { runCli, type RunResult } from '../../support/runCli.ts';

const elf = Buffer.alloc(1024);
elf.write('\x7fELF', 'latin1');
elf.writeUInt16LE(62, 18);

const stub =
  'search --label "fedora-coreos-44" --set root --no-floppy\nset prefix=($root)/EFI/fedora\nconfigfile $prefix/grub.cfg\nboot\n';
const efiboot = Buffer.concat([efiPartition.subarray(0, 4096), Buffer.from(stub), Buffer.alloc(1024)]);

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'create iso '));
  const files = { kernel, initrd, 'isolinux.bin': isolinux, 'ldlinux.c32': ldlinux, 'esp.img': efiPartition };
  const others = {
    empty: Buffer.alloc(0),
    text: Buffer.from('text'),
    'live.img': liveInitrd,
    'image.iso': liveIso('2023-07'),
    'rootfs.img': liveRootfs,
    'eth0.nmconnection': Buffer.from('[connection]\nid=eth0\ntype=ethernet\n'),
    elf,
    'efiboot.img': efiboot,
    'old.bin': Buffer.from(isolinux.toString('latin1').replace('ldlinux.c32', '')),
  };
  for (const [name, data] of Object.entries({ ...files, ...others })) await writeFile(join(cwd, name), data);
});
afterEach(async () => rm(cwd, { recursive: true, force: true }));

const env = { SOURCE_DATE_EPOCH: '1700000000' };
const cli = (...args: readonly string[]): Promise<RunResult> => runCli(args, { cwd, env });
const base = ['iso', 'create', '-k', 'kernel', '-i', 'initrd'];
const loaders = ['--isolinux', 'isolinux.bin', '--efi-image', 'esp.img'];

describe('iso create', () => {
  it('writes the same image to a file and to standard output', async () => {
    expect(await cli(...base, ...loaders, '-o', 'new.iso')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '',
    });
    const { code, stdoutBytes } = await cli(...base, ...loaders, '-o', '-');
    expect(code).toBe(0);
    expect(stdoutBytes).toEqual(await readFile(join(cwd, 'new.iso')));
  });

  it('takes kernel arguments and a label', async () => {
    await cli(
      ...base,
      ...loaders,
      '-o',
      'new.iso',
      '--karg',
      'a=1',
      '--karg',
      'b c',
      '--label',
      'own',
      '--mode',
      '0640',
    );
    expect((await cli('iso', 'kargs', 'show', 'new.iso')).stdout).toBe('a=1 b c\n');
    expect((await readFile(join(cwd, 'new.iso'))).toString('latin1', 0x8028, 0x8048).trim()).toBe('own');
    expect((await stat(join(cwd, 'new.iso'))).mode & 0o777).toBe(0o640);
  });

  it('makes images that the other commands change, and give back', async () => {
    await cli(...base, ...loaders, '-o', 'new.iso');
    const before = await readFile(join(cwd, 'new.iso'));
    await writeFile(join(cwd, 'config.ign'), '{"ignition":{"version":"3.2.0"}}');
    expect((await cli('iso', 'kargs', 'show', 'new.iso')).stdout).toBe('boot_method=vmedia\n');
    for (const args of [
      ['iso', 'ignition', 'embed', '-i', 'config.ign', '--initrd-file', 'text:etc/text', 'new.iso'],
      ['iso', 'kargs', 'modify', '--append', 'debug', 'new.iso'],
      ['iso', 'extract', 'pxe', '-o', 'pxe', 'new.iso'],
    ]) {
      expect({ args, ...(await cli(...args)) }).toMatchObject({ code: 0, args });
    }
    expect((await cli('iso', 'ignition', 'show', 'new.iso')).stdout).toBe('{"ignition":{"version":"3.2.0"}}');
    expect((await cli('iso', 'kargs', 'show', 'new.iso')).stdout).toBe('boot_method=vmedia debug\n');
    expect((await cli('inspect', 'new.iso')).code).toBe(0);
    expect(await readFile(join(cwd, 'pxe/new-vmlinuz'))).toEqual(kernel);
    expect((await cli('iso', 'reset', 'new.iso')).code).toBe(0);
    expect(await readFile(join(cwd, 'new.iso'))).toEqual(before);
  });

  it('grows, and shrinks again', async () => {
    await cli(...base, ...loaders, '-o', 'new.iso');
    const before = await readFile(join(cwd, 'new.iso'));
    await writeFile(
      join(cwd, 'large'),
      Buffer.from(Array.from({ length: 400_000 }, (_, index) => (index * index * 31) >> 7)),
    );
    const embed = [
      'iso',
      'ignition',
      'embed',
      '--grow',
      '-i',
      'config.ign',
      '--initrd-file',
      'large:large',
      'new.iso',
    ];
    await writeFile(join(cwd, 'config.ign'), '{"ignition":{"version":"3.2.0"}}');
    expect(await cli(...embed)).toMatchObject({ code: 0 });
    expect((await cli('iso', 'ignition', 'remove', 'new.iso')).code).toBe(0);
    expect((await cli('iso', 'reset', 'new.iso')).code).toBe(0);
    expect(await readFile(join(cwd, 'new.iso'))).toEqual(before);
  });

  it('makes a live ISO of CoreOS that takes what its own live ISO takes', async () => {
    const files = ['-i', 'live.img', '--rootfs', 'rootfs.img', '--label', 'own', '--karg', 'console=ttyS0'];
    const created = await cli('iso', 'create', '-k', 'kernel', ...files, ...loaders, '-o', 'new.iso');
    expect(created).toMatchObject({ code: 0, stdout: '', stderr: '' });
    const kargs = 'coreos.liveiso=own ignition.firstboot ignition.platform.id=metal console=ttyS0\n';
    expect((await cli('iso', 'kargs', 'show', 'new.iso')).stdout).toBe(kargs);
    const before = await readFile(join(cwd, 'new.iso'));
    const network = ['iso', 'network', 'embed', '-k', 'eth0.nmconnection', 'new.iso'];
    expect(await cli(...network)).toMatchObject({ code: 0, stderr: '' });
    expect((await cli('iso', 'reset', 'new.iso')).code).toBe(0);
    const customize = ['--dest-device', '/dev/sda', '--dest-console', 'ttyS0', 'new.iso'];
    expect((await cli('iso', 'customize', ...customize)).code).toBe(0);
    expect((await cli('iso', 'reset', 'new.iso')).code).toBe(0);
    expect(await readFile(join(cwd, 'new.iso'))).toEqual(before);
    const inspected = JSON.parse((await cli('inspect', '--format', 'json', 'new.iso')).stdout);
    expect(inspected).toMatchObject({
      kind: 'live-iso',
      rootfsSize: liveRootfs.length,
      features: { liveInitrdNetwork: true, installerConfig: true, installerDirectives: ['console'] },
    });
  });

  it('makes an ISO of CoreOS without a root filesystem: a minimal one', async () => {
    const rest = ['-i', 'live.img', ...loaders, '-o', 'new.iso'];
    expect((await cli('iso', 'create', '-k', 'kernel', ...rest)).code).toBe(0);
    expect((await cli('iso', 'kargs', 'show', 'new.iso')).stdout).toBe(
      'ignition.firstboot ignition.platform.id=metal\n',
    );
    const inspected = await cli('inspect', 'new.iso');
    expect(inspected.stdout).toContain('minimal live ISO of CoreOS');
    expect(inspected.stdout).toContain('coreos.live.rootfs_url');
  });

  it('says of an ISO of another ramdisk what has an effect on it', async () => {
    await cli(...base, ...loaders, '-o', 'new.iso');
    const report = JSON.parse((await cli('inspect', '--format', 'json', 'new.iso')).stdout);
    expect(report).toMatchObject({ kind: 'ramdisk-iso', pristine: true, findings: [] });
    expect((await cli('inspect', 'new.iso')).stdout).toContain('ISO of a ramdisk that is not CoreOS');
    await writeFile(join(cwd, 'config.ign'), '{"ignition":{"version":"3.2.0"}}');
    const embedded = await cli('iso', 'ignition', 'embed', '-i', 'config.ign', 'new.iso');
    expect(embedded).toMatchObject({ code: 0 });
    expect(embedded.stderr).toContain('its system is not CoreOS and does not run Ignition');
    const findings = JSON.parse((await cli('inspect', '--format', 'json', 'new.iso')).stdout).findings;
    expect(findings).toMatchObject([{ rule: 'image-config-unread' }]);
  });

  it('takes no network settings for a ramdisk that would not look at them', async () => {
    await cli(...base, ...loaders, '-o', 'new.iso');
    const refused = await cli('iso', 'network', 'embed', '-k', 'eth0.nmconnection', 'new.iso');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('does not support customizing network settings');
  });

  it('takes an initramfs that it cannot read, and says so', async () => {
    const lz4 = Buffer.alloc(4000);
    lz4.writeUInt32LE(0x184c2102);
    await writeFile(join(cwd, 'initrd'), lz4);
    const { code, stderr } = await cli(...base, ...loaders, '-o', 'new.iso');
    expect(code).toBe(0);
    expect(stderr).toMatch(/^warning: initrd is treated as an initramfs that is not CoreOS: /);
    expect((await cli('iso', 'kargs', 'show', 'new.iso')).stdout).toBe('boot_method=vmedia\n');
  });

  it('does without ldlinux.c32 where ISOLINUX does', async () => {
    await rm(join(cwd, 'ldlinux.c32'));
    expect((await cli(...base, '--isolinux', 'old.bin', '-o', 'new.iso')).code).toBe(0);
  });

  it('replaces a file only when it is told to', async () => {
    await writeFile(join(cwd, 'new.iso'), 'mine');
    const refused = await cli(...base, ...loaders, '-o', 'new.iso');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('File exists');
    expect(await readFile(join(cwd, 'new.iso'), 'utf8')).toBe('mine');
    expect((await cli(...base, ...loaders, '-o', 'new.iso', '--overwrite')).code).toBe(0);
  });

  it.each([
    [
      'without an output',
      ['-k', 'kernel', '-i', 'initrd', ...loaders],
      2,
      "required option '-o, --output <path>'",
    ],
    [
      'without a boot loader',
      ['-o', 'x', '-k', 'kernel', '-i', 'initrd'],
      1,
      'The ISO requires a boot loader',
    ],
    [
      'swapped files',
      ['-o', 'x', '-k', 'initrd', '-i', 'elf', ...loaders],
      1,
      'initrd is an initramfs, not the kernel',
    ],
    [
      'a kernel that is missing',
      ['-o', 'x', '-k', 'nowhere', '-i', 'initrd', ...loaders],
      1,
      'Kernel not found: nowhere',
    ],
    [
      'an ISO as the initramfs',
      ['-o', 'x', '-k', 'kernel', '-i', 'image.iso', ...loaders],
      1,
      'image.iso is an ISO image, not the initramfs',
    ],
    ['an empty kernel', ['-o', 'x', '-k', 'empty', '-i', 'initrd', ...loaders], 1, 'empty is empty'],
    [
      'a root filesystem for a ramdisk without a place for it',
      ['-o', 'x', '-k', 'kernel', '-i', 'initrd', '--rootfs', 'rootfs.img', ...loaders],
      1,
      'does not belong to a CoreOS live system',
    ],
    [
      'a root filesystem that is none',
      ['-o', 'x', '-k', 'kernel', '-i', 'live.img', '--rootfs', 'text', ...loaders],
      1,
      'text is not a root filesystem of a CoreOS live system',
    ],
    [
      'a root filesystem as the output',
      [
        '-o',
        'rootfs.img',
        '--overwrite',
        '-k',
        'kernel',
        '-i',
        'live.img',
        '--rootfs',
        'rootfs.img',
        ...loaders,
      ],
      1,
      'rootfs.img is the input',
    ],
    ['a kernel that is not there', ['-o', 'x', '-k', 'gone', '-i', 'initrd', ...loaders], 1, 'gone'],
    [
      'an image that is no FAT',
      ['-o', 'x', '-k', 'kernel', '-i', 'initrd', '--efi-image', 'text'],
      1,
      'is not an image of an EFI system partition',
    ],
    [
      'parts of ISOLINUX alone',
      ['-o', 'x', '-k', 'kernel', '-i', 'initrd', '--isohybrid-mbr', 'text'],
      2,
      '--isohybrid-mbr requires --isolinux',
    ],
    [
      'a menu without GRUB',
      [
        '-o',
        'x',
        '-k',
        'kernel',
        '-i',
        'initrd',
        '--isolinux',
        'isolinux.bin',
        '--grub-config',
        'EFI/x/grub.cfg',
      ],
      2,
      '--grub-config requires --efi-image',
    ],
    [
      'GRUB of a live ISO without its menu',
      ['-o', 'x', '-k', 'kernel', '-i', 'initrd', '--efi-image', 'efiboot.img'],
      1,
      'error: GRUB in efiboot.img reads EFI/fedora/grub.cfg, which the ISO does not contain\n' +
        'hint: add --grub-config EFI/fedora/grub.cfg --label fedora-coreos-44\n',
    ],
    [
      'a module that is not there',
      ['-o', 'x', '-k', 'kernel', '-i', 'initrd', '--isolinux', 'isolinux.bin', '--ldlinux', 'gone'],
      1,
      'ldlinux.c32 not found: gone',
    ],
    [
      'an input as the output',
      ['-o', 'kernel', '--overwrite', '-k', 'kernel', '-i', 'initrd', ...loaders],
      1,
      'kernel is the input',
    ],
    [
      'two kernels',
      ['-o', 'x', '-k', 'kernel', '-k', 'kernel', '-i', 'initrd', ...loaders],
      2,
      'cannot be used multiple times',
    ],
  ])('refuses %s, and leaves nothing behind', async (_title, args, code, message) => {
    const names = await readdir(cwd);
    const result = await cli('iso', 'create', ...args);
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).toContain(message);
    expect(await readdir(cwd)).toEqual(names);
  });

  it.each([
    ['another label', [], 1],
    ['its label', ['--label', 'fedora-coreos-44'], 0],
  ])('GRUB of a live ISO with %s: number of warnings', async (_title, args, count) => {
    const efi = ['--efi-image', 'efiboot.img', '--grub-config', '/EFI/fedora/grub.cfg'];
    const { code, stderr } = await cli(...base, ...efi, ...args, '-o', 'new.iso');
    const warning =
      'warning: GRUB in efiboot.img does not find its menu if UEFI boots the ISO from a USB disk: ' +
      'it searches for the label fedora-coreos-44, and the ISO has the label ironic-python-agent\n' +
      'hint: use --label fedora-coreos-44\n';
    expect([code, stderr]).toEqual([0, warning.repeat(count)]);
  });

  it('refuses a date that is none', async () => {
    const result = await runCli([...base, ...loaders, '-o', 'x'], {
      cwd,
      env: { SOURCE_DATE_EPOCH: 'today' },
    });
    expect(result).toMatchObject({ code: 2 });
    expect(result.stderr).toContain('SOURCE_DATE_EPOCH is not a number of seconds');
  });
});

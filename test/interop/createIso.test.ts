/**
 * ISOs that `iso create` makes, with coreos-installer and other programs as judges; and a machine that boots them, for those
 * who ask for it.
 */

import { execFileSync } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  efiPartition,
  initrd,
  isolinux,
  kernel,
  ldlinux,
  liveInitrd,
  liveRootfs,
} from '../support/newIso.ts';
import { have, oracleNote } from '../support/programs.ts';
import { runCli } from '../support/runCli.ts';

const config = '{"ignition":{"version":"3.4.0"}}';
const keyfile = '[connection]\nid=eth0\ntype=ethernet\n';
let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'create interop '));
  await writeFile(join(cwd, 'config.ign'), config);
  await writeFile(join(cwd, 'eth0.nmconnection'), keyfile);
});
afterAll(async () => rm(cwd, { recursive: true, force: true }));

const run = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

async function create(...args: readonly string[]): Promise<void> {
  const command = ['iso', 'create', '--overwrite', '-k', 'kernel', '-i', 'initrd', ...args, '-o', 'new.iso'];
  expect(await runCli(command, { cwd })).toMatchObject({ code: 0, stderr: '' });
}

describe('a new ISO', () => {
  beforeAll(async () => {
    const files = {
      kernel,
      initrd,
      'isolinux.bin': isolinux,
      'ldlinux.c32': ldlinux,
      'esp.img': efiPartition,
    };
    for (const [name, data] of Object.entries(files)) await writeFile(join(cwd, name), data);
    await create(
      '--isolinux',
      'isolinux.bin',
      '--efi-image',
      'esp.img',
      '--karg',
      'console=ttyS0',
      '--label',
      'own',
    );
  });

  const peer = 'coreos-installer';
  it.skipIf(!have(peer))(`is a live ISO to coreos-installer${oracleNote(peer)}`, () => {
    expect(run(peer, 'iso', 'kargs', 'show', 'new.iso')).toBe('console=ttyS0\n');
    run(peer, 'iso', 'ignition', 'embed', '-i', 'config.ign', '-o', 'embedded.iso', 'new.iso');
    expect(run(peer, 'iso', 'ignition', 'show', 'embedded.iso')).toBe(config);
    run(peer, 'iso', 'kargs', 'modify', '-a', 'debug', '-d', 'console=ttyS0', 'embedded.iso');
    expect(run(peer, 'iso', 'kargs', 'show', 'embedded.iso')).toBe('debug\n');
    run(peer, 'iso', 'reset', 'embedded.iso');
    expect(run('cmp', 'new.iso', 'embedded.iso')).toBe('');
  });

  it.skipIf(!have('xorriso'))(`boots by what xorriso finds on it${oracleNote('xorriso')}`, () => {
    const report = ['-report_el_torito', 'plain', '-report_system_area', 'plain'];
    const lines = run('xorriso', '-indev', 'new.iso', ...report).split('\n');
    expect(
      lines
        .filter((line) => /img path|img opts|partition path/.test(line))
        .map((line) => line.replaceAll(/ +/g, ' ')),
    ).toEqual([
      'El Torito img path : 1 /isolinux/isolinux.bin',
      'El Torito img opts : 1 boot-info-table',
      'El Torito img path : 2 /images/efiboot.img',
      'MBR partition path : 2 /images/efiboot.img',
    ]);
  });

  it.skipIf(!have('bsdtar'))(`gives its files to bsdtar${oracleNote('bsdtar')}`, () => {
    expect(run('bsdtar', 'xOf', 'new.iso', 'images/pxeboot/vmlinuz')).toBe(kernel.toString());
    expect(run('bsdtar', 'xOf', 'new.iso', 'coreos/igninfo.json')).toContain('images/ignition.img');
  });
});

describe('a new ISO of CoreOS', () => {
  const peer = 'coreos-installer';
  it.skipIf(!have(peer))(`is customized by coreos-installer${oracleNote(peer)}`, async () => {
    const files = { kernel, 'live.img': liveInitrd, 'rootfs.img': liveRootfs, 'esp.img': efiPartition };
    for (const [name, data] of Object.entries(files)) await writeFile(join(cwd, name), data);
    const loader = ['--efi-image', 'esp.img', '-o', 'live.iso'];
    const command = ['iso', 'create', '-k', 'kernel', '-i', 'live.img', '--rootfs', 'rootfs.img', ...loader];
    expect(await runCli(command, { cwd })).toMatchObject({ code: 0, stderr: '' });
    run(peer, 'iso', 'network', 'embed', '-k', 'eth0.nmconnection', '-o', 'network.iso', 'live.iso');
    expect(run(peer, 'iso', 'network', 'extract', 'network.iso')).toContain(keyfile);
    const settings = ['--dest-device', '/dev/sda', '--dest-console', 'ttyS0', '--live-karg-append', 'quiet'];
    run(peer, 'iso', 'customize', ...settings, '-o', 'customized.iso', 'live.iso');
    expect(run(peer, 'iso', 'kargs', 'show', 'customized.iso')).toMatch(/^coreos.liveiso=ironic.* quiet\n$/);
    run(peer, 'iso', 'extract', 'pxe', '-o', 'pxe', 'live.iso');
    expect(run('cmp', 'pxe/live-rootfs.img', 'rootfs.img')).toBe('');
  });
});

const host = {
  isolinux: '/usr/lib/ISOLINUX/isolinux.bin',
  ldlinux: '/usr/lib/syslinux/modules/bios/ldlinux.c32',
  mbr: '/usr/lib/ISOLINUX/isohdpfx.bin',
  busybox: '/usr/bin/busybox',
  firmware: '/usr/share/ovmf/OVMF.fd',
};
const init = `#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
echo "BOOT-CMDLINE $(/bin/busybox cat /proc/cmdline)"
echo "BOOT-CONFIG $(/bin/busybox cat /config.ign)"
echo "BOOT-NETWORK $(/bin/busybox ls /etc/coreos-firstboot-network)"
/bin/busybox poweroff -f
`;

const early = 'search --no-floppy --set=root --label ironic-python-agent\nconfigfile /EFI/BOOT/grub.cfg\n';
const grubModules = 'iso9660 search search_label configfile linux normal part_msdos fat';

const makeInputs = `
cp "$(ls /boot/vmlinuz-*cloud* | head -1)" kernel
(cd rd && find . | cpio -o -H newc --quiet | gzip -1) > initrd
grub-mkimage -O x86_64-efi -o BOOTX64.EFI -p /EFI/BOOT -c early.cfg ${grubModules}
rm -f esp.img; truncate -s 4M esp.img; mkfs.vfat esp.img
mmd -i esp.img ::EFI ::EFI/BOOT; mcopy -i esp.img BOOTX64.EFI ::EFI/BOOT/
`;

describe.skipIf(!have('boots'))(`a machine boots a new ISO${oracleNote('boots')}`, () => {
  beforeAll(async () => {
    await mkdir(join(cwd, 'rd/bin'), { recursive: true });
    for (const folder of ['proc', 'dev']) await mkdir(join(cwd, 'rd', folder));
    await copyFile(host.busybox, join(cwd, 'rd/bin/busybox'));
    await writeFile(join(cwd, 'rd/init'), init);
    await mkdir(join(cwd, 'rd/etc/coreos'), { recursive: true });
    await writeFile(join(cwd, 'rd/etc/coreos-live-initramfs'), 'test\n');
    await writeFile(join(cwd, 'rd/etc/coreos/features.json'), '{"live-initrd-network": true}\n');
    await chmod(join(cwd, 'rd/init'), 0o755);
    await writeFile(join(cwd, 'early.cfg'), early);
    run('sh', '-e', '-c', makeInputs);
    await create(
      '--isolinux',
      host.isolinux,
      '--ldlinux',
      host.ldlinux,
      '--isohybrid-mbr',
      host.mbr,
      '--efi-image',
      'esp.img',
      '--karg',
      'console=ttyS0',
    );
    for (const embed of [
      ['iso', 'ignition', 'embed', '-i', 'config.ign', 'new.iso'],
      ['iso', 'network', 'embed', '-k', 'eth0.nmconnection', 'new.iso'],
    ]) {
      const { code, stderr } = await runCli(embed, { cwd });
      if (code !== 0) throw new Error(stderr);
    }
  });

  const cd = ['-cdrom', 'new.iso', '-boot', 'd'];
  const usb = [
    '-device',
    'qemu-xhci',
    '-drive',
    'if=none,id=usb,format=raw,file=new.iso,snapshot=on',
    '-device',
    'usb-storage,drive=usb',
  ];
  const uefi = ['-bios', host.firmware];
  it.each([
    ['BIOS, CD', cd],
    ['BIOS, USB', usb],
    ['UEFI, CD', [...uefi, ...cd]],
    ['UEFI, USB', [...uefi, ...usb]],
  ])('%s', (_title, medium) => {
    const machine = ['-m', '1024', '-nographic', '-no-reboot', '-net', 'none', ...medium];
    const console = run('timeout', '180', 'qemu-system-x86_64', ...machine);
    expect(console).toMatch(/BOOT-CMDLINE .*console=ttyS0/);
    expect(console).toContain(`BOOT-CONFIG ${config}`);
    expect(console).toContain('BOOT-NETWORK eth0.nmconnection');
  });
});

/** What an ISO is made of, in small: nothing of it boots. */

import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { writeCpio } from '../../src/formats/cpio.ts';
import { bytesAccess } from '../../src/image/overlay.ts';
import type { BiosLoader, EfiLoader, NewIso } from '../../src/image/createIso.ts';

/** What is recognized of isolinux.bin. */
export const isolinux = Buffer.concat([
  Buffer.alloc(64),
  Buffer.from('ISOLINUX 6.04 ldlinux.c32'),
  Buffer.alloc(999),
]);
export const ldlinux = Buffer.from('ldlinux');

/** The boot sector of a FAT file system, and some bytes behind it. */
export const efiPartition = Buffer.alloc(5000);
efiPartition.write('FAT16   ', 54);
efiPartition.set([0x55, 0xaa], 510);

/** The headers of a kernel for x86_64. @param release `uname -r` */
export function kernelOf(release: string): Buffer {
  const bytes = Buffer.from('a kernel'.repeat(1000));
  bytes.write('HdrS', 0x202);
  bytes.writeUInt16LE(0x400, 0x20e);
  bytes.write(`${release} (builder) #1 SMP\0`, 0x600);
  return bytes;
}
export const kernel = kernelOf('6.18.4-200.fc44.x86_64');
/** As the builder of ironic-python-agent makes them: nothing in it is of CoreOS. */
export const initrd = gzipSync(cpio({ init: '#!/bin/sh\n', 'usr/bin/ironic-python-agent': 'agent' }));

export const liveFeatures = `{
  "installer-config": true,
  "installer-config-directives": {"console": true},
  "live-initrd-network": true,
  "of-a-later-build": [1, 2]
}
`;
/** Of a CoreOS live system: that of the OS, and behind it the archive that makes it one. */
export const liveInitrd = Buffer.concat([
  gzipSync(cpio({ init: '#!/bin/sh\n', 'usr/bin/ignition': 'ignition' })),
  gzipSync(cpio({ 'etc/coreos-live-initramfs': '44.1\n', 'etc/coreos/features.json': liveFeatures })),
]);
export const liveRootfs = cpio({ 'root.squashfs': 'hsqs'.repeat(700) });

export function cpio(files: Readonly<Record<string, string>>): Buffer {
  const members = Object.entries(files).map(([path, text]): [string, Buffer] => [path, Buffer.from(text)]);
  return Buffer.from(writeCpio(new Map(members)));
}

const bios: BiosLoader = { isolinux, ldlinux };
const efi: EfiLoader = { image: bytesAccess(efiPartition), menus: ['EFI/BOOT/grub.cfg'] };

export const newIso = {
  kernel: bytesAccess(kernel),
  initrd: bytesAccess(initrd),
  system: {},
  label: 'ipa',
  kargs: 'boot_method=vmedia console=ttyS0',
  date: new Date('2023-11-14T22:13:20Z'),
  bios,
  efi,
} as const satisfies NewIso;

/** The files of a build for network boot, with the stamps of the builder of CoreOS, in the order of its archives. */
export function liveBuild(version: string, release = '6.18.4-200.fc44.x86_64') {
  const rootfs = Buffer.concat([
    cpio({ 'root.squashfs': `hsqs of ${version}`.padEnd(3000) }).subarray(0, -CPIO_TRAILER),
    cpio({ 'etc/coreos-live-rootfs': `${version}\n` }),
  ]);
  const digest = createHash('sha256').update(rootfs).digest('hex');
  const initramfs = Buffer.concat([
    gzipSync(cpio({ init: '#!/bin/sh\n', [`usr/lib/modules/${release}/modules.dep`]: `of ${version}` })),
    gzipSync(
      cpio({
        'etc/coreos-live-initramfs': `${version}\n`,
        'etc/coreos-live-want-rootfs': `stream-hash sha256 2097152\n${digest}\n`,
        'etc/coreos/features.json': liveFeatures,
      }),
    ),
  ]);
  return { kernel: kernelOf(release), initramfs, rootfs };
}

/** Bytes of the last member of an archive. */
const CPIO_TRAILER = 124;

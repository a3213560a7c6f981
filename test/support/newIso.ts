/** What an ISO is made of, in small: nothing of it boots. */

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

export const kernel = Buffer.from('a kernel'.repeat(1000));
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
  return Buffer.concat(writeCpio(new Map(members)));
}

const bios: BiosLoader = { isolinux, ldlinux };
const efi: EfiLoader = { image: bytesAccess(efiPartition), menus: ['EFI/BOOT/grub.cfg'] };

export const newIso = {
  kernel: bytesAccess(kernel),
  initrd: bytesAccess(initrd),
  system: { kind: 'other' },
  label: 'ipa',
  kargs: 'boot_method=vmedia console=ttyS0',
  date: new Date('2023-11-14T22:13:20Z'),
  bios,
  efi,
} as const satisfies NewIso;

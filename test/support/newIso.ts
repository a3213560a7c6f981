/** What an ISO is made of, in small: nothing of it boots. */

import { bytesAccess } from '../../src/image/overlay.ts';
import type { BiosLoader, EfiLoader, NewIso } from '../../src/image/createIso.ts';

/** What is recognised of isolinux.bin. */
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
export const initrd = Buffer.from('070701 an initramfs'.repeat(1000));

const bios: BiosLoader = { isolinux, modules: new Map([['ldlinux.c32', ldlinux]]) };
const efi: EfiLoader = { image: bytesAccess(efiPartition), menus: ['EFI/BOOT/grub.cfg'] };

export const newIso = {
  kernel: bytesAccess(kernel),
  initrd: bytesAccess(initrd),
  label: 'ipa',
  kargs: 'boot_method=vmedia console=ttyS0',
  date: new Date('2023-11-14T22:13:20Z'),
  bios,
  efi,
} as const satisfies NewIso;

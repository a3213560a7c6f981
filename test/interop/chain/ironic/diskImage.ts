/**
 * A small disk image that boots by BIOS, with the boot partition of CoreOS as coreos-installer expects it: a filesystem with the
 * label `boot`, a boot loader entry, and a place for the Ignition config. Its system prints on the serial console what is there.
 */

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import * as bootIso from '../../boot/bootIso.js';

const system = {
  programs: { init: '../chain/ironic/disk-init' },
  drivers: ['virtio_pci', 'virtio_blk', 'ext4', 'crc32c_generic'],
};
const grub = '/usr/lib/grub/i386-pc';
const modules = ['biosdisk', 'part_msdos', 'ext2', 'linux', 'boot'];

/** Kernel arguments in the boot loader entry of the image. */
export const OPTIONS = 'console=ttyS0 ignition.platform.id=metal';

const SECTOR = 512;
/** In sectors. GRUB is in the gap before the partition. */
const PARTITION = { start: 2048, count: 131_072 };

const run = (program: string, ...args: string[]): void => void execFileSync(program, args, { stdio: 'pipe' });

/**
 * Writes `disk.raw.xz`, as CoreOS publishes its images, and `disk.qcow2`.
 * @param folder gets the files
 * @param work empty folder
 */
export function makeDiskImage(folder: string, work: string): void {
  const path = (...names: string[]): string => join(work, ...names);
  makeBootPartition(path('tree'), path('initramfs'), path('partition'));
  writeFileSync(
    path('early.cfg'),
    `linux (hd0,msdos1)/vmlinuz ${OPTIONS} quiet\ninitrd (hd0,msdos1)/initrd.img\nboot\n`,
  );
  run(
    'grub-mkimage',
    '-O',
    'i386-pc',
    '-p',
    '(hd0,msdos1)/',
    '-c',
    path('early.cfg'),
    '-o',
    path('core.img'),
    ...modules,
  );
  const end = (PARTITION.start + PARTITION.count) * SECTOR;
  const image = Buffer.alloc(end);
  // boot.img loads the sectors after its own; the table of partitions follows its code.
  readFileSync(join(grub, 'boot.img')).copy(image, 0, 0, 440);
  readFileSync(path('core.img')).copy(image, SECTOR);
  readFileSync(path('partition')).copy(image, PARTITION.start * SECTOR);
  writeFileSync(path('disk.raw'), image);
  const table = `label: dos\nstart=${PARTITION.start}, size=${PARTITION.count}, type=83, bootable\n`;
  execFileSync('sfdisk', ['--no-reread', '--no-tell-kernel', '--wipe', 'never', path('disk.raw')], {
    input: table,
    stdio: 'pipe',
  });
  run('qemu-img', 'convert', '-f', 'raw', '-O', 'qcow2', path('disk.raw'), join(folder, 'disk.qcow2'));
  run('xz', '-1', path('disk.raw'));
  run('mv', path('disk.raw.xz'), folder);
  rmSync(work, { recursive: true });
}

function makeBootPartition(tree: string, work: string, partition: string): void {
  for (const name of ['loader/entries', 'ignition']) mkdirSync(join(tree, name), { recursive: true });
  bootIso.makeInitramfs(join(tree, 'initrd.img'), work, system);
  run('cp', bootIso.kernelFile(), join(tree, 'vmlinuz'));
  const entry = `title Disk image\nversion 1\noptions ${OPTIONS}\nlinux /vmlinuz\ninitrd /initrd.img\n`;
  writeFileSync(join(tree, 'loader/entries/ostree-1-disk.conf'), entry);
  writeFileSync(partition, '');
  truncateSync(partition, PARTITION.count * SECTOR);
  // GRUB 2.06 does not know newer features.
  run('mkfs.ext4', '-q', '-L', 'boot', '-O', '^metadata_csum,^orphan_file', '-d', tree, partition);
}

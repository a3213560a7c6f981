/** Lines of the kernel: its start, memory, the initramfs, and the medium. */

import { beforeKernel, type ConsoleSign, from, rowsWith } from './sign.ts';

export const kernelSigns: readonly ConsoleSign[] = rowsWith(
  'kernel',
  {},
  {
    'kernel-started': {
      source: 'Linux, init/version.c',
      pattern: /^Linux version \d/,
      refutes: ['console-silent', 'no-boot-device', 'power-off'],
    },
    'kernel-installer': {
      source:
        'Linux, arch/x86/kernel/setup.c, init/main.c; coreos-installer, systemd/coreos-installer-generator',
      pattern: /^(?:Kernel c|C)ommand line: .*\bcoreos\.inst\.install_dev=/,
      proves: 'installer-running',
      solvedBy: from('agent container'),
    },
    // Only an installed system has a root file system of its own; that of other ramdisks is an image or in the network.
    'kernel-disk': {
      source: 'Linux, arch/x86/kernel/setup.c, init/main.c; ostree, src/switchroot/ostree-prepare-root.c',
      pattern:
        /^(?:Kernel c|C)ommand line: (?!.*\bcoreos\.live).*\b(?:root=(?!(?:live|nfs|http)\b|\/dev\/(?:ram|nfs))|ostree=)/,
      proves: 'boot-order',
      solvedBy: from('script'),
    },
    'kernel-live': {
      source: 'Linux, arch/x86/kernel/setup.c, init/main.c; live ISO of CoreOS, isolinux/isolinux.cfg',
      pattern: /^(?:Kernel c|C)ommand line: .*\b(?:coreos\.live|ignition\.)/,
      refutes: ['boot-order', ...beforeKernel],
    },
    'kernel-initramfs-memory': {
      source: 'Linux, init/initramfs.c',
      pattern: /^Initramfs unpacking failed: write error/,
      proves: 'no-memory',
    },
    // "invalid magic" is also printed for harmless padding between appended archives.
    'kernel-initramfs-padding': {
      source: 'Linux, init/initramfs.c',
      pattern: /^Initramfs unpacking failed: invalid magic/,
      suggests: ['initramfs-damaged'],
    },
    'kernel-initramfs-damaged': {
      source: 'Linux, init/initramfs.c, lib/decompress_*.c',
      pattern: /^(?:Initramfs unpacking failed: |rootfs image is not initramfs)/,
      proves: 'initramfs-damaged',
    },
    // Lines with "Memory cgroup out of memory" are about the limit of a service.
    'kernel-out-of-memory': {
      source: 'Linux, mm/oom_kill.c',
      pattern:
        /^(?:Out of memory: Kill|Kernel panic - not syncing: (?:System is deadlocked on memory|Out of memory))/,
      proves: 'no-memory',
      solvedBy: from('inspection'),
    },
    'kernel-no-root': {
      source: 'Linux, init/do_mounts.c, init/main.c',
      pattern: /^Kernel panic - not syncing: (?:VFS: Unable to mount root fs|No working init found)/,
      proves: 'no-initramfs',
    },
    'kernel-panic': {
      source: 'Linux, kernel/panic.c',
      pattern: /^Kernel panic - not syncing: /,
      proves: 'kernel-panic',
    },
    'kernel-cpu': {
      source: 'Linux, arch/x86/boot/cpu.c',
      pattern: /^This kernel requires (?:an|the) .{1,40} CPU/,
      proves: 'architecture-mismatch',
    },
    // The root file system is read from the medium until the agent runs, so a live system that has started proves little.
    'medium-read-error': {
      source: 'Linux, block/blk-core.c',
      pattern:
        /^(?:blk_update_request: |print_req_error: )?(?:I\/O|critical (?:medium|target)) error, dev sr\d/,
      proves: 'medium-unreadable',
      solvedBy: from('agent container'),
    },
    'medium-end': {
      source: 'Linux, block/blk-core.c (the line after "attempt to access beyond end of device")',
      pattern: /^(?:sr|loop)\d{1,3}: rw=\d{1,10}, (?:want|sector)=\d{1,20}, .{0,60}limit=\d/,
      proves: 'medium-truncated',
      solvedBy: from('agent container'),
    },
    'medium-file-system': {
      source: 'Linux, fs/isofs/inode.c',
      pattern:
        /^(?:isofs_fill_super: bread failed, dev=sr|ISOFS: (?:unable to read|unsupported\/invalid hardware sector))/,
      proves: 'medium-unreadable',
    },
    // A local disk has the same names as a USB medium.
    'medium-disk-error': {
      source: 'Linux, block/blk-core.c',
      pattern:
        /^(?:(?:blk_update_request: )?(?:I\/O|critical (?:medium|target)) error, dev sd[a-z]|Buffer I\/O error on dev(?:ice)? (?:sr\d|sd[a-z]))/,
      suggests: ['medium-unreadable'],
    },
    'rootfs-damaged': {
      source: 'Linux, fs/squashfs, fs/erofs',
      pattern:
        /^(?:SQUASHFS error: |erofs(?:: | \(device [\w-]{1,20}\): )(?:failed to|.{0,80}\b(?:corrupted|invalid|I\/O error)))/,
      proves: 'rootfs-damaged',
      resultOf: ['medium-read-error', 'medium-end', 'medium-disk-error'],
      solvedBy: from('agent container'),
    },
  },
);

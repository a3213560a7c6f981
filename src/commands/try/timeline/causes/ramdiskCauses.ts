/** Causes while the live system starts: memory, the initramfs, the boot medium, the root filesystem, the config, Ignition. */

import type { Stage } from '../stage.ts';
import { causesOf, hasCalledIronic, hasFetchedConfig, lacksConfig, proofBy } from './cause.ts';

const inInitramfs: readonly Stage[] = ['kernel', 'initramfs', 'config', 'rootfs'];

export const ramdiskCauses = causesOf({
  'no-memory': {
    short: 'too little memory',
    text: 'The machine has too little memory: with network boot, memory contains the root filesystem and the agent container image.',
    check:
      'look for `No space left on device`, `Out of memory` or `write error` on the console; run `ironic-coreos inspect IMAGE` or `prepare` to see the required memory',
    fix: 'add memory (6 GiB recommended if the machine pulls the container image), or boot the full ISO instead of network boot',
    after: [
      'image',
      'kernel',
      'initramfs',
      'config',
      'rootfs',
      'agent archive',
      'live system',
      'agent container',
    ],
  },
  'no-space': {
    short: 'a full file system in memory',
    text: 'A file system is full: the files of the live system are in memory, and the machine has too little of it.',
    check:
      'run `df -h` and `free -m` on the machine; run `ironic-coreos inspect IMAGE` or `prepare` to see the required memory',
    fix: 'add memory (6 GiB recommended if the machine pulls the container image), boot the full ISO instead of network boot, or use a smaller agent image',
  },
  'no-initramfs': {
    short: 'the initramfs',
    text: 'The kernel has no initramfs with a program that it can start: the boot loader did not load it, or it was not unpacked.',
    check:
      'read the lines with `Initramfs` and the kernel arguments (`initrd=`, `rdinit=`) above the panic on the console',
    fix: 'make the boot loader load the initramfs of the same release: the boot scripts of `prepare` and `serve` do; with UEFI and iPXE, `initrd=NAME` in the kernel arguments must be the name of `initrd --name NAME URL`',
    isResult: true,
  },
  'initramfs-damaged': {
    short: 'a damaged initramfs',
    text: 'The kernel cannot unpack the initramfs: it is incomplete, damaged, or not padded to 4 bytes before an appended archive.',
    check:
      'run `ironic-coreos inspect INITRAMFS`; compare its checksum with the published one, and its size with what the server sent',
    fix: 'download or prepare it again; append archives with `pxe ignition wrap`, which pads them',
  },
  'medium-missing': {
    short: 'the boot medium in the live system',
    text: 'The boot medium with the label in `coreos.liveiso=` did not appear in the initramfs: the virtual medium was detached, has no driver, or is another image than the kernel is from.',
    check:
      'in the emergency shell, run `lsblk -o NAME,LABEL,SIZE` and `cat /proc/cmdline`; read the virtual media status in the BMC',
    fix: 'attach the medium again and restart the machine; use kernel and initramfs of the same ISO; use network boot if the BMC detaches media',
    boots: ['iso', 'minimal-iso'],
  },
  'no-device': {
    short: 'a device that does not appear',
    text: 'A block device that the system waits for did not appear.',
    check: 'read the name of the device in the line; run `lsblk` in the emergency shell',
    fix: 'remove it from the kernel arguments (`root=`) or from the config; or add the driver of its controller',
  },
  'rootfs-damaged': {
    short: 'an unreadable root filesystem',
    text: 'The machine cannot mount or read its root filesystem: the image is damaged, the memory is faulty, or the boot medium was lost.',
    check: 'read the lines with `I/O error` above it; compare the checksum of the image',
    fix: 'write or download the image again; test the memory; attach the virtual medium again',
    isResult: true,
  },
  'installer-running': {
    short: 'coreos-installer, which runs in place of the agent',
    text: 'The live system runs coreos-installer, which installs CoreOS on a disk and does not start the agent.',
    check:
      'run `ironic-coreos iso kargs show IMAGE` (`coreos.inst.install_dev`) and `ironic-coreos inspect IMAGE` (installer config)',
    fix: 'remove the installer config and the arguments: `iso reset IMAGE` and `iso kargs modify -d coreos.inst.install_dev=DEVICE`',
  },
  'kernel-panic': {
    short: 'a kernel panic',
    text: 'The kernel stops with a panic, and the console shows its reason.',
    check: 'read the lines before `Kernel panic - not syncing` on the console',
    fix: 'use another CoreOS release, or update the firmware; test the memory',
    isResult: true,
  },
  'kernel-arguments': {
    short: 'the kernel arguments',
    text: 'Kernel arguments are missing or invalid: `ignition.firstboot`, `ignition.platform.id=metal`, or the URLs of the root filesystem and the config.',
    check: 'compare `cat /proc/cmdline` in the emergency shell with the output of `ironic-coreos pxe kargs`',
    fix: 'use the output of `ironic-coreos pxe kargs --format ironic`, or the boot scripts of `prepare` and `serve`; in Ironic, set `[pxe] kernel_append_params`, or `kernel_append_params` of the node',
    after: ['kernel', 'initramfs', 'rootfs'],
    boots: ['network'],
    frequency: 'common',
    isRefuted: (host) => host.milestones.has('rootfs') && hasFetchedConfig(host),
  },
  'initramfs-network': {
    short: 'the network of the initramfs',
    text: 'The initramfs has no network: no DHCP on its interface, a VLAN or a static address that is not configured, or it waits for another interface.',
    check: 'read the console; in the emergency shell, run `ip address` and `journalctl -u nm-initrd`',
    fix: 'set `pxe kargs --ip` or `boot.ip` in the inventory (`dhcp`, `dhcp6` or a static address); for VLANs and bonds, use `iso network embed` or `pxe network wrap`',
    after: ['kernel', 'initramfs', 'image'],
    boots: ['network', 'minimal-iso'],
    frequency: 'common',
  },
  'rootfs-not-fetched': {
    short: 'the URL of the root filesystem',
    text: 'The machine cannot connect to the server of the root filesystem: another address in `coreos.live.rootfs_url`, a closed port, or no route.',
    check:
      'in the emergency shell, run `journalctl -u coreos-livepxe-rootfs`; run `curl -I URL` in the network of the machine',
    fix: 'set `pxe kargs --rootfs-url` or `--base-url`; for ISOs, `iso extract minimal-iso --rootfs-url`; use only `http` or `https`',
    after: ['initramfs', 'config', 'image'],
    boots: ['network', 'minimal-iso'],
    frequency: 'common',
    isRefuted: ({ milestones }) => milestones.has('rootfs'),
    evidenceIf: (host) =>
      host.milestones.has('script') &&
      hasFetchedConfig(host) &&
      !host.milestones.has('rootfs') &&
      !hasCalledIronic(host),
    contradictedBy: ['rootfs'],
  },
  'rootfs-dns': {
    short: 'name resolution for the root filesystem',
    text: 'The machine cannot resolve the host name in `coreos.live.rootfs_url`.',
    check: 'in the emergency shell, run `cat /etc/resolv.conf`; run `dig NAME` in the network of the machine',
    fix: 'use an IP address in `pxe kargs --rootfs-url` or `--base-url`, or set a DNS server in DHCP or with `pxe kargs --ip`',
    boots: ['network', 'minimal-iso'],
    contradictedBy: ['rootfs'],
  },
  'rootfs-timeout': {
    short: 'a server of the root filesystem that does not answer',
    text: 'The server of the root filesystem did not answer in time: a firewall drops the packets, or the route back is missing.',
    check: 'run `curl -I URL` in the network of the machine; run `tcpdump` on the server',
    fix: 'open the port in the firewall; use an address of the server in the network of the machine',
    boots: ['network', 'minimal-iso'],
    contradictedBy: ['rootfs'],
  },
  'rootfs-tls': {
    short: 'TLS for the root filesystem',
    text: 'The TLS connection to the server of the root filesystem failed: the port does not use TLS, or they have no version in common.',
    check: 'run `openssl s_client -connect SERVER`',
    fix: 'use `http://` in `pxe kargs --rootfs-url`: the hash in the initramfs protects the file',
    boots: ['network', 'minimal-iso'],
    contradictedBy: ['rootfs'],
  },
  'rootfs-not-found': {
    short: 'a missing root filesystem',
    text: 'The server does not have the file of the root filesystem.',
    check: 'run `curl -I` with `coreos.live.rootfs_url` of `cat /proc/cmdline`',
    fix: 'run `prepare` again, or correct `pxe kargs --rootfs-url` or `--base-url`',
    boots: ['network', 'minimal-iso'],
    contradictedBy: ['rootfs'],
  },
  'rootfs-denied': {
    short: 'access to the root filesystem',
    text: 'The server refuses access to the root filesystem.',
    check: 'run `curl -I` with `coreos.live.rootfs_url` of `cat /proc/cmdline`; read the log of the server',
    fix: 'use the complete URL with its token; allow the network of the machines on the server',
    boots: ['network', 'minimal-iso'],
    contradictedBy: ['rootfs'],
  },
  'rootfs-server-error': {
    short: 'an error of the server of the root filesystem',
    text: 'The server of the root filesystem answers with a server error.',
    check: 'read the log of the server at the time of the request',
    fix: 'fix the error in that log',
    boots: ['network', 'minimal-iso'],
    contradictedBy: ['rootfs'],
  },
  'rootfs-transfer': {
    short: 'an interrupted transfer of the root filesystem',
    text: 'The transfer of the root filesystem ended before the file was complete.',
    check: 'read the log of the image server (`client disconnected`, `aborted`) and the number of bytes sent',
    fix: 'fix the network, or the proxy that ends the connection; then restart the machine',
    boots: ['network', 'minimal-iso'],
    contradictedBy: ['rootfs'],
  },
  'rootfs-scheme': {
    short: 'the URL of the root filesystem',
    text: 'The initramfs does not support the URL in `coreos.live.rootfs_url`: it must begin with `http:`, `https:` or `tftp:`.',
    check: 'read `cat /proc/cmdline` in the emergency shell',
    fix: 'use `http://` or `https://` in `pxe kargs --rootfs-url`',
    boots: ['network', 'minimal-iso'],
    contradictedBy: ['rootfs'],
  },
  'rootfs-missing': {
    short: 'a root filesystem that was not loaded',
    text: 'The initramfs has no root filesystem: it was not appended, and `coreos.live.rootfs_url` is missing.',
    check: 'run `cat /proc/cmdline` in the emergency shell; read the boot script',
    fix: 'set `pxe kargs --rootfs-url`, or load the root filesystem as second initramfs',
    boots: ['network', 'minimal-iso'],
    contradictedBy: ['rootfs'],
  },
  'rootfs-mismatch': {
    short: 'a root filesystem of another build',
    text: 'The root filesystem is not the one that the initramfs requires: it is of another build, or was modified.',
    check:
      "in the emergency shell, look for `Couldn't fetch, verify, and unpack` in `journalctl -u coreos-livepxe-rootfs`",
    fix: 'use kernel, initramfs and root filesystem of the same release: `prepare --iso` and `serve --iso` take all three from the ISO',
    after: ['rootfs'],
    boots: ['network', 'minimal-iso'],
  },
  'no-config': {
    short: 'a missing config',
    text: 'The machine gets no config: no `ignition.config.url`, no config in or after the initramfs, and no config in the ISO.',
    check:
      'run `ironic-coreos inspect IMAGE` to see what the image contains; run `cat /proc/cmdline` in the emergency shell',
    fix: 'set `pxe kargs --ignition-url`, or `--embedded` if the initramfs contains the config; for ISOs, use `iso ignition embed`',
    after: ['rootfs', 'initramfs', 'live system'],
    boots: ['network'],
    frequency: 'common',
    isRefuted: hasFetchedConfig,
    proof: proofBy('preflight', [], ({ problem }) => problem.kind === 'no-config'),
    contradictedBy: ['config'],
  },
  'config-not-fetched': {
    short: 'the URL of the config',
    text: 'Ignition cannot connect to the server of the config: another address, a closed port, or no route.',
    check:
      'look for repeated `GET URL: attempt #N` on the console; in the emergency shell, run `journalctl -u ignition-fetch`',
    fix: 'use an IP address instead of a name in `pxe kargs --ignition-url`; or make the boot loader fetch the config: `--artifacts archive` or `initramfs`',
    after: ['rootfs', 'initramfs'],
    boots: ['network'],
    frequency: 'common',
    isRefuted: hasFetchedConfig,
    evidenceIf: (host) =>
      host.milestones.has('script') &&
      host.milestones.has('rootfs') &&
      lacksConfig(host) &&
      !hasCalledIronic(host),
    contradictedBy: ['config'],
  },
  'config-dns': {
    short: 'name resolution for the config',
    text: 'Ignition cannot resolve the host name in the URL of the config.',
    check: 'in the emergency shell, run `cat /etc/resolv.conf`; run `dig NAME` in the network of the machine',
    fix: 'use an IP address in `pxe kargs --ignition-url`, or set a DNS server in DHCP or with `pxe kargs --ip`',
    contradictedBy: ['config'],
  },
  'config-timeout': {
    short: 'a config server that does not answer',
    text: 'The server of the config did not answer in time: a firewall drops the packets, or the route back is missing.',
    check: 'run `curl -I URL` in the network of the machine; run `tcpdump` on the server',
    fix: 'open the port in the firewall; or make the boot loader fetch the config: `--artifacts archive` or `initramfs`',
    contradictedBy: ['config'],
  },
  'config-tls': {
    short: 'TLS for the config',
    text: 'The TLS connection of Ignition to the server of the config failed: it does not trust the certificate, or the port does not use TLS.',
    check: 'run `openssl s_client -connect SERVER -showcerts`',
    fix: 'use `http://` in a separate network, or `--artifacts archive` or `initramfs`: a certificate authority in the config does not apply to the config itself',
    contradictedBy: ['config'],
  },
  'config-not-found': {
    short: 'a missing config',
    text: 'The server does not have the config, or a file that it refers to, at its URL.',
    check: 'run `curl -I` with `ignition.config.url` of `cat /proc/cmdline`',
    fix: 'run `prepare` again, or correct `pxe kargs --ignition-url`',
    contradictedBy: ['config'],
  },
  'config-denied': {
    short: 'access to the config',
    text: 'The server refuses access to the config.',
    check: 'run `curl -I` with `ignition.config.url` of `cat /proc/cmdline`; read the log of the server',
    fix: 'use the complete URL with its token; allow the network of the machines on the server',
    contradictedBy: ['config'],
  },
  'config-server-error': {
    short: 'an error of the config server',
    text: 'The server of the config answers with a server error.',
    check: 'read the log of the server at the time of the request',
    fix: 'fix the error in that log; Ignition repeats the request',
    contradictedBy: ['config'],
  },
  'ignition-config': {
    short: 'an invalid config',
    text: 'Ignition refuses the config: it is invalid, or its version is newer than the Ignition of the image.',
    check:
      'run `ironic-coreos validate FILE` with the config or the image; in the emergency shell, run `journalctl -t ignition`',
    fix: 'fix the line that `validate` reports; `render` validates its configs before it writes them',
  },
  'ignition-kargs': {
    short: 'kernel arguments in the config',
    text: 'Ignition failed in its stage kargs: a live system cannot apply `kernelArguments`.',
    check: 'run `ironic-coreos validate FILE` with the config or the image',
    fix: 'remove `kernelArguments` from the config; set them with `iso kargs modify` or `pxe kargs`',
  },
  'ignition-disks': {
    short: 'disks in the config',
    text: 'Ignition failed in its stage disks: it cannot create the partitions, RAID devices or file systems of the config.',
    check: 'read the line with `disks:` on the console; run `lsblk` in the emergency shell',
    fix: 'remove `disks`, `raid`, `luks` and `filesystems` from the config of the live system; Ironic prepares the disks',
  },
  'ignition-mount': {
    short: 'file systems in the config',
    text: 'Ignition failed in its stage mount: it cannot mount a file system of the config.',
    check: 'read the line with `mount:` on the console',
    fix: 'remove `filesystems` with a `path` from the config of the live system',
  },
  'ignition-files': {
    short: 'files in the config',
    text: 'Ignition failed in its stage files: it cannot write a file, user or unit of the config.',
    check: 'read the line with `files:` on the console; run `ironic-coreos validate FILE`',
    fix: 'write below `/etc` and `/var` only; set `overwrite: true` for files that the image has; correct the URL or hash of the file',
  },
  'ignition-users': {
    short: 'users and groups in the config',
    text: 'Ignition failed at a user or group of the config: the image does not have its name, or already has its ID.',
    check: 'read the name in the line; run `ironic-coreos validate FILE` with the config',
    fix: 'add the group to `passwd.groups` or the user to `passwd.users` of the config, or use a name that the image has; do not set IDs',
  },
  'ignition-failed': {
    short: 'Ignition',
    text: 'Ignition failed: its lines on the console name the stage and the reason; the machine waits in an emergency shell.',
    check:
      'run `ironic-coreos validate FILE` with the config or the image; in the emergency shell, run `journalctl -t ignition`',
    fix: 'fix the line that `validate` reports; `render` validates its configs before it writes them',
    after: ['config', 'rootfs', 'image', 'agent archive'],
    frequency: 'very common',
    isResult: true,
    isRefuted: lacksConfig,
  },
  'agent-archive': {
    short: 'the agent archive',
    text: 'The machine cannot load the agent archive: it is missing, is not the one that the config was rendered for, or does not fit into memory.',
    check:
      'run `journalctl -b -u ironic-agent-image` on the machine; run `ironic-coreos inspect IMAGE` to verify the archive in an image',
    fix: 'embed the archive of `--agent-archive` (`iso ignition embed --iso-file`), or serve it at the URL of `--archive-url`',
    after: ['config', 'rootfs', 'image', 'agent archive', 'live system'],
    isRefuted: lacksConfig,
  },
  'console-silent': {
    short: 'an invisible boot',
    text: 'The boot stops, and the console shows nothing: kernel messages go to another console.',
    check:
      'watch the other consoles of the machine: the serial console (`ipmitool sol activate` or the BMC), and the screen',
    fix: 'use `pxe kargs --console ttyS0,115200n8` or `iso kargs modify -a console=ttyS0,115200n8`; to log in, use `render --console ttyS0,115200n8 --autologin`',
    after: ['loader', ...inInitramfs],
  },
});

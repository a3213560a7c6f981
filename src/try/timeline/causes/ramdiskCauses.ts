/** Causes while the live system starts: memory, kernel arguments, the network of the initramfs, Ignition. */

import type { Stage } from '../stages.ts';
import { type Cause, hasFetchedConfig, hasCalled, lacksConfig } from './cause.ts';

const inInitramfs: readonly Stage[] = ['kernel', 'initramfs', 'config', 'rootfs'];

export const ramdiskCauses: readonly Cause[] = [
  {
    id: 'no-memory',
    short: 'too little memory',
    text: 'The machine has too little memory for the live system: with network boot the root filesystem stays in memory, and the container image comes on top.',
    check:
      'the console (`No space left on device`, `Out of memory`, `write error`); `ironic-coreos inspect IMAGE` and `prepare` say what is needed',
    fix: 'more memory (6 GiB are advised where the container image is pulled), or the full ISO instead of network boot',
    after: ['image', 'kernel', 'initramfs', 'config', 'rootfs', 'agent image'],
  },
  {
    id: 'kernel-arguments',
    short: 'the kernel arguments',
    text: 'Kernel arguments are missing or wrong: `ignition.firstboot`, `ignition.platform.id=metal`, the URLs of root filesystem and config.',
    check: '`cat /proc/cmdline` in the emergency shell, beside what `ironic-coreos pxe kargs` writes',
    fix: 'take the line of `ironic-coreos pxe kargs --format ironic`, or the boot scripts of `prepare` and `serve`; in Ironic, `[pxe] kernel_append_params` or `kernel_append_params` of the node',
    after: ['kernel', 'initramfs', 'rootfs'],
    boots: ['network'],
    usual: 'often',
    isRefuted: (host) => host.milestones.has('rootfs') && hasFetchedConfig(host),
  },
  {
    id: 'initramfs-network',
    short: 'the network of the initramfs',
    text: 'The initramfs has no network: no DHCP on its interface, a VLAN or a static address that nothing tells it, or it waits on another interface.',
    check: 'the console; in the emergency shell `ip address` and `journalctl -u nm-initrd`',
    fix: '`pxe kargs --ip` or `boot.ip` of the inventory (`dhcp`, `dhcp6`, or a static one); `iso network embed`, `pxe network wrap` for VLANs and bonds',
    after: ['kernel', 'initramfs', 'image'],
    boots: ['network', 'minimal-iso'],
    usual: 'often',
  },
  {
    id: 'rootfs-not-fetched',
    short: 'the URL of the root filesystem',
    text: 'The root filesystem is not fetched: `coreos.live.rootfs_url` is missing, or leads where the machine does not get.',
    check:
      'in the emergency shell `journalctl -u coreos-livepxe-rootfs`; `curl -I URL` from the network of the machine',
    fix: '`pxe kargs --rootfs-url` or `--base-url`; for ISOs `iso extract minimal-iso --rootfs-url`; `http` and `https` only',
    after: ['initramfs', 'config', 'image'],
    boots: ['network', 'minimal-iso'],
    usual: 'often',
    isRefuted: ({ milestones }) => milestones.has('rootfs'),
    sign: (host) =>
      host.milestones.has('script') &&
      hasFetchedConfig(host) &&
      !host.milestones.has('rootfs') &&
      !hasCalled(host),
  },
  {
    id: 'rootfs-mismatch',
    short: 'a root filesystem of another build',
    text: 'The root filesystem was fetched and refused: it is of another build than the initramfs, or was changed on the way.',
    check:
      "in the emergency shell `journalctl -u coreos-livepxe-rootfs` (`Couldn't fetch, verify, and unpack`)",
    fix: 'take kernel, initramfs and root filesystem of one release: `prepare --iso` and `serve --iso` take all three from the ISO',
    after: ['rootfs'],
    boots: ['network', 'minimal-iso'],
  },
  {
    id: 'no-config',
    short: 'a boot without a config',
    text: 'Nothing gives the machine its config: no `ignition.config.url`, no config in the initramfs or behind it, none in the ISO.',
    check: '`ironic-coreos inspect IMAGE` says what it holds; `cat /proc/cmdline` in the emergency shell',
    fix: '`pxe kargs --ignition-url`, or `--embedded` with an initramfs that holds the config; `iso ignition embed` for ISOs',
    after: ['rootfs', 'initramfs'],
    boots: ['network'],
    usual: 'often',
    isRefuted: hasFetchedConfig,
    proof: {
      isSaidBy: (event) => event.kind === 'preflight' && event.problem.kind === 'no-config',
      solvedBy: [],
    },
  },
  {
    id: 'config-not-fetched',
    short: 'the URL of the config',
    text: 'Ignition does not get the config: another address, no name service, or HTTPS with an authority that the initramfs does not know.',
    check:
      'the console, which repeats `GET URL: attempt #N`; in the emergency shell `journalctl -u ignition-fetch`',
    fix: 'an address instead of a name in `pxe kargs --ignition-url`; or let the boot loader bring the config: `--artifacts archive`, or `initramfs`',
    after: ['rootfs', 'initramfs'],
    boots: ['network'],
    usual: 'often',
    isRefuted: hasFetchedConfig,
    sign: (host) =>
      host.milestones.has('script') && host.milestones.has('rootfs') && lacksConfig(host) && !hasCalled(host),
  },
  {
    id: 'ignition-failed',
    short: 'Ignition',
    text: 'Ignition refuses the config, or cannot do what it says; the machine waits in an emergency shell.',
    check:
      '`ironic-coreos validate FILE` with the config or the image; in the emergency shell `journalctl -t ignition`',
    fix: 'what `validate` says at the place where it says it; `render` checks its configs before it writes them',
    after: ['config', 'rootfs', 'image', 'agent image'],
    usual: 'most',
    isRefuted: lacksConfig,
  },
  {
    id: 'agent-archive',
    short: 'the archive with the container image',
    text: 'The archive with the container image is not there, is another one than the config was made for, or does not fit into memory.',
    check:
      '`journalctl -b -u ironic-agent-image`; `ironic-coreos inspect IMAGE` checks the archive on a medium',
    fix: 'embed the archive that `--agent-archive` named (`iso ignition embed --iso-file`), or serve it where `--archive-url` says',
    after: ['config', 'rootfs', 'image', 'agent image'],
    isRefuted: lacksConfig,
  },
  {
    id: 'console-silent',
    short: 'a boot that nobody sees',
    text: 'It hangs somewhere on the way, and the console shows nothing: kernel messages go to another console.',
    check:
      'the other consoles of the machine: the serial line by `ipmitool sol activate` or the BMC, and the screen',
    fix: '`pxe kargs --console ttyS0,115200n8`, or `iso kargs modify -a console=ttyS0,115200n8`, and `render --console ttyS0,115200n8 --autologin` to look around',
    after: inInitramfs,
  },
];

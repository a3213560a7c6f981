/**
 * Causes before the operating system runs (power, boot device, firmware, boot loader), and while the live system starts
 * (memory, kernel arguments, the network of the initramfs, Ignition).
 */

import { isBrokenOff, isWhole, type Stage } from '../stages.ts';
import type { HostTimeline } from '../timeline.ts';
import { type Cause, entriesOf, hasCalled, hasFetchedConfig, lacksConfig } from './cause.ts';

/** Bytes that a BMC, or firmware that only looks for something to boot, reads of an ISO. */
const firstLook = 4 * 1024 * 1024;

export const bootCauses: readonly Cause[] = [
  {
    id: 'boot-order',
    short: 'the power or the boot order',
    text: 'The machine is off, or starts from its disk: the boot device was not set, or only for a boot that is over.',
    check:
      'the console while it starts; `baremetal node show NODE` (power_state, last_error); the boot order on the page of the BMC',
    fix: 'set virtual CD or network as the next boot device, for UEFI where the firmware is in UEFI mode, and start the machine again',
    after: ['expected', 'image'],
    usual: 'most',
    isRefuted: (host) => hasReadImage(host) || host.milestones.has('power'),
    evidenceIf: (host) => host.stage === 'image' && !hasReadImage(host),
  },
  {
    id: 'medium-not-attached',
    short: 'the virtual medium',
    text: 'The BMC has no medium attached: it does not reach the URL of the image, or does not trust its certificate.',
    check: '`curl -I URL` from the network of the BMCs; what the BMC says of its virtual media',
    fix: 'serve on an address that BMCs reach, not on 127.0.0.1 (`serve --listen :8084 --public-url http://ADDRESS:8084`, `try --serve-listen`); plain HTTP on a network of their own where they take no certificate',
    after: ['expected'],
    boots: ['iso', 'minimal-iso'],
    usual: 'often',
  },
  {
    id: 'dhcp-no-boot-file',
    short: 'DHCP without a boot file',
    text: 'DHCP does not answer on this network, or names no boot server and file (next-server, filename).',
    check:
      'the console (`PXE-E51`, `PXE-E53`, `PXE-E16` stand for no offer and no boot file); `tcpdump -ni INTERFACE port 67 or port 69` on the DHCP server',
    fix: 'take over `dnsmasq.conf`, which `prepare` and `serve` make, or its options; between networks, a DHCP relay',
    after: ['expected'],
    boots: ['network'],
    usual: 'often',
  },
  {
    id: 'loader-no-http',
    short: 'the way from the boot loader to the images',
    text: 'The boot loader came by TFTP, but does not reach the port of the images: a firewall, or DHCP names another address.',
    check:
      '`curl -I URL` of `boot.ipxe` from the network of the machine; the console, which shows the URL that failed',
    fix: 'open the port of the images (8084), and give DHCP the URL that `serve` and `try` print as `# ipxe`',
    after: ['expected'],
    boots: ['network'],
  },
  {
    id: 'secure-boot',
    short: 'secure boot',
    text: 'Secure boot refuses what it is given: an iPXE that is not signed, or an ISO of another ramdisk.',
    check: 'the console (`Security Violation`, `Access Denied`), or the event log of the firmware',
    fix: 'switch secure boot off, or start what is signed: the live ISO of CoreOS, or its GRUB with `prepare --artifacts grub`',
    after: ['expected', 'image', 'script', 'kernel'],
  },
  {
    id: 'wrong-architecture',
    short: 'an image for another architecture',
    text: 'The image is for another architecture than the machine, or boots by UEFI only and the firmware is in BIOS mode.',
    check: '`ironic-coreos inspect IMAGE` says for what it is and how it boots',
    fix: 'name the `architecture` of the host in the inventory, and give the image for it: `--iso aarch64=FILE`',
    after: ['image', 'script', 'kernel', 'initramfs'],
  },
  {
    id: 'other-ironic',
    short: 'the Ironic that the config names',
    text: 'The config in the image names another Ironic than this one, so its agent would not call here.',
    check: '`ironic-coreos inspect IMAGE` shows which Ironic the config names',
    fix: '`try --listen` and `--tls` with the port and the scheme that the config names; or `render --api-url` with the address of this Ironic',
    proof: {
      isSaidBy: (event) => event.kind === 'preflight' && event.problem.kind === 'other-ironic',
      solvedBy: [],
    },
  },
  {
    id: 'machine-ended',
    short: 'the emulated machine',
    text: 'The emulated machine did not start, or ended before its agent was home.',
    check: 'its console, and what QEMU says',
    fix: 'more memory, the other firmware, or an image for its architecture; `ironic-coreos inspect IMAGE` says what it needs',
    proof: {
      isSaidBy: (event) =>
        event.kind === 'machine' && (event.state === 'failed' || event.state === 'powered off'),
      solvedBy: ['power'],
    },
  },
  {
    id: 'boot-loop',
    short: 'a boot that starts over and over',
    text: 'The machine starts anew each time before the agent calls: it has fetched the same files again.',
    check:
      'the last lines on the console before it restarts; `baremetal node show NODE` (last_error) where Ironic restarts it',
    fix: 'what the console says last belongs to one of the other causes; keep Ironic from restarting it: `baremetal node maintenance set NODE`',
    evidenceIf: (host) => {
      const again = entriesOf(host, 'fetch').some(
        ({ event, repeats }) => repeats > 0 && !event.artifact.endsWith('iso'),
      );
      return again && !hasCalled(host);
    },
  },
  {
    id: 'transfer-broken',
    short: 'a transfer that broke off',
    text: 'What the machine fetched last did not arrive as a whole: the network between, or a restart in the middle.',
    check: 'the log of the image service (`client disconnected`, `aborted`, `failed`) and how many bytes had arrived',
    fix: 'look at the network; `serve --idle-timeout` with a longer time for slow BMCs; `--artifacts minimal-iso` has BMCs read less',
    evidenceIf: (host) => {
      const last = entriesOf(host, 'fetch')
        .toSorted((a, b) => a.last.getTime() - b.last.getTime())
        .at(-1);
      return last !== undefined && isBrokenOff(last.event) && !hasCalled(host);
    },
  },
  {
    id: 'kernel-url',
    short: 'the URL of the kernel',
    text: 'The boot loader has its script, but not the kernel: the URLs in the script lead elsewhere.',
    check:
      'the URL on the console; `curl` the script, and `curl -I` what it names, from the network of the machine',
    fix: '`serve --public-url` or `prepare --base-url` with an address that machines reach',
    after: ['script'],
    usual: 'often',
  },
];

/** More than whoever only looks. */
function hasReadImage(host: HostTimeline): boolean {
  return entriesOf(host, 'fetch').some(
    ({ event }) => event.artifact.endsWith('iso') && (event.bytes > firstLook || isWhole(event)),
  );
}

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
    evidenceIf: (host) =>
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
    evidenceIf: (host) =>
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

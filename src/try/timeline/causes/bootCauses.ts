/**
 * Causes before the operating system runs (power, boot device, firmware, boot loader), and while the live system starts
 * (memory, kernel arguments, the network of the initramfs, Ignition).
 */

import { byLastEvent, isInterrupted, isFullyFetched, type Stage } from '../stages.ts';
import type { HostTimeline } from '../timeline.ts';
import { causesOf, entriesOf, hasCalledIronic, hasFetchedConfig, lacksConfig, proofBy } from './cause.ts';

/** Bytes that a BMC, or firmware in search of a boot device, reads from an ISO. */
const probeSize = 4 * 1024 * 1024;

export const bootCauses = causesOf({
  'boot-order': {
    short: 'the power or the boot order',
    text: 'The machine is off, or it boots from its disk: the boot device is not set, or was set for an earlier boot only.',
    check:
      'watch the console during boot; run `baremetal node show NODE` (power_state, last_error); check the boot order in the BMC',
    fix: 'set virtual CD or network as the next boot device (in UEFI mode, for UEFI), and restart the machine',
    after: ['none', 'image'],
    frequency: 'very common',
    isRefuted: (host) => hasReadImage(host) || host.milestones.has('power'),
    evidenceIf: (host) => host.stage === 'image' && !hasReadImage(host),
  },
  'medium-not-attached': {
    short: 'the virtual media',
    text: 'The BMC has no virtual media attached: it cannot reach the URL of the image, or does not trust its certificate.',
    check: 'run `curl -I URL` in the network of the BMCs; check the virtual media status in the BMC',
    fix: 'serve on an address that BMCs can reach, not on 127.0.0.1 (`serve --listen :8084 --public-url http://ADDRESS:8084`, `try --serve-listen`); if BMCs accept no certificate, use plain HTTP in a separate network',
    after: ['none'],
    boots: ['iso', 'minimal-iso'],
    frequency: 'common',
  },
  'bmc-refused': {
    short: 'the BMC',
    text: 'The BMC refused a step of the boot or did not answer, so the machine was not booted.',
    check: 'run `ironic-coreos boot --check` with the same options',
    fix: 'fix the reason in the report; a missing license, an account without the role Administrator and outdated firmware are the most common ones',
    proof: proofBy('bmc', ['image'], ({ step }) => step === 'failed'),
  },
  'bmc-not-fetched': {
    short: 'the connection from the BMC to the image',
    text: 'The BMC accepted the URL of the image but did not fetch it: it cannot reach the address, or does not trust the certificate of the server.',
    check:
      'run `curl -I URL` in the network of the BMCs; read the event log and the virtual media status in the BMC',
    fix: 'use an address that the BMC can reach (`boot --serve-listen :8084 --public-url http://ADDRESS:8084`), and open the port in the firewall',
    after: ['boot device', 'power'],
    frequency: 'very common',
    isRefuted: (host) => !host.milestones.has('boot device'),
  },
  'bmc-boot-device': {
    short: 'the firmware, which ignored the boot device',
    text: 'The machine is on but did not boot from the image: the firmware ignored the boot device, or is still in POST.',
    check: 'watch the console during boot; read the boot order and the boot mode in the firmware',
    fix: 'set the boot mode UEFI in the firmware, update the firmware of the BMC, or use the other method: `boot --method uefi-http`',
    after: ['power', 'image'],
    frequency: 'common',
    isRefuted: (host) => !host.milestones.has('boot device') || hasReadImage(host),
  },
  'dhcp-no-boot-file': {
    short: 'DHCP without a boot file',
    text: 'DHCP does not answer in this network, or sets no boot server and boot file (next-server, filename).',
    check:
      'look for `PXE-E51`, `PXE-E16` (no DHCP offer) or `PXE-E53` (no boot file) on the console; run `tcpdump -ni INTERFACE port 67 or port 69` on the DHCP server',
    fix: 'use the `dnsmasq.conf` that `prepare` and `serve` create, or copy its options; between networks, use a DHCP relay',
    after: ['none'],
    boots: ['network'],
    frequency: 'common',
  },
  'loader-no-http': {
    short: 'the connection from the boot loader to the images',
    text: 'The boot loader came by TFTP but cannot reach the port of the images: a firewall, or DHCP sets another address.',
    check:
      'run `curl -I URL` with the URL of `boot.ipxe` in the network of the machine; read the failed URL on the console',
    fix: 'open the port of the images (8084), and set the URL that `serve` and `try` print as `# ipxe` in DHCP',
    after: ['none'],
    boots: ['network'],
  },
  'secure-boot': {
    short: 'Secure Boot',
    text: 'Secure Boot refuses the boot loader or the image: an unsigned iPXE, or the ISO of another ramdisk.',
    check:
      'look for `Security Violation` or `Access Denied` on the console, or read the event log of the firmware',
    fix: 'disable Secure Boot, or boot signed software: the live ISO of CoreOS, or its GRUB (`prepare --artifacts grub`)',
    after: ['none', 'image', 'script', 'kernel'],
  },
  'architecture-mismatch': {
    short: 'an image for another architecture',
    text: 'The image and the machine have different architectures, or the image boots only with UEFI and the firmware is in BIOS mode.',
    check: 'run `ironic-coreos inspect IMAGE` to see the architecture and the boot modes of the image',
    fix: 'set the `architecture` of the host in the inventory, and pass the image for it: `--iso aarch64=FILE`',
    after: ['image', 'script', 'kernel', 'initramfs'],
  },
  'other-ironic': {
    short: 'the Ironic URL in the config',
    text: 'The config in the image contains the URL of another Ironic, so its agent would not call the mock Ironic.',
    check: 'run `ironic-coreos inspect IMAGE` to see the Ironic URL in the config',
    fix: 'use `try --listen` and `--tls` with the port and the scheme of that URL; or render the config with `render --api-url` and the address of the mock Ironic',
    proof: proofBy('preflight', [], ({ problem }) => problem.kind === 'other-ironic'),
  },
  'machine-ended': {
    short: 'the emulated machine',
    text: 'The emulated machine did not start, or ended before its agent called home.',
    check: 'read its console and the error of QEMU',
    fix: 'use more memory, the other firmware, or an image for its architecture; run `ironic-coreos inspect IMAGE` to see its requirements',
    proof: proofBy('machine', ['power'], ({ state }) => state === 'failed' || state === 'powered off'),
  },
  'boot-loop': {
    short: 'a boot loop',
    text: 'The machine restarts before the agent calls Ironic: it fetched the same files again.',
    check:
      'read the last lines on the console before the restart; if Ironic restarts it, run `baremetal node show NODE` (last_error)',
    fix: 'find the other cause that matches the last console line; keep Ironic from restarting the machine: `baremetal node maintenance set NODE`',
    evidenceIf: (host) => {
      const again = entriesOf(host, 'fetch').some(
        ({ event, repeats }) => repeats > 0 && !event.artifact.endsWith('iso'),
      );
      return again && !hasCalledIronic(host);
    },
  },
  'transfer-broken': {
    short: 'an incomplete transfer',
    text: 'The last file that the machine fetched is incomplete: a network problem, or a restart during the transfer.',
    check:
      'read the log of the image server (`client disconnected`, `aborted`, `failed`) and the number of bytes sent',
    fix: 'fix the network; for slow BMCs, set a longer time with `serve --idle-timeout`; `--artifacts minimal-iso` reduces the data that BMCs read',
    evidenceIf: (host) => {
      const last = entriesOf(host, 'fetch').toSorted(byLastEvent).at(-1);
      return last !== undefined && isInterrupted(last.event) && !hasCalledIronic(host);
    },
  },
  'kernel-url': {
    short: 'the URL of the kernel',
    text: 'The boot loader fetched its script but not the kernel: the URLs in the script are not reachable from the machine.',
    check:
      'read the URL on the console; in the network of the machine, run `curl` with the script and `curl -I` with the URLs in it',
    fix: 'in `serve --public-url` or `prepare --base-url`, use an address that machines can reach',
    after: ['script'],
    frequency: 'common',
  },
});

/** Whether the machine has read more of the ISO than a probe does. */
function hasReadImage(host: HostTimeline): boolean {
  return entriesOf(host, 'fetch').some(
    ({ event }) => event.artifact.endsWith('iso') && (event.bytes > probeSize || isFullyFetched(event)),
  );
}

const inInitramfs: readonly Stage[] = ['kernel', 'initramfs', 'config', 'rootfs'];

export const ramdiskCauses = causesOf({
  'no-memory': {
    short: 'too little memory',
    text: 'The machine has too little memory for the live system: with network boot, memory contains the root filesystem and the agent container image.',
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
  'kernel-panic': {
    short: 'a kernel panic',
    text: 'The kernel stops with a panic, and the console shows its reason.',
    check: 'read the lines before `Kernel panic - not syncing` on the console',
    fix: 'for `Unable to mount root fs`, make the boot loader load the initramfs; otherwise use another CoreOS release, or update the firmware',
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
    text: 'The machine cannot fetch the root filesystem: `coreos.live.rootfs_url` is missing, or its URL is unreachable.',
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
  },
  'rootfs-mismatch': {
    short: 'a root filesystem of another build',
    text: 'The machine fetched and refused the root filesystem: its build differs from that of the initramfs, or it was modified.',
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
  },
  'config-not-fetched': {
    short: 'the URL of the config',
    text: 'Ignition cannot fetch the config: incorrect address, no DNS, or HTTPS with a certificate authority that the initramfs does not trust.',
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
  },
  'ignition-failed': {
    short: 'Ignition',
    text: 'Ignition failed: it does not accept the config, or cannot apply it; the machine waits in an emergency shell.',
    check:
      'run `ironic-coreos validate FILE` with the config or the image; in the emergency shell, run `journalctl -t ignition`',
    fix: 'fix the line that `validate` reports; `render` validates its configs before it writes them',
    after: ['config', 'rootfs', 'image', 'agent archive'],
    frequency: 'very common',
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
    after: inInitramfs,
  },
});

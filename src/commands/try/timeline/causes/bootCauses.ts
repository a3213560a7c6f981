/** Causes before the operating system runs: power, boot device, firmware, boot loader. */

import { byLastEvent, isInterrupted, isFullyFetched } from '../stages.ts';
import type { HostTimeline } from '../timeline.ts';
import { causesOf, entriesOf, hasCalledIronic, proofBy } from './cause.ts';

/** Bytes that a BMC, or firmware in search of a boot device, reads from an ISO. */
const PROBE_SIZE = 4 * 1024 * 1024;

export const bootCauses = causesOf({
  'power-off': {
    short: 'the power',
    text: 'The machine is off: nothing of it was observed.',
    check: 'run `baremetal node show NODE` (power_state, last_error); read the power state in the BMC',
    fix: 'start the machine; if Ironic does not start it, fix the error in `last_error`',
    after: ['none'],
    frequency: 'very common',
    isRefuted: (host) => host.milestones.has('power') || entriesOf(host, 'console').length > 0,
  },
  'boot-order': {
    short: 'the boot order',
    text: 'The machine boots from its disk: the boot device is not set, or was set for an earlier boot only.',
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
    after: ['none', 'loader'],
    boots: ['iso', 'minimal-iso'],
    frequency: 'common',
    isRefuted: hasReadImage,
  },
  'bmc-refused': {
    short: 'the BMC',
    text: 'The BMC refused a step of the boot or did not answer, so the machine was not booted.',
    check:
      'read the reason in the line, and the event log of the BMC; run `boot --verbose` to see all requests',
    fix: 'fix the reason in the line; a missing license, an account without the role Administrator and outdated firmware are the most common ones',
    proof: proofBy('bmc', ['image'], ({ reason, step }) => step === 'failed' && reason !== 'image'),
  },
  'bmc-not-fetched': {
    short: 'the connection from the BMC to the image',
    text: 'The BMC has the URL of the image but did not fetch it: it cannot reach the address, or does not trust the certificate of the server.',
    check:
      'run `curl -I URL` in the network of the BMCs; read the event log and the virtual media status in the BMC',
    fix: 'use an address that the BMC can reach (`boot --serve-listen :8084 --public-url http://ADDRESS:8084`), and open the port in the firewall; if it rejects the certificate, use an `http://` URL',
    proof: proofBy('bmc', ['image'], ({ reason, step }) => step === 'failed' && reason === 'image'),
    after: ['boot device', 'power', 'loader'],
    frequency: 'very common',
    isRefuted: (host) =>
      !host.milestones.has('boot device') &&
      !entriesOf(host, 'bmc').some(({ event }) => event.reason === 'image'),
  },
  'bmc-boot-device': {
    short: 'the firmware, which ignored the boot device',
    text: 'The machine is on but did not boot from the image: the firmware ignored the boot device, or is still in POST.',
    check: 'watch the console during boot; read the boot order and the boot mode in the firmware',
    fix: 'set the boot mode UEFI in the firmware, update the firmware of the BMC, or use the other method: `boot --method uefi-http`',
    after: ['power', 'loader', 'image'],
    frequency: 'common',
    isRefuted: (host) => !host.milestones.has('boot device') || hasReadImage(host),
  },
  'no-boot-device': {
    short: 'the boot device',
    text: 'The firmware found no device from which it can boot: the virtual medium is not attached, is for the other boot mode (UEFI or BIOS), or the boot from the network failed.',
    check:
      'read the lines above it on the console; read the virtual media status in the BMC, and the boot mode in the firmware',
    fix: 'attach the medium again; set the boot mode UEFI in the firmware; or fix the cause of the lines above',
    isResult: true,
  },
  'medium-not-bootable': {
    short: 'the boot medium',
    text: 'The boot loader cannot read a file that it requires: the medium is not the live ISO, was not written completely, or lost its connection; with PXELINUX, the TFTP server does not have the file.',
    check:
      'run `ironic-coreos inspect IMAGE`; compare `sha256sum IMAGE` with the published checksum; for a USB stick, compare it with the image: `cmp -n SIZE IMAGE /dev/sdX`',
    fix: 'write the unchanged live ISO byte by byte (`dd`, not a tool that copies its files), or attach the image of `serve` again',
    after: ['loader'],
  },
  'medium-unreadable': {
    short: 'the connection to the boot medium',
    text: 'The machine gets read errors from its boot medium: the virtual medium was detached or its connection is too slow, or the disc or stick is damaged.',
    check:
      'read the log of the image server (`client disconnected`, rate) and the virtual media status in the BMC',
    fix: 'attach the medium again and restart the machine; use a server near the BMC, `--artifacts minimal-iso`, or network boot',
    boots: ['iso', 'minimal-iso'],
  },
  'medium-truncated': {
    short: 'an incomplete boot medium',
    text: 'The kernel reads beyond the end of a device: the image was not written or served completely.',
    check:
      'compare the size of the image with the size of the medium (`lsblk -b /dev/sr0`); run `ironic-coreos inspect IMAGE`',
    fix: 'write or download the image again; restart the machine',
    boots: ['iso', 'minimal-iso'],
    contradictedBy: ['image'],
  },
  'link-down': {
    short: 'the link of the network card',
    text: 'The network card has no link: its cable or the port of the switch is not connected, or another network card is.',
    check: 'read the state of the link in the BMC and on the switch',
    fix: 'connect the cable, enable the port of the switch, or select the other network card in the boot order',
    boots: ['network'],
  },
  'dhcp-no-offer': {
    short: 'DHCP without an answer',
    text: 'The firmware or the boot loader got no usable DHCP offer: no DHCP server in this network, another VLAN, a relay is missing, or the port of the switch blocks the first seconds.',
    check: 'run `tcpdump -ni INTERFACE port 67 or port 68` on the DHCP server while the machine boots',
    fix: 'use the `dnsmasq.conf` that `prepare` and `serve` create; add a DHCP relay; enable edge ports (PortFast) on the switch',
    boots: ['network'],
    after: ['loader'],
  },
  'dhcp-no-boot-file': {
    short: 'DHCP without a boot file',
    text: 'The machine got no boot file: DHCP sets no boot server and boot file (next-server, filename), or the boot file is for another client type.',
    check:
      'look for `PXE-E53` or `Nothing to boot` on the console; run `tcpdump -ni INTERFACE port 67 or port 69` on the DHCP server',
    fix: 'use the `dnsmasq.conf` that `prepare` and `serve` create, or copy its options; between networks, use a DHCP relay',
    after: ['none', 'loader'],
    boots: ['network'],
    frequency: 'common',
  },
  'pxe-error': {
    short: 'network boot by the firmware',
    text: 'The firmware ended its boot from the network with the PXE error in the line.',
    check:
      'read the error in the line: `PXE-E07` is the network card or its driver, `PXE-E21` a pressed key or an entry of a PXE menu, `PXE-E99` a boot file that it cannot fetch; run `tcpdump -ni INTERFACE port 67 or port 69` on the DHCP server',
    fix: 'use the `dnsmasq.conf` that `prepare` and `serve` create, and update the firmware of the network card; or boot from virtual media: `boot`',
    isResult: true,
  },
  'ipxe-loop': {
    short: 'iPXE, which loads itself',
    text: 'DHCP gives iPXE the file of iPXE and not the boot script, so iPXE loads itself again.',
    check: 'read the lines with `Filename:` on the console',
    fix: 'use the `dnsmasq.conf` that `prepare` and `serve` create, which gives the script to clients with the user class `iPXE`',
  },
  'loader-no-http': {
    short: 'the connection from the boot loader to the images',
    text: 'The connection of the boot loader to the server of the images failed: another address in DHCP or in the script, a closed port, or a firewall.',
    check:
      'run `curl -I URL` with the URL of `boot.ipxe` in the network of the machine; read the failed URL on the console',
    fix: 'open the port of the images (8084), and set the URL that `serve` and `try` print as `# ipxe` in DHCP',
    after: ['none', 'loader'],
    boots: ['network'],
  },
  'loader-timeout': {
    short: 'a server that does not answer the boot loader',
    text: 'The boot loader got no answer from the TFTP or HTTP server in time: a firewall drops its packets, or the address has no server.',
    check:
      'run `curl -I URL` or `tftp SERVER -c get FILE` in the network of the machine; read the failed URL on the console',
    fix: 'open UDP port 69 and the port of the images (8084) in the firewall; correct the address in DHCP',
    after: ['loader'],
  },
  'loader-dns': {
    short: 'name resolution in the boot loader',
    text: 'The boot loader cannot resolve the host name in the URL.',
    check: 'read the failed URL on the console; run `dig NAME` with the DNS server that DHCP sets',
    fix: 'set a DNS server in DHCP, or use an IP address in `serve --public-url` or `prepare --base-url`',
  },
  'loader-tls': {
    short: 'TLS in the boot loader',
    text: 'The TLS handshake of the boot loader with the server of the images failed: it does not trust the certificate, or they have no cipher in common.',
    check: 'run `openssl s_client -connect SERVER` for the certificate and its authority',
    fix: 'serve the boot files with plain HTTP in a separate network; or build iPXE with the certificate authority (`TRUST=`), and enroll it in the firmware for HTTP boot',
  },
  'loader-not-found': {
    short: 'a file that the server does not have',
    text: 'A file that the boot loader requests does not exist on its server.',
    check: 'read the failed URL on the console; run `curl -I` with it; read the log of the image server',
    fix: 'run `prepare` again; use the URLs that `serve` prints; correct the file name in DHCP',
    after: ['loader'],
  },
  'loader-denied': {
    short: 'access to the boot files',
    text: 'The server refuses the request of the boot loader: the URL lacks its token or password, or the server does not allow the client.',
    check: 'run `curl -I` with the failed URL; read the log of the image server',
    fix: 'use the complete URL that `serve` prints, with its token; allow the network of the machines on the server',
  },
  'loader-server-error': {
    short: 'an error of the image server',
    text: 'The HTTP server answers the boot loader with a server error.',
    check: 'read the log of the image server at the time of the request',
    fix: 'fix the error in that log; if a proxy is in between, serve without it',
  },
  'loader-transfer': {
    short: 'an interrupted transfer to the boot loader',
    text: 'The transfer of a file to the boot loader failed: the connection ended before the file was complete.',
    check:
      'read the log of the image server (`client disconnected`, `aborted`); compare the size of the file with the number of bytes sent',
    fix: 'fix the network (duplex, MTU, packet loss), or the server that closes the connection; then restart the machine',
  },
  'loader-protocol': {
    short: 'a protocol that the boot loader does not have',
    text: 'The boot loader does not support the protocol of the URL: PXE has only TFTP, most builds of iPXE have no https, and some firmware allows https only.',
    check: 'read the features that iPXE prints, and the failed URL on the console',
    fix: 'use `http://` in `serve --public-url` or `prepare --base-url`, or an iPXE that is built with HTTPS; for PXE, use the `dnsmasq.conf` that `prepare` and `serve` create',
  },
  'loader-format': {
    short: 'a file that the boot loader cannot start',
    text: 'The boot loader fetched a file that it cannot start: it is damaged, an error page, or for another architecture or boot mode.',
    check: 'download the failed URL with `curl -o FILE`, and run `file FILE`',
    fix: 'run `prepare` again; set the `architecture` of the host; use the boot loader for the boot mode of the firmware',
    after: ['loader'],
  },
  'secure-boot': {
    short: 'Secure Boot',
    text: 'The firmware refuses the boot loader or the kernel by its security policy (Secure Boot): an unsigned iPXE, or the ISO of another ramdisk.',
    check:
      'look for `Security Violation` or `Access Denied` on the console, or read the event log of the firmware',
    fix: 'disable Secure Boot, or boot signed software: the live ISO of CoreOS, or its GRUB (`prepare --artifacts grub`)',
    after: ['none', 'loader', 'image', 'script', 'kernel'],
  },
  'architecture-mismatch': {
    short: 'an image for another architecture',
    text: 'The image and the machine have different architectures, or the image boots only with UEFI and the firmware is in BIOS mode.',
    check: 'run `ironic-coreos inspect IMAGE` to see the architecture and the boot modes of the image',
    fix: 'set the `architecture` of the host in the inventory, and pass the image for it: `--iso aarch64=FILE`',
    after: ['loader', 'image', 'script', 'kernel', 'initramfs'],
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
    ({ event }) => event.artifact.endsWith('iso') && (event.bytes > PROBE_SIZE || isFullyFetched(event)),
  );
}

/** Causes before the operating system runs: power, boot device, firmware, boot loader. */

import { isBrokenOff, isWhole } from '../entries.ts';
import type { HostTimeline } from '../timeline.ts';
import { type Cause, entriesOf, hasCalled } from './cause.ts';

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
    sign: (host) => host.stage === 'image' && !hasReadImage(host),
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
    after: [],
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
    after: [],
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
    after: [],
    sign: (host) => {
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
    check: 'the log of the image service (`client gone`, `cut off`, `failed`) and how many bytes had arrived',
    fix: 'look at the network; `serve --idle-timeout` with a longer time for slow BMCs; `--artifacts minimal-iso` has BMCs read less',
    after: [],
    sign: (host) => {
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

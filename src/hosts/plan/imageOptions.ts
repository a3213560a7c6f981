/** The options that `prepare` and all services share: base images, agent archives, grown ISOs, and the addresses for dnsmasq. */

import { common, file, folder, freeText, repeatable, toggle, under } from '../../io/commandLine.ts';

export const imageOptions = under('Images (FILE, ARCHITECTURE=FILE or STREAM/ARCHITECTURE=FILE):', {
  '--iso <file>': common(repeatable(file('live ISO, with kernel, initramfs and root filesystem'))),
  '--kernel <file>': repeatable(file('kernel; an aarch64 kernel is decompressed')),
  '--initramfs <file>': repeatable(file('initramfs')),
  '--rootfs <file>': repeatable(file('root filesystem')),
  '--agent-archive <file>': common(
    repeatable(
      file(
        'agent archive: container image as OCI or docker archive, for hosts without a registry; for all streams',
      ),
    ),
  ),
  '--images <folder>': common(folder('folder of downloaded images, with the file names of the release')),
});

export const growOption = {
  '--grow': toggle('enlarge an ISO if the config does not fit into its reserved area'),
};

/** @param url the option in whose network the hosts are by default: `base URL` */
export function dhcpRangeOption(url: string) {
  return {
    '--dhcp-range <addresses>': freeText(
      'addresses of the hosts for dnsmasq.conf: FIRST,LAST, or ADDRESS,proxy if the network has a DHCP server (default: ' +
        `proxy mode in the network of the ${url})`,
    ),
  };
}

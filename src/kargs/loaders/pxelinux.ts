/**
 * Configurations of PXELINUX. `append` uses the rest of its line unchanged; `initrd` is a comma-separated list. URLs require
 * lpxelinux.0, which supports http, ftp and tftp. `ipappend 2` sets `BOOTIF=`.
 */

import { errorRule } from '../../core/rule.ts';
import type { BootSettings } from '../bootSettings.ts';
import { kernelArguments } from '../kernelArguments.ts';
import { bootImages, checkLoaderSettings, checkTexts } from './form.ts';
import { hyphenMac, type Loader } from './loader.ts';

const pxelinuxComma = errorRule(
  'pxelinux-comma',
  'PXELINUX splits the URL of the initramfs at commas',
  'percent-encode the comma as %2C',
);

/**
 * Petitboot and the network boot of s390x in QEMU read the files of the folder, too: one per MAC address (with the hardware type as
 * prefix), and `default` for unknown machines on every architecture. PXELINUX supports neither retries nor ISOs; the firmware of a
 * host with an ISO tries the next boot device.
 */
export const pxelinux: Loader = {
  schemes: ['http', 'ftp', 'tftp'],
  reserved: ['initrd', 'BOOTIF'],
  check: (list, images) => {
    const archives = images.filter(({ path: [setting] }) => setting !== 'kernelUrl');
    return [
      ...checkLoaderSettings([...images, ...list]),
      ...checkTexts(pxelinuxComma, archives, (text) => text.includes(',')),
    ];
  },
  added: (settings) => {
    const { kernelUrl, initramfsUrls } = bootImages(settings);
    return [`BOOT_IMAGE=${kernelUrl}`, `initrd=${initramfsUrls.join(',')}`, 'BOOTIF=01-00-00-00-00-00-00'];
  },
  render,
  shared: (discovery) => {
    // x86_64 is the only architecture of PXELINUX itself.
    const start = discovery.find(({ architecture }) => architecture === 'x86_64') ?? discovery[0];
    const text =
      start === undefined
        ? localBoot('On an unknown machine, the firmware tries the next boot device.')
        : `# Inspection of unknown machines\n${render(start.settings)}`;
    return [{ path: 'pxelinux.cfg/default', text }];
  },
  hostPaths: ({ macs }) => macs.map((mac) => `pxelinux.cfg/01-${hyphenMac(mac)}`),
  hostScript: ({ name, start }) =>
    start.kind === 'iso'
      ? localBoot(`${name} boots an ISO by UEFI HTTP boot.`)
      : `# ${name}\n${render(start.settings)}`,
  isFor: () => true,
};

function render(settings: BootSettings): string {
  const { kernelUrl, initramfsUrls } = bootImages(settings);
  return `default ironic-python-agent

label ironic-python-agent
  kernel ${kernelUrl}
  initrd ${initramfsUrls.join(',')}
  append ${kernelArguments(settings).join(' ')}
  ipappend 2
`;
}

function localBoot(title: string): string {
  return `# ${title}
default local

label local
  localboot -1
`;
}

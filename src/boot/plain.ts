/** The arguments on one line, and the same as JSON: for pasting into, or being read by, whatever boots the machine. */

import type { BootForm } from './bootForm.ts';
import { checkReserved } from './bootForm.ts';
import { kernelArguments } from './kernelArguments.ts';

export const plain: BootForm = {
  check: (_settings, placed) => checkReserved(placed, ['initrd']),
  added: () => [],
  render: (settings) => `${kernelArguments(settings).join(' ')}\n`,
};

/** `arguments` as a list, `commandLine` as one string, and the URLs of kernel and initramfs where they are known. */
export const json: BootForm = {
  ...plain,
  render: (settings) => {
    const list = kernelArguments(settings);
    const { kernelUrl, initramfsUrl } = settings;
    return `${JSON.stringify({ kernelUrl, initramfsUrl, arguments: list, commandLine: list.join(' ') }, null, 2)}\n`;
  },
};

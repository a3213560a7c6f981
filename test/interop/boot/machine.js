// @ts-check
/** A machine in QEMU, under software emulation, that boots an ISO and says on its console what arrived. */

import { spawn } from 'node:child_process';

/** @typedef {'bios' | 'uefi'} Firmware */
/** @typedef {'cd' | 'usb'} Medium */

/** @type {readonly Firmware[]} */
export const firmwares = ['bios', 'uefi'];
/** @type {readonly Medium[]} */
export const media = ['cd', 'usb'];

const SECONDS = 180;

/** Until the init has said everything, the machine has switched itself off or `SECONDS` have passed.
 * @param {string} iso
 * @param {{ firmware: Firmware, medium: Medium }} machine
 * @returns {Promise<string[]>} the lines of the init
 */
export function boot(iso, { firmware, medium }) {
  const args = [
    ...'-m 1024 -nographic -no-reboot -net none'.split(' '),
    ...(firmware === 'uefi' ? ['-bios', '/usr/share/ovmf/OVMF.fd'] : []),
    ...(medium === 'cd' ? ['-cdrom', iso, '-boot', 'd'] : usbDisk(iso)),
  ];
  return new Promise((resolve, reject) => {
    const machine = spawn('qemu-system-x86_64', args, {
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: SECONDS * 1000,
      killSignal: 'SIGKILL',
    });
    let console = '';
    machine.stdout.on('data', (chunk) => {
      console += chunk.toString('latin1');
    });
    machine.on('error', reject);
    machine.on('close', () => {
      resolve(console.split(/[\r\n]+/).flatMap((line) => /BOOT-.*/.exec(line)?.[0].trimEnd() ?? []));
    });
  });
}

/** The firmware boots from USB; the kernel gets the same image on a bus that it has a driver for.
 * @param {string} iso
 */
function usbDisk(iso) {
  const drive = `file=${iso},format=raw,readonly=on,if=none,file.locking=off`;
  return [
    '-drive',
    `${drive},id=usb`,
    '-drive',
    `${drive},id=second`,
    ...'-device qemu-xhci -device usb-storage,drive=usb,bootindex=0'.split(' '),
    ...'-device virtio-blk-pci,drive=second'.split(' '),
  ];
}

/** The consoles of the kernel: `console=`. */

import { lintWarnings, type Rule } from '../core/rule.ts';

export const consoleRules = lintWarnings({
  'console-spec': [
    'the kernel does not support this console',
    'use a device and, for a serial port, its options: tty0, ttyS0,115200n8, ttyAMA0, hvc0',
  ],
  'console-options': [
    'invalid console options: expected baud rate, parity, bits and flow control',
    'write the options without separators: 115200, 115200n8 or 115200n8r',
  ],
});

/** Since Linux 6.11 also a serial port by its device and its numbers on the bus: `00:03:0.0`. */
const CONSOLE_DEVICE = /^(?:(?:tty[A-Za-z]+|hvc|hvsi|lp|xvc|netcon|brl)\d+|[\w.:-]+:\d+\.\d+)(?:,(.*))?$/s;
const EARLY_UART =
  /^(?:uart|uart8250|pl011),(?:(?:io|mmio|mmio16|mmio32|mmio32be),)?0x[0-9a-fA-F]{1,16}(?:,(.*))?$/s;
const LINE_OPTIONS = /^\d{2,8}(?:[noe](?:[5-8]r?)?)?$/;

/**
 * Checks a `console=` value (Documentation/admin-guide/kernel-parameters.txt of Linux): a virtual terminal, a serial port with
 * `bbbbpnf` options (baud, parity, bits, flow control), an early UART by address, another console device, or `null` or nothing for no
 * console. The kernel accepts any word without an error, and then has no console.
 */
export function checkConsole(value: string): readonly Rule[] {
  if (value.startsWith('console=') || value.startsWith('/dev/')) {
    return [
      { ...consoleRules['console-spec'], message: 'the console has an invalid prefix (console= or /dev/)' },
    ];
  }
  if (/^(?:|null|ttynull|tty\d*)$/.test(value)) return [];
  const device = CONSOLE_DEVICE.exec(value) ?? EARLY_UART.exec(value);
  if (device === null) return [consoleRules['console-spec']];
  const options = device[1];
  return options === undefined || LINE_OPTIONS.test(options) ? [] : [consoleRules['console-options']];
}

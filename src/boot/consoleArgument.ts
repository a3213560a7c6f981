/**
 * `console=` as the kernel reads it (Documentation/admin-guide/kernel-parameters.txt): a virtual terminal, a serial port
 * with `bbbbpnf` options (baud, parity, bits, flow control), an early UART by address, or another console device.
 */

import type { Issue, Rule } from '../ignition/rule.ts';

const consoleSpec: Rule = {
  id: 'console-spec',
  severity: 'error',
  message: 'the kernel does not know such a console',
  hint: 'give the device and, for a serial port, its options: tty0, ttyS0,115200n8, ttyAMA0, hvc0',
};
const consoleOptions: Rule = {
  id: 'console-options',
  severity: 'error',
  message: 'the console options are not baud rate, parity, bits and flow control',
  hint: 'write them without separators: 115200, 115200n8 or 115200n8r',
};

const lineOptions = /^\d{2,8}(?:[noe](?:[5-8]r?)?)?$/;

/** The kernel takes any word and then has no console: what it could not mean is an issue here. */
export function checkConsole(value: string): Issue[] {
  if (value.startsWith('console=') || value.startsWith('/dev/')) {
    return [{ rule: consoleSpec, path: [], message: 'the console has a prefix that does not belong there' }];
  }
  if (/^(?:null|ttynull|tty\d*)$/.test(value)) return [];
  const device =
    /^(?:tty[A-Za-z]+|hvc|hvsi|lp|xvc|netcon|brl)\d+(?:,(.*))?$/s.exec(value) ?? earlyUart(value);
  if (device === null) return [{ rule: consoleSpec, path: [] }];
  const options = device[1];
  return options === undefined || lineOptions.test(options) ? [] : [{ rule: consoleOptions, path: [] }];
}

function earlyUart(value: string): RegExpExecArray | null {
  return /^(?:uart|uart8250|pl011),(?:(?:io|mmio|mmio16|mmio32|mmio32be),)?0x[0-9a-fA-F]{1,16}(?:,(.*))?$/s.exec(
    value,
  );
}

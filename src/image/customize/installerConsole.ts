/** Consoles that coreos-installer sets up for the kernel and the boot loader of the installed system. */

import { FormatError } from '../../core/errors.ts';

const KARG_PREFIX = 'console=';
const GRAPHICAL: ReadonlySet<string> = new Set(['tty0', 'hvc0', 'ttysclp0']);
const SERIAL =
  /^(?<device>ttyS|ttyAMA)(?<port>[0-9]+)(?:,(?<speed>[0-9]+)(?:(?<parity>[noe])(?<bits>[5-8])?)?)?$/;
const MAX_PORT = 255;
const MAX_SPEED = 2 ** 32 - 1;

/**
 * Parses a console and adds the defaults: `ttyS0,9600n8` for `ttyS0`. Supports less than the `console=` of the kernel: no flow
 * control, and only the graphical consoles of CoreOS. An error has the message of coreos-installer, without the name of the
 * option.
 */
export function parseConsole(spec: string): string | FormatError {
  for (const prefix of [KARG_PREFIX, '/dev/']) {
    if (spec.startsWith(prefix)) return invalid(`spec should not start with "${prefix}"`);
  }
  if (GRAPHICAL.has(spec)) return spec;
  const parts = SERIAL.exec(spec)?.groups;
  if (parts === undefined) return invalid('invalid or unsupported console argument');
  const { device = '', port, speed = '9600', parity = 'n', bits = '8' } = parts;
  if (Number(port) > MAX_PORT) return invalid("couldn't parse port");
  if (Number(speed) > MAX_SPEED) return invalid("couldn't parse speed");
  return `${device}${Number(port)},${Number(speed)}${parity}${bits}`;
}

/**
 * Recommends `--dest-console` instead of a `console=` argument; undefined if no argument is a console, or if only the kernel
 * supports one of the consoles.
 */
export function consoleNote(kargs: readonly string[]): string | undefined {
  const specs = kargs
    .filter((karg) => karg.startsWith(KARG_PREFIX))
    .map((karg) => karg.slice(KARG_PREFIX.length));
  if (specs.length === 0 || specs.some((spec) => typeof parseConsole(spec) !== 'string')) return undefined;
  const better = specs.map((spec) => `--dest-console ${spec}`).join(' ');
  const given = specs.map((spec) => `--dest-karg-append ${KARG_PREFIX}${spec}`).join(' ');
  return `Note: consider using "${better}" instead of "${given}" to configure both kernel and bootloader consoles.`;
}

function invalid(problem: string): FormatError {
  return new FormatError(problem, {
    hint: 'use tty0, hvc0, ttysclp0, ttyS<n> or ttyAMA<n>, serial consoles optionally with speed, parity and bits: ttyS0,115200n8',
  });
}

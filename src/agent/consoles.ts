/** Logging in at the console, for when the network does not work: SSH keys are of no use then. */

import { checkConsole } from '../boot/argumentValues.ts';
import type { Unit } from '../ignition/config.ts';
import { FormatError } from '../core/errors.ts';
import type { AgentSettings } from './settings.ts';

/** Serial consoles that ask for a login, and consoles that do not. */
export function renderConsoleUnits({ autologin, serialConsoles }: AgentSettings): Unit[] {
  return [
    ...(autologin ? [autologinUnit('getty@.service', '--noclear %I $TERM')] : []),
    ...(autologin
      ? [autologinUnit('serial-getty@.service', '--keep-baud 115200,57600,38400,9600 %I $TERM')]
      : []),
    // Without a kernel argument for the console systemd starts none there.
    ...serialConsoles.map((device) => ({ name: `serial-getty@${device}.service`, enabled: true })),
  ];
}

/** For every terminal that the template is used for; the prefix `-` is that of CoreOS: agetty ends with each session. */
function autologinUnit(name: string, args: string): Unit {
  const contents = `[Service]\nExecStart=\nExecStart=-/usr/sbin/agetty --autologin core ${args}\n`;
  return { name, dropins: [{ name: 'autologin.conf', contents }] };
}

/**
 * The serial line of a console as the kernel argument names it, e.g. `ttyS0` of `ttyS0,115200n8`; undefined for a console
 * that is none: virtual terminals have a login already. Throws FormatError.
 */
export function parseSerialConsole(text: string): string | undefined {
  if (checkConsole(text).length > 0) {
    throw new FormatError('is no console', { hint: 'for example ttyS0, ttyAMA0 or ttyS0,115200n8' });
  }
  return /^((?:tty[A-Za-z]{1,8}|hvc)\d{1,3})(?:,|$)/.exec(text)?.[1];
}

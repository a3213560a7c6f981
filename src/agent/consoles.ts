/** Logging in at the console, for when the network does not work: SSH keys are of no use then. */

import type { Unit } from '../ignition/config.ts';
import { FormatError } from '../errors.ts';
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

/** The device of a console as the kernel names it, e.g. `ttyS0` of `ttyS0,115200n8`. Throws FormatError. */
export function parseSerialConsole(text: string): string {
  const device = /^(tty[A-Za-z]{1,4}[0-9]{1,3})(?:,[0-9]{1,7}[a-z0-9]{0,4})?$/.exec(text)?.[1];
  if (device !== undefined) return device;
  throw new FormatError('is no serial console', { hint: 'for example ttyS0, or ttyAMA0' });
}

/** Logins to the ramdisk: the user `core` by SSH key or password, and anyone at a console with autologin. */

import type { Config, Unit } from '../ignition/config.ts';
import type { AgentSettings } from './settings.ts';
import { FormatError } from '../core/errors.ts';
import { checkConsole } from '../kargs/console.ts';

/** The section `passwd` of a config; without logins, none. */
export function renderPasswd(sshKeys: readonly string[], passwordHash?: string): Pick<Config, 'passwd'> {
  if (sshKeys.length === 0 && passwordHash === undefined) return {};
  const core = {
    name: 'core',
    ...(passwordHash === undefined ? {} : { passwordHash }),
    ...(sshKeys.length === 0 ? {} : { sshAuthorizedKeys: sshKeys }),
  };
  return { passwd: { users: [core] } };
}

const HINT = 'create one with: mkpasswd --method=yescrypt, or: openssl passwd -6';

const DIGITS = '[./A-Za-z0-9]';
/** Hash methods that libxcrypt of CoreOS supports and that are considered secure. */
const methods: readonly RegExp[] = [
  new RegExp(`^\\$(?:y|gy)\\$${DIGITS}+\\$${DIGITS}{0,86}\\$${DIGITS}{43}$`),
  new RegExp(`^\\$7\\$${DIGITS}{11,97}\\$${DIGITS}{43}$`),
  new RegExp(`^\\$2[aby]\\$[0-9]{2}\\$${DIGITS}{53}$`),
  new RegExp(`^\\$6\\$(?:rounds=[0-9]{1,9}\\$)?[^$:\\s]{0,16}\\$${DIGITS}{86}$`),
  new RegExp(`^\\$5\\$(?:rounds=[0-9]{1,9}\\$)?[^$:\\s]{0,16}\\$${DIGITS}{43}$`),
];

/** Those that it supports for old passwords: MD5, SHA-1 and DES. */
const oldMethods: readonly RegExp[] = [
  new RegExp(`^\\$1\\$[^$:\\s]{0,8}\\$${DIGITS}{22}$`),
  /^\$(?:2x?|sha1|md5[^$]*)\$\S+$/,
  new RegExp(`^(?:${DIGITS}{13}|_${DIGITS}{19})$`),
];

/** Whether the field for the password in /etc/shadow is a hash, or locks the password. */
export function isShadowPassword(text: string): boolean {
  return /^[!*]/.test(text) || [...methods, ...oldMethods].some((method) => method.test(text));
}

/** The hash without surrounding blanks. Throws FormatError without a subject. */
export function parsePasswordHash(text: string): string {
  const hash = text.trim();
  if (methods.some((method) => method.test(hash))) return hash;
  if (hash.startsWith('$1$')) throw new FormatError('is an MD5 hash, which is insecure', { hint: HINT });
  throw new FormatError('is not a password hash in the format of crypt(5)', { hint: HINT });
}

/** Units for serial consoles with a login prompt, and for consoles with autologin. */
export function renderConsoleUnits({ autologin, serialConsoles }: AgentSettings): Unit[] {
  const logins = [
    autologinUnit('getty@.service', '--noclear %I $TERM'),
    autologinUnit('serial-getty@.service', '--keep-baud 115200,57600,38400,9600 %I $TERM'),
  ];
  return [
    ...(autologin ? logins : []),
    // Without a kernel argument for the console, systemd does not start a login there.
    ...serialConsoles.map((device) => ({ name: `serial-getty@${device}.service`, enabled: true })),
  ];
}

/** Drop-in for all terminals of the template; the prefix `-` is that of CoreOS: agetty exits after each session. */
function autologinUnit(name: string, args: string): Unit {
  const contents = `[Service]\nExecStart=\nExecStart=-/usr/sbin/agetty --autologin core ${args}\n`;
  return { name, dropins: [{ name: 'autologin.conf', contents }] };
}

/**
 * The serial device of a console in a kernel argument, e.g. `ttyS0` of `ttyS0,115200n8`; undefined for virtual terminals,
 * which have a login already. Throws FormatError.
 */
export function parseSerialConsole(text: string): string | undefined {
  if (text === '' || checkConsole(text).length > 0) {
    throw new FormatError('is not a console', {
      hint: 'use a console such as ttyS0, ttyAMA0 or ttyS0,115200n8',
    });
  }
  return /^((?:tty[A-Za-z]{1,8}|hvc)\d{1,3})(?:,|$)/.exec(text)?.[1];
}

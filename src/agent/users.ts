/** Who can log in to the ramdisk: the user `core`, which CoreOS already has, by SSH key, and by password if there is one. */

import type { Passwd } from '../ignition/config.ts';
import type { AgentSettings } from './settings.ts';
import { FormatError } from '../core/errors.ts';

export function renderPasswd({ sshKeys, passwordHash }: AgentSettings): Passwd | undefined {
  if (sshKeys.length === 0 && passwordHash === undefined) return undefined;
  const core = {
    name: 'core',
    ...(passwordHash === undefined ? {} : { passwordHash }),
    ...(sshKeys.length === 0 ? {} : { sshAuthorizedKeys: sshKeys }),
  };
  return { users: [core] };
}

const hint = 'make one with: mkpasswd --method=yescrypt, or: openssl passwd -6';

const digits = '[./A-Za-z0-9]';
/** Methods that libxcrypt of CoreOS takes and that are not known to be broken. */
const methods: readonly RegExp[] = [
  new RegExp(`^\\$(?:y|gy)\\$${digits}+\\$${digits}{0,86}\\$${digits}{43}$`),
  new RegExp(`^\\$7\\$${digits}{11,97}\\$${digits}{43}$`),
  new RegExp(`^\\$2[aby]\\$[0-9]{2}\\$${digits}{53}$`),
  new RegExp(`^\\$6\\$(?:rounds=[0-9]{4,9}\\$)?${digits}{1,16}\\$${digits}{86}$`),
  new RegExp(`^\\$5\\$(?:rounds=[0-9]{4,9}\\$)?${digits}{1,16}\\$${digits}{43}$`),
];

/** The hash without blanks around it. Throws FormatError whose message has no subject. */
export function parsePasswordHash(text: string): string {
  const hash = text.trim();
  if (methods.some((method) => method.test(hash))) return hash;
  if (hash.startsWith('$1$')) throw new FormatError('is an MD5 hash, which is no protection', { hint });
  throw new FormatError('is not a hash of a password as crypt(5) writes it', { hint });
}

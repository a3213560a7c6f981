/** Who can log in to the ramdisk: the user `core`, which CoreOS already has, by SSH key, and by password if there is one. */

import type { Passwd } from '../ignition/config.ts';
import type { AgentSettings } from './settings.ts';

export function renderPasswd({ sshKeys, passwordHash }: AgentSettings): Passwd | undefined {
  if (sshKeys.length === 0 && passwordHash === undefined) return undefined;
  const core = {
    name: 'core',
    ...(passwordHash === undefined ? {} : { passwordHash }),
    ...(sshKeys.length === 0 ? {} : { sshAuthorizedKeys: sshKeys }),
  };
  return { users: [core] };
}

/** Who can log in to the ramdisk: the user `core`, which CoreOS already has, by SSH key only. */

import type { Passwd } from '../ignition/config.ts';
import type { AgentSettings } from './settings.ts';

export function renderPasswd({ sshKeys }: AgentSettings): Passwd | undefined {
  return sshKeys.length === 0 ? undefined : { users: [{ name: 'core', sshAuthorizedKeys: sshKeys }] };
}

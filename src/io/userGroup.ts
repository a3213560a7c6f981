/** Groups of users, which Node.js knows by number only. */

import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { CliError } from '../errors.ts';

const NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,255}\$?$/;

/**
 * The number of a group, by its name or number. Groups that no file lists (LDAP) are asked for by getent.
 * @throws CliError where there is no such group
 */
export async function findGroup(group: string): Promise<number> {
  if (/^\d{1,9}$/.test(group)) return Number(group);
  const found = NAME.test(group)
    ? (idOf(group, await readGroups()) ?? idOf(group, askSystem(group)))
    : undefined;
  if (found !== undefined) return found;
  throw new CliError(`There is no group ${JSON.stringify(group)}`, {
    hint: 'give the group of the web server, such as nginx or www-data, or its number',
  });
}

function readGroups(): Promise<string> {
  return readFile('/etc/group', 'utf8').catch(() => '');
}

function askSystem(group: string): string {
  const { stdout } = spawnSync('getent', ['group', group], { encoding: 'utf8', timeout: 10_000 });
  return stdout ?? '';
}

/** Lines of group(5): `name:password:number:members`. */
function idOf(name: string, lines: string): number | undefined {
  for (const line of lines.split('\n')) {
    const [found, , id = ''] = line.split(':');
    if (found === name && /^\d{1,10}$/.test(id)) return Number(id);
  }
  return undefined;
}

/** Groups of users, which Node.js knows by number only. */

import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { CliError, UsageError } from '../../core/errors.ts';
import { hasPermissions } from '../../io/files/platform.ts';

const NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,255}\$?$/;

/** How groups are found out; tests give their own. */
export interface GroupSource {
  readonly platform: NodeJS.Platform;
  /** What /etc/group says. */
  readonly listed: () => Promise<string>;
  /** What a program prints; nothing where it is not there. */
  readonly ask: (program: string, args: readonly string[]) => string;
}

/**
 * The number of a group, by its name or number. Groups that no file lists (LDAP) are asked for by getent, or on macOS by
 * dscacheutil.
 * @throws CliError where there is no such group; UsageError where files have none, on Windows
 */
export async function findGroup(group: string, source: GroupSource = system): Promise<number> {
  if (!hasPermissions(source.platform)) {
    throw new UsageError('files have no group on this system', {
      hint: 'leave --group out; for a web server elsewhere, --mode 0640 and --bundle FILE keep the permissions',
    });
  }
  if (/^\d{1,9}$/.test(group)) return Number(group);
  const found = NAME.test(group)
    ? (idOf(group, await source.listed()) ?? askSystem(group, source))
    : undefined;
  if (found !== undefined) return found;
  throw new CliError(`There is no group ${JSON.stringify(group)}`, {
    hint: 'give the group of the web server, such as nginx or www-data, or its number',
  });
}

const system: GroupSource = {
  platform: process.platform,
  listed: () => readFile('/etc/group', 'utf8').catch(() => ''),
  ask: (program, args) => spawnSync(program, args, { encoding: 'utf8', timeout: 10_000 }).stdout ?? '',
};

function askSystem(group: string, { ask, platform }: GroupSource): number | undefined {
  if (platform !== 'darwin') return idOf(group, ask('getent', ['group', group]));
  const [, id] = /^gid: (\d{1,10})$/m.exec(ask('dscacheutil', ['-q', 'group', '-a', 'name', group])) ?? [];
  return id === undefined ? undefined : Number(id);
}

/** Lines of group(5): `name:password:number:members`. */
function idOf(name: string, lines: string): number | undefined {
  for (const line of lines.split('\n')) {
    const [found, , id = ''] = line.split(':');
    if (found === name && /^\d{1,10}$/.test(id)) return Number(id);
  }
  return undefined;
}

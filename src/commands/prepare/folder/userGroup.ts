/** The group of files with secrets, by its name or number. */

import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { CliError, UsageError } from '../../../core/errors.ts';
import { quoteText } from '../../../core/foreignText.ts';
import { hasPermissions } from '../../../io/files/platform.ts';

const NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,255}\$?$/;

/** Sources for groups, replaced in tests. */
export interface GroupSource {
  readonly platform: NodeJS.Platform;
  /** The content of /etc/group. */
  readonly listed: () => Promise<string>;
  /** The output of a program; empty if it is not installed. */
  readonly ask: (program: string, args: readonly string[]) => string;
}

/**
 * The number of a group, by its name or number. Groups that are not in /etc/group (LDAP) are looked up with getent, or
 * on macOS with dscacheutil.
 * @throws CliError for an unknown group; UsageError on Windows, where files have no group
 */
export async function findGroup(group: string, source: GroupSource = system): Promise<number> {
  if (!hasPermissions(source.platform)) {
    throw new UsageError('this system does not support --group', {
      hint: 'remove --group; to set permissions for a web server on another machine, use --mode 0640 and --bundle FILE',
    });
  }
  if (/^\d{1,9}$/.test(group)) return Number(group);
  const found = NAME.test(group)
    ? (idOf(group, await source.listed()) ?? askSystem(group, source))
    : undefined;
  if (found !== undefined) return found;
  throw new CliError(`Group not found: ${quoteText(group)}`, {
    code: 'ERR_SETTING',
    hint: 'use the group of the web server, such as nginx or www-data, or its number',
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

/** The group of files with secrets, by its name or number. */

import { spawnSync } from 'node:child_process';
import { CliError, UsageError } from '../../../core/errors.ts';
import { quoteText } from '../../../core/foreignText.ts';
import { hasPermissions } from '../../../io/files/platform.ts';

/** @throws CliError for an unknown group; UsageError on Windows, where files have no group */
export function findGroup(group: string, platform = process.platform): number {
  if (!hasPermissions(platform)) {
    throw new UsageError('this system does not support --group', {
      hint: 'remove --group; to set permissions for a web server on another machine, use --mode 0640 and --bundle FILE',
    });
  }
  if (/^\d{1,9}$/.test(group)) return Number(group);
  // Also of a directory such as LDAP. A line is `name:password:number:members`.
  const { stdout } = spawnSync('getent', ['group', '--', group], { encoding: 'utf8', timeout: 10_000 });
  const [, id] = /^[^:]*:[^:]*:(\d{1,10}):/.exec(stdout ?? '') ?? [];
  if (id !== undefined) return Number(id);
  throw new CliError(`Group not found: ${quoteText(group)}`, {
    code: 'ERR_SETTING',
    hint: 'use the group of the web server, such as nginx or www-data, or its number',
  });
}

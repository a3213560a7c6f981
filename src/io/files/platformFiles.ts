/**
 * What file systems of some platforms do not have, or do otherwise. The platform is a parameter so that each is tested on
 * all.
 */

import type { Stats } from 'node:fs';

/**
 * Whether permission bits and groups say who may read a file. On Windows that is inherited from the folder, and the bits
 * that Node shows only tell whether the file may be written.
 */
export function hasPermissions(platform: NodeJS.Platform = process.platform): boolean {
  return platform !== 'win32';
}

/** Whether the bits of a file let others do what `mode` does not; never where bits say nothing. */
export function allowsMore(
  stats: Pick<Stats, 'mode'>,
  mode: number,
  platform: NodeJS.Platform = process.platform,
): boolean {
  return hasPermissions(platform) && (stats.mode & 0o777 & ~mode) !== 0;
}

/** Whether every user of this machine can read a file; not where the bits do not tell. */
export function canAllRead(
  stats: Pick<Stats, 'mode'>,
  platform: NodeJS.Platform = process.platform,
): boolean {
  return hasPermissions(platform) && (stats.mode & 0o004) !== 0;
}

/** What a file system answers that has no hard links, such as FAT. */
export function cannotLink(code: string | undefined, platform: NodeJS.Platform = process.platform): boolean {
  if (code === undefined) return false;
  return NO_LINKS.has(code) || (platform === 'win32' && NO_LINKS_ON_WINDOWS.has(code));
}

const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);
/** libuv's names for what Windows calls an invalid function and an invalid parameter. */
const NO_LINKS_ON_WINDOWS: ReadonlySet<string> = new Set(['EISDIR', 'EINVAL']);

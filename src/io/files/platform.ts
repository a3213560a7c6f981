/**
 * What file systems and paths of some platforms do not have, or do otherwise. Other modules of `io/` leave paths to
 * `node:path`; here is what it has no function for. The platform is a parameter so that each is tested on all.
 */

import type { Stats } from 'node:fs';
import { posix, win32 } from 'node:path';

/**
 * Whether permission bits and groups decide which users may read a file. On Windows, files inherit permissions from the
 * folder, and the bits from Node only show whether the file is writable.
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

/** Whether every user of this machine can read a file; false if permission bits do not decide. */
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

/**
 * A path, or a pattern for file names, by its folders. Slashes separate on all systems, backslashes on Windows too. The root is
 * `/` or `C:\`, and empty for relative paths.
 */
export function splitPath(
  path: string,
  platform: NodeJS.Platform = process.platform,
): { readonly root: string; readonly steps: readonly string[] } {
  const { root } = pathsOf(platform).parse(path);
  const steps = path.slice(root.length).split(platform === 'win32' ? /[/\\]/ : '/');
  return { root, steps: steps.filter((step) => step !== '') };
}

/** What was started, without its folder and what only says of which kind the file is. */
export function programNameOf(path: string, platform: NodeJS.Platform = process.platform): string {
  const name = pathsOf(platform).basename(path).replace(/\.js$/, '');
  return platform === 'win32' ? name.replace(/\.(?:exe|cmd|ps1)$/i, '') : name;
}

/**
 * Where a program of this name may be, by the folders of PATH in their order. Relative folders do not count. On Windows the
 * variable is usually spelled `Path`.
 */
export function programPaths(
  name: string,
  { PATH, Path = '' }: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): string[] {
  const paths = pathsOf(platform);
  const folders = (PATH ?? Path).split(paths.delimiter).filter((folder) => paths.isAbsolute(folder));
  return folders.map((folder) => paths.join(folder, platform === 'win32' ? `${name}.exe` : name));
}

/** The user's home folder; undefined if the environment does not contain it. */
export function homeFolder(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  const { HOME: home = '', USERPROFILE: profile = '' } = env;
  const found = platform === 'win32' && home === '' ? profile : home;
  return found === '' ? undefined : found;
}

/**
 * Whether a file of this name, which somebody else chose, would be just that in its folder. On Windows it may also be
 * another folder (`..\x`), another drive (`d:x`), a stream of another file (`a:b`) or a device (`nul.txt`).
 */
export function isOwnName(name: string, platform: NodeJS.Platform = process.platform): boolean {
  if (/[/\0]/.test(name) || ['', '.', '..'].includes(name)) return false;
  return platform !== 'win32' || !NOT_ON_WINDOWS.test(name);
}

// oxlint-disable-next-line no-control-regex -- Windows refuses them
const NOT_ON_WINDOWS = /[\\:*?"<>|\x01-\x1f]|[. ]$|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

function pathsOf(platform: NodeJS.Platform): typeof posix {
  return platform === 'win32' ? win32 : posix;
}

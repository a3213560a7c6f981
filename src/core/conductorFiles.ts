/** Files that the conductor of Ironic reads by their `file:` URLs: `FileImageService` in ironic/common/image_service.py. */

import type { Problem } from './finding.ts';

/** `[conductor]file_url_allowed_paths` of Ironic, without that line. */
export const DEFAULT_FOLDERS: readonly string[] = ['/var/lib/ironic'];

/** Their files are refused, also if they are allowed. */
const systemFolders = ['/dev', '/sys', '/proc', '/boot', '/etc', '/run'];

interface RefusedFile extends Problem {
  readonly folder: string;
  /** No line of ironic.conf allows its files. */
  readonly isSystem: boolean;
}

/** Why the conductor refuses a file; undefined for a file that it reads, and for other URLs. */
export function refuseFile(
  url: string,
  allowed: readonly string[] = DEFAULT_FOLDERS,
): RefusedFile | undefined {
  const [, path] = /^file:\/\/[^/]*(\/[^?#]*)/.exec(url) ?? []; // as Ironic reads it: without decoding
  if (path === undefined) return undefined;
  const isBelow = (folder: string): boolean => path.startsWith(`${folder.replace(/\/+$/, '')}/`);
  const isSystem = systemFolders.some(isBelow);
  if (allowed.some(isBelow) && !isSystem) return undefined;
  const folder = path.slice(0, path.lastIndexOf('/')) || '/';
  const line = `add to [conductor]: file_url_allowed_paths = ${[...allowed, folder].join(',')}`;
  const hint = isSystem ? `move the file to ${DEFAULT_FOLDERS.join(' or ')}` : line;
  return { folder, isSystem, message: `Ironic does not read files in ${folder}`, hint };
}

/** Files that the conductor of Ironic reads by their `file:` URLs: `FileImageService` in ironic/common/image_service.py. */

/** `[conductor]file_url_allowed_paths` of Ironic, without that line. */
export const DEFAULT_FOLDERS: readonly string[] = ['/var/lib/ironic'];

/** Their files are refused, also if they are allowed. */
const systemFolders = ['/dev', '/sys', '/proc', '/boot', '/etc', '/run'];

/** The folder of a file that the conductor refuses; undefined for other files and other URLs. */
export function refusedFolder(url: string, allowed: readonly string[] = DEFAULT_FOLDERS) {
  const [, path] = /^file:\/\/[^/]*(\/[^?#]*)/.exec(url) ?? []; // as Ironic reads it: without decoding
  if (path === undefined) return undefined;
  const isBelow = (folder: string): boolean => path.startsWith(`${folder.replace(/\/+$/, '')}/`);
  const isSystem = systemFolders.some(isBelow);
  if (allowed.some(isBelow) && !isSystem) return undefined;
  return { folder: path.slice(0, path.lastIndexOf('/')) || '/', isSystem };
}

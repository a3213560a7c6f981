/**
 * Links in folders whose files are read without being named: otherwise, a user who may write to the folder could make a
 * service read any file of the machine. Files that an option, a variable or an inventory names may be links to anywhere.
 */

import { lstat, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';

/**
 * Whether a file of the folder is a symbolic link that leads out of it. Those of Kubernetes' volumes lead to `..data` in the
 * same folder. A link that leads nowhere does not count: reading it fails.
 */
export async function leavesFolder(folder: string, name: string): Promise<boolean> {
  const path = join(folder, name);
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.isSymbolicLink() !== true) return false;
  const target = await realpath(path).catch(() => undefined);
  if (target === undefined) return false;
  const root = await realpath(folder);
  return !target.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);
}

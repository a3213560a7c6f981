/** A real file system that is full after some megabytes. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Mounts one of so many KiB; undefined where that is not allowed. */
export function mountSmallDisk(
  kib: number,
): { readonly path: string; readonly remove: () => void } | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined;
  const path = mkdtempSync(join(tmpdir(), 'small disk '));
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${kib}k`, 'tmpfs', path]).status === 0;
  const remove = (): void => {
    if (isMounted) spawnSync('umount', ['-l', path]);
    rmSync(path, { recursive: true, force: true });
  };
  if (isMounted) return { path, remove };
  remove();
  return undefined;
}

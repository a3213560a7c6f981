/** A real file system that is full after some megabytes. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDisk {
  readonly path: string;
  /** Leaves this many KiB on the disk. */
  readonly leave: (kib: number) => void;
  readonly remove: () => void;
}

/** For titles of tests. */
export const smallDiskNote = (): string => {
  const probe = mountSmallDisk(64);
  probe?.remove();
  return probe === undefined ? ' (skipped: only root can mount a file system)' : '';
};

/** Mounts one of so many KiB; undefined where that is not allowed. */
export function mountSmallDisk(kib: number): SmallDisk | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined;
  const path = mkdtempSync(join(tmpdir(), 'small disk '));
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${kib}k`, 'tmpfs', path]).status === 0;
  const remove = (): void => {
    if (isMounted) spawnSync('umount', ['-l', path]);
    rmSync(path, { recursive: true, force: true });
  };
  const leave = (room: number): void => {
    const used = spawnSync('df', ['--output=used', path], { encoding: 'utf8' }).stdout.split('\n')[1];
    const size = `remount,size=${Math.max(4, Number(used) + room)}k`; // a size of 0 has no limit
    if (spawnSync('mount', ['-o', size, path]).status !== 0)
      throw new Error(`cannot change the size of ${path}`);
  };
  if (isMounted) return { path, leave, remove };
  remove();
  return undefined;
}

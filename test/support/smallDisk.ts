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

/** For titles of tests: empty where a file system can be mounted. */
export function smallDiskNote(): string {
  try {
    mountSmallDisk(64).remove();
    return '';
  } catch {
    return ' (skipped: only root can mount a file system)';
  }
}

/**
 * Mounts one of so many KiB. Tests do so in hooks: what a module mounts stays when all of its tests are skipped.
 * @throws Error where that is not allowed.
 */
export function mountSmallDisk(kib: number): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), 'small disk '));
  const mount = (options: string): void => {
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path]);
    if (status !== 0) throw new Error(`cannot mount ${path}`);
  };
  const remove = (): void => {
    spawnSync('umount', ['-l', path]);
    rmSync(path, { recursive: true, force: true });
  };
  try {
    mount(`size=${kib}k`);
  } catch (error) {
    rmSync(path, { recursive: true });
    throw error;
  }
  const leave = (room: number): void => {
    const used = spawnSync('df', ['--output=used', path], { encoding: 'utf8' }).stdout.split('\n')[1];
    mount(`remount,size=${Math.max(4, Number(used) + room)}k`); // a size of 0 has no limit
  };
  return { path, leave, remove };
}

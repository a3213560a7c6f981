/** Waits for space on a full disk. */

import { statfs } from 'node:fs/promises';
import { pause, systemClock } from '../clock.ts';

/** Milliseconds between two looks at the free space. */
const LOOK_INTERVAL = 2000;

/** Resolves when the file system of the folder has more free space or inodes than now, or at the signal. */
export async function waitForSpace(folder: string, signal: AbortSignal): Promise<void> {
  const before = await freeIn(folder);
  while (!signal.aborted) {
    await pause(systemClock, LOOK_INTERVAL, signal);
    const now = await freeIn(folder);
    if (now.bytes > before.bytes || now.files > before.files) return;
  }
}

async function freeIn(folder: string): Promise<{ readonly bytes: number; readonly files: number }> {
  const stats = await statfs(folder).catch(() => undefined);
  return stats === undefined
    ? { bytes: 0, files: 0 }
    : { bytes: stats.bavail * stats.bsize, files: stats.ffree };
}

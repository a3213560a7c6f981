/** The files that a command has read. Its output must not replace one of them, by whatever path or link it is named. */

import { type BigIntStats, fstatSync, statSync } from 'node:fs';

/** Files by device and inode. */
export class ReadFiles {
  readonly #files = new Set<string>();

  /** @param fd of a file that is open; devices, pipes and terminals are not recorded */
  add(fd: number): void {
    const stats = fstatSync(fd, { bigint: true });
    if (stats.isFile()) this.#files.add(identityOf(stats));
  }

  has(path: string): boolean {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stats !== undefined && this.#files.has(identityOf(stats));
  }
}

function identityOf({ dev, ino }: BigIntStats): string {
  return `${dev} ${ino}`;
}

/** Temporary files beside the file that they will become, gone when the program fails or is interrupted. */

import { unlinkSync } from 'node:fs';
import { type FileHandle, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

export interface TempFile {
  readonly path: string;
  /** Open for reading and writing. */
  readonly handle: FileHandle;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Paths to remove when a signal ends the program. */
const remaining = new Set<string>();

/** Makes a file that does not exist yet, and opens it for reading and writing. */
export type MakeFile = (path: string) => Promise<FileHandle>;

/**
 * Lends `use` a file that `make` makes in the folder of `target`, hidden, with a random name. Whatever is still there
 * under that name afterwards is removed: to keep the file, `use` gives it another name.
 */
export async function withTempFile(
  target: string,
  make: MakeFile,
  use: (temp: TempFile) => Promise<void>,
): Promise<void> {
  const path = join(dirname(target), `.${shortName(target)}.${randomName()}.tmp`);
  remember(path);
  let handle: FileHandle | undefined;
  try {
    handle = await make(path);
    await use({ path, handle });
  } finally {
    await handle?.close();
    await unlink(path).catch(() => undefined); // it was renamed, or the error that led here says more
    forget(path);
  }
}

/** Twelve hexadecimal digits. They need not be hard to guess: the file is made only where there is none. */
function randomName(): string {
  return Math.floor(Math.random() * 2 ** 48)
    .toString(16)
    .padStart(12, '0');
}

/** Leaves room for what is added: names of more than 255 bytes are refused. */
function shortName(target: string): string {
  return Buffer.from(basename(target))
    .subarray(0, 200)
    .toString('utf8')
    .replace(/\ufffd$/, '');
}

function remember(path: string): void {
  if (remaining.size === 0) for (const signal of SIGNALS) process.on(signal, removeAndEnd);
  remaining.add(path);
}

function forget(path: string): void {
  remaining.delete(path);
  if (remaining.size === 0) for (const signal of SIGNALS) process.off(signal, removeAndEnd);
}

function removeAndEnd(signal: NodeJS.Signals): void {
  for (const path of remaining) {
    try {
      unlinkSync(path);
    } catch {
      // Nothing more can be done about it now.
    }
    forget(path);
  }
  // Nobody listens any more, so this ends the program as it would have. Windows knows signals as a way to end only.
  process.kill(process.pid, process.platform === 'win32' ? 'SIGTERM' : signal);
}

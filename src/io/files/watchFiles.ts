/**
 * Reports changes of files. It polls, because kernel notifications do not cover network file systems, or the symbolic links
 * that Kubernetes uses to replace a whole folder.
 */

import { stampOf } from './fileStates.ts';

export interface Watch {
  /** Call it before you read the files: changes until now are then not reported any more. */
  accept(): Promise<void>;
  stop(): void;
}

export interface WatchOptions {
  /** Milliseconds between two looks. */
  readonly interval: number;
  /** Called when a file was changed and has then stayed the same for one look: who writes it may need a moment. */
  readonly changed: () => void;
}

/**
 * Resolves after the current state of the files is known: later changes are reported. A watch does not keep the process running;
 * its owner needs something else that does, such as a server.
 * @param list gives the files and folders, at each look anew; one that is missing may come
 */
export async function watchFiles(
  list: () => Promise<readonly string[]>,
  { interval, changed }: WatchOptions,
): Promise<Watch> {
  let known: string | undefined;
  let seen: string | undefined;
  let isLooking = false;
  const stamps = async (): Promise<string> => {
    const current = (await list()).map((path) => stampOf(path).catch(() => 'missing'));
    return (await Promise.all(current)).join('\n');
  };
  const look = async (): Promise<void> => {
    if (isLooking) return; // a file system may take longer than that
    isLooking = true;
    const [before, accepted] = [seen, known];
    seen = await stamps();
    isLooking = false;
    if (known !== accepted) return; // what this look has seen may be older than what was accepted
    known ??= seen;
    if (seen === known || seen !== before) return;
    known = seen;
    changed();
  };
  await look();
  const timer = setInterval(() => void look(), interval);
  timer.unref();
  return {
    accept: async () => {
      known = undefined; // until the stamps are read, no look reports a change
      known = await stamps();
    },
    stop: () => clearInterval(timer),
  };
}

/** The snapshot that is served, and how another one takes its place: as a whole, and only when it is right. */

import { CliError } from '../../errors.ts';
import type { Catalog } from '../../serve/resource.ts';
import type { Snapshot } from './snapshot.ts';

export interface ServiceState {
  /** What is served now; before the first snapshot all that is asked for cannot be served yet. */
  catalog(): Catalog;
  /** Undefined before the first one. */
  current(): LoadedSnapshot | undefined;
  /** Why the last attempt failed; undefined where it did not. */
  problem(): string | undefined;
  /**
   * Takes a snapshot and serves it from then on. One attempt at a time: whoever asks meanwhile gets one more after it,
   * since files may have changed again.
   * @throws CliError where it fails; what was served is served on
   */
  load(): Promise<void>;
  /** Gives files back. */
  close(): Promise<void>;
}

export interface LoadedSnapshot extends Snapshot {
  readonly loaded: Date;
}

export function createServiceState(take: () => Promise<Snapshot>): ServiceState {
  let current: LoadedSnapshot | undefined;
  let problem: string | undefined;
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const attempt = async (): Promise<void> => {
    try {
      const snapshot = { ...(await take()), loaded: new Date() };
      const before = current;
      current = snapshot;
      problem = undefined;
      await before?.release();
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
      throw error;
    }
  };
  const start = (): Promise<void> => {
    running = attempt().finally(() => (running = undefined));
    return running;
  };
  return {
    catalog: () => current?.catalog ?? nothingYet,
    current: () => current,
    problem: () => problem,
    load: () => {
      if (running === undefined) return start();
      next ??= running
        .catch(() => undefined)
        .then(() => {
          next = undefined;
          return start();
        });
      return next;
    },
    close: async () => {
      await running?.catch(() => undefined);
      await current?.release();
      current = undefined;
    },
  };
}

const nothingYet: Catalog = {
  find: () => {
    throw new CliError('the inventory is still being read', { hint: 'wait for /readyz' });
  },
};

/** The snapshot that is served, and how another one takes its place: as a whole, and only when it is right. */

import { CliError } from '../core/errors.ts';
import type { Catalog } from './answer/resource.ts';

/** Everything that is served, as it is at one moment. */
export interface Servable {
  readonly catalog: Pick<Catalog, 'find'>;
  /** Closes all files. */
  close(): Promise<void>;
}

export interface ServiceState<S extends Servable> {
  /** What is served now; before the first snapshot all that is asked for cannot be served yet. */
  catalog(): Catalog;
  /** Undefined before the first one. */
  current(): Loaded<S> | undefined;
  /** Why the last attempt failed; undefined where it did not. */
  problem(): string | undefined;
  /**
   * Takes a snapshot and serves it from then on. One attempt at a time: whoever asks meanwhile gets one more after it,
   * since files may have changed again.
   * @throws CliError where it fails; what was served is served on
   */
  load(): Promise<void>;
  /** Nothing is served any more. */
  close(): Promise<void>;
}

/** A snapshot that is served, or was until just now. */
export type Loaded<S> = S & { readonly loaded: Date };

/** A snapshot that requests hold: its files are closed when it is not served any more and none holds it. */
interface Lent<S> {
  readonly snapshot: Loaded<S>;
  readonly hold: () => () => void;
  /** It is not served any more. */
  retire(): void;
}

function lend<S extends Servable>(snapshot: Loaded<S>): Lent<S> {
  let holders = 1; // whoever serves it
  const leave = (): void => {
    holders -= 1;
    if (holders === 0) void snapshot.close();
  };
  return {
    snapshot,
    hold: () => {
      holders += 1;
      return leave;
    },
    retire: leave,
  };
}

export function createServiceState<S extends Servable>(take: () => Promise<S>): ServiceState<S> {
  let current: Lent<S> | undefined;
  let problem: string | undefined;
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const attempt = async (): Promise<void> => {
    try {
      const before = current;
      current = lend({ ...(await take()), loaded: new Date() });
      problem = undefined;
      before?.retire();
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
    catalog: () => (current === undefined ? nothingYet : { ...current.snapshot.catalog, hold: current.hold }),
    current: () => current?.snapshot,
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
      current?.retire();
      current = undefined;
    },
  };
}

const nothingYet: Catalog = {
  hold: () => () => undefined,
  find: () => {
    throw new CliError('what is served is still being read', { code: 'ERR_BUSY', hint: 'wait for /readyz' });
  },
};

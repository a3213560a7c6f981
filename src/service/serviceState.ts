/** The snapshot that is served, and its replacement: a new snapshot replaces the old one completely, if it is valid. */

import { CliError } from '../core/errors.ts';
import type { Catalog } from '../http/server/answer/resource.ts';
import { type Clock, pause, systemClock } from '../io/clock.ts';
import { formatTime } from './status/figures.ts';
import type { HostCatalog } from './catalog.ts';
import type { BaseSet } from '../hosts/plan/baseImages.ts';
import type { BaseCatalog } from '../hosts/plan/baseCatalog.ts';

export interface Servable {
  readonly catalog: HostCatalog;
  readonly bases: BaseCatalog<BaseSet>;
  close(): Promise<void>;
}

export type ServiceState<S extends Servable> = Readonly<ReturnType<typeof createServiceState<S>>>;

/** A snapshot with the time at which it was loaded. */
type Loaded<S> = S & { readonly loaded: Date };

/** `still serving the inventory of 2026-11-29 13:14:05 UTC` */
export function keptInputs(state: ServiceState<Servable>, inputs: string): string {
  const loaded = state.current()?.loaded;
  return loaded === undefined ? 'nothing is served' : `still serving the ${inputs} of ${formatTime(loaded)}`;
}

/** A snapshot with a reference count: its files are closed when it is replaced and no request uses it any more. */
interface Counted<S> {
  readonly snapshot: Loaded<S>;
  /** The service itself has one of the references until a newer snapshot replaces this one. */
  references: number;
}

function release<S extends Servable>(counted: Counted<S>): void {
  counted.references -= 1;
  if (counted.references === 0) void counted.snapshot.close();
}

/** Milliseconds after which a reload that has not ended is reported. */
const SLOW_RELOAD = 60_000;

/**
 * @param take takes a snapshot; it gets the previous one, which is still served, and a signal that cancels it
 * @param clock for tests
 */
export function createServiceState<S extends Servable>(
  take: (before: S | undefined, signal: AbortSignal) => Promise<S>,
  clock: Clock = systemClock,
) {
  let current: Counted<S> | undefined;
  let problem: Error | undefined;
  /** Of the last attempt: what it has opened is used after it. */
  let canceled = new AbortController();
  let isEnding = false;
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const attempt = async (): Promise<void> => {
    try {
      const before = current;
      canceled = new AbortController();
      if (isEnding) canceled.abort();
      const taken = await take(before?.snapshot, canceled.signal);
      current = { snapshot: { ...taken, loaded: new Date() }, references: 1 };
      problem = undefined;
      if (before !== undefined) release(before);
    } catch (error) {
      problem = error instanceof Error ? error : new Error(String(error));
      throw error;
    } finally {
      running = undefined;
    }
  };
  const cancel = (): void => {
    isEnding = true;
    canceled.abort();
  };
  return {
    /** The current catalog. Before the first snapshot its `find` throws `ERR_BUSY`. */
    catalog: (): Catalog => {
      const used = current;
      if (used === undefined) return nothingYet;
      const acquire = (): (() => void) => {
        used.references += 1;
        return () => release(used);
      };
      return { ...used.snapshot.catalog, acquire };
    },
    /** Undefined before the first snapshot. */
    current: (): Loaded<S> | undefined => current?.snapshot,
    /** Why the last reload failed; undefined if it succeeded. */
    problem: (): Error | undefined => problem,
    /**
     * Takes a snapshot and serves it. Only one attempt runs at a time. A call during an attempt starts one more attempt after
     * it, as files may have changed meanwhile.
     * @throws CliError if the attempt fails; the previous snapshot stays in use
     */
    load: (): Promise<void> => {
      if (running === undefined) return (running = attempt());
      next ??= running
        .catch(() => undefined)
        .then(() => {
          next = undefined;
          return (running = attempt());
        });
      return next;
    },
    /**
     * Replaces a snapshot by a new one. Never rejects.
     * @param load calls `load` of this state
     * @param failed gets the error, and before that one for a reload that takes long
     */
    reload: async (load: () => Promise<void>, failed: (error: unknown) => void): Promise<void> => {
      const endWatch = clock.after(SLOW_RELOAD, () => failed((problem = slowReload())));
      try {
        await load();
      } catch (error) {
        if (!isEnding) failed(error);
      } finally {
        endWatch();
      }
    },
    isLoading: (): boolean => running !== undefined,
    cancel,
    /**
     * Closes the current snapshot, and cancels a running attempt.
     * @param time milliseconds that the attempt may take to end, as a read cannot be interrupted; default: any time
     */
    close: async (time = Infinity): Promise<void> => {
      cancel();
      const ended = new AbortController();
      void running?.catch(() => undefined).then(() => ended.abort());
      if (running !== undefined) await pause(clock, time, ended.signal);
      if (current !== undefined) release(current);
      current = undefined;
    },
  };
}

/** A reload that waits for images; smaller files have a time of their own. */
function slowReload(): CliError {
  return new CliError('the reload has not ended after a minute: images are read, or do not answer', {
    code: 'ERR_BUSY',
    hint: 'wait for the event "loaded"; if it does not come, check the file system of the images: df FOLDER',
  });
}

const nothingYet: Catalog = {
  acquire: () => () => undefined,
  find: () => {
    throw new CliError('the catalog is still loading', { code: 'ERR_BUSY', hint: 'wait for /readyz' });
  },
};

/** What `serve` and `controller` do alike while they run: they watch their input files, and end in the same order. */

import { systemClock } from '../io/clock.ts';
import { type Watch, watchFiles } from '../io/files/watchFiles.ts';
import { endNow } from '../io/process.ts';
import type { RunningService } from './service.ts';
import type { Servable } from './serviceState.ts';

/** Milliseconds between two checks for changed files. */
const LOOK_INTERVAL = 2000;

export function createInputWatches(changed: () => void) {
  const watches: Watch[] = [];
  let isStopped = false;
  return {
    /** Resolves when changes of the files are reported. The list is read again for each check. */
    add: async (list: () => Promise<readonly string[]>): Promise<void> => {
      const watch = await watchFiles(list, { interval: LOOK_INTERVAL, changed });
      if (isStopped) watch.stop();
      else watches.push(watch);
    },
    /** For each reload, also on SIGHUP: otherwise the same changes would be reported, and all files loaded again. */
    accept: async (): Promise<void> => void (await Promise.all(watches.map((watch) => watch.accept()))),
    stop: (): void => {
      isStopped = true;
      for (const watch of watches) watch.stop();
    },
  };
}

interface ServiceEnd {
  /** Milliseconds for running transfers. */
  readonly grace: number;
  /** The second signal, which ends all waiting. */
  readonly hurry: Promise<NodeJS.Signals>;
  readonly close?: () => Promise<void>;
}

/**
 * Waits for running transfers, closes the server and the files that it serves, and logs the end as the last event.
 * @returns whether the files are still being loaded: then only a signal ends the process
 */
export async function endService<S extends Servable>(
  { log, server, state }: RunningService<S>,
  { close, grace, hurry }: ServiceEnd,
): Promise<boolean> {
  const end = systemClock.now() + grace;
  void hurry.then(async (signal) => {
    await server.stop(0);
    if (state.isLoading()) endNow(signal);
  });
  const { aborted } = await server.stop(grace);
  await Promise.all([state.close(end - systemClock.now()), close?.()]);
  log.note('info', 'stopped', { aborted });
  return state.isLoading();
}

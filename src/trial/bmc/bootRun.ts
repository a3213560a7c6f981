/** A run of `boot`: what all its machines share, with the clients of their BMCs. */

import type { Architecture } from '../../core/architecture.ts';
import type { Io } from '../../io/io.ts';
import { watchSilence } from '../../io/waiting.ts';
import { openRedfish, type RedfishClient } from '../../redfish/redfishClient.ts';
import type { CheckedMachine } from './checks.ts';
import type { ImageServer } from './imageUrls.ts';
import type { BootTimes } from './machineBoot.ts';
import type { BootRunOptions } from './options.ts';
import type { Survey } from './survey.ts';
import type { Target } from './targets.ts';

export interface BootRun {
  readonly options: BootRunOptions;
  readonly server: ImageServer;
  readonly clients: BmcClients;
  readonly times: BootTimes;
  readonly io: Io;
  /** Of the only ISO. */
  readonly architecture: Architecture | undefined;
  /** The time of the clock at which all checks end. */
  readonly end: number;
}

export type SurveyedMachine = CheckedMachine & { readonly survey: Survey };

type BmcClients = Readonly<ReturnType<typeof createBmcClients>>;

/**
 * Each client logs in for its work, and out in the background. Names the BMCs that do not answer for `times.silence`, and again each
 * time.
 */
export function createBmcClients(times: BootTimes, io: Io) {
  const watch = watchSilence(times.silence, ['the BMC of ', 'the BMCs of '], io);
  const logouts: Promise<void>[] = [];
  return {
    /** @param bounds the deadline is the time of the clock at which all requests of the work end */
    use: async <T>(
      target: Target,
      bounds: { readonly signal: AbortSignal; readonly deadline?: number | undefined },
      work: (client: RedfishClient) => Promise<T>,
    ): Promise<T> => {
      const note = (text?: string): void => {
        watch.heard(target.name);
        if (text !== undefined) io.note?.(text);
      };
      note();
      try {
        const client = await openRedfish({ ...target, ...bounds, timing: times, note });
        try {
          return await work(client);
        } finally {
          logouts.push(client.close());
        }
      } finally {
        watch.done(target.name);
      }
    },
    /** Resolves when all clients have logged out. */
    close: async (): Promise<void> => {
      watch.close();
      await Promise.all(logouts);
    },
  };
}

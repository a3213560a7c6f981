/** The clients of all BMCs: each logs in for its work, and out in the background. */

import { largest } from '../../core/lists.ts';
import { formatCount, formatWordList } from '../../formats/messageText.ts';
import { systemClock } from '../../io/clock.ts';
import type { Io } from '../../io/io.ts';
import { report } from '../../io/report/report.ts';
import { openRedfish, type RedfishClient } from '../../redfish/redfishClient.ts';
import type { BootTimes } from './machineBoot.ts';
import type { Target } from './targets.ts';

export type BmcClients = Readonly<ReturnType<typeof createBmcClients>>;

/** Names the BMCs that do not answer for `times.silence`, and again each time. */
export function createBmcClients(times: BootTimes, io: Io) {
  /** By the name of a machine: the time of the clock at which its BMC answered last. */
  const heard = new Map<string, number>();
  const logouts: Promise<void>[] = [];
  const reportSilence = (): void => {
    const now = systemClock.now();
    const silent = [...heard].filter(([, last]) => now - last >= times.silence);
    if (silent.length === 0) return;
    const names = formatWordList(silent.map(([name]) => name));
    const time = formatCount(Math.round(largest(silent.map(([, last]) => now - last)) / 1000), 'second');
    const message = `waiting for ${silent.length === 1 ? 'the BMC' : 'the BMCs'} of ${names}; no response for ${time}`;
    report(io, { severity: 'info', message });
  };
  const timer = setInterval(reportSilence, times.silence);
  return {
    /** @param bounds the deadline is the time of the clock at which all requests of the work end */
    use: async <T>(
      target: Target,
      bounds: { readonly signal: AbortSignal; readonly deadline?: number | undefined },
      work: (client: RedfishClient) => Promise<T>,
    ): Promise<T> => {
      const note = (text?: string): void => {
        heard.set(target.name, systemClock.now());
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
        heard.delete(target.name);
      }
    },
    /** Resolves when all clients have logged out. */
    close: async (): Promise<void> => {
      clearInterval(timer);
      await Promise.all(logouts);
    },
  };
}

/** What the image service sees of machines, as events of a trial. */

import type { TransferLog, TransferStart, TransferWatcher } from '../../serve/answer/transfers.ts';
import type { FetchEvent } from '../timeline/events.ts';

/** First fetches that are remembered, so that each is told once; of more, some are told again. */
const MOST_REMEMBERED = 100_000;

/**
 * @param progress knows how much of an image went to whom; there is none before the first transfer
 * @param observe is told when an image is fetched for the first time, and when a transfer is over
 */
export function createFetchWatcher(
  progress: () => Pick<TransferLog, 'progressOf'> | undefined,
  observe: (event: FetchEvent) => void,
): TransferWatcher {
  const begun = new Set<string>();
  return {
    began: (start) => {
      const key = `${start.client} ${start.path}`;
      if (begun.has(key)) return;
      if (begun.size >= MOST_REMEMBERED) begun.clear();
      begun.add(key);
      observe({ ...factsOf(start), at: new Date(), outcome: 'began', bytes: 0 });
    },
    ended: (event) => {
      const { ended: at, outcome } = event;
      observe({ ...factsOf(event), at, outcome, bytes: receivedOf(event, progress()) });
    },
  };
}

type Facts = Omit<FetchEvent, 'at' | 'outcome' | 'bytes'>;

function factsOf({ artifact, client, host, path, size }: TransferStart): Facts {
  return { kind: 'fetch', client, artifact, host, path, size };
}

/** Of an image that comes in ranges, all of them so far. */
function receivedOf(
  { bytes, client, host, path }: TransferStart & { readonly bytes: number },
  progress: Pick<TransferLog, 'progressOf'> | undefined,
): number {
  const image = progress?.progressOf(host).find((one) => one.path === path);
  return image?.clients.at(-1) === client ? Math.max(image.bytes, bytes) : bytes;
}

/**
 * Who fetched which image how far. A BMC reads an image with several connections at once, and a resumed download comes in
 * parts: what counts is what one client has received in all of its transfers. Memory is bounded whatever clients do.
 */

import type { ByteRange } from '../../image/overlay.ts';
import { createImageFetches, type FetchStart, type ImageProgress } from './imageFetches.ts';
import type { Artifact } from './resource.ts';

export interface TransferStart extends FetchStart {
  /** Of the request, for the log. */
  readonly id: number;
  readonly userAgent?: string;
}

/**
 * `client gone`: it closed the connection. `cut off`: it took nothing for too long, or the service was stopped. `failed`:
 * the image could not be read.
 */
export type TransferOutcome = 'complete' | 'client gone' | 'cut off' | 'failed';

export interface Transfer {
  /** These bytes of the image are on their way. */
  sent(range: ByteRange): void;
  /** Once, and nothing is sent after it. `complete`: all that the request asked for. */
  end(outcome: TransferOutcome): void;
}

/** A transfer that has ended. */
export interface TransferEvent extends TransferStart {
  readonly outcome: TransferOutcome;
  /** Of this transfer. */
  readonly bytes: number;
  readonly seconds: number;
  readonly ended: Date;
}

/** An image that one client has received as a whole. */
interface FetchedImage {
  readonly path: string;
  readonly artifact: Artifact;
  readonly client: string;
}

export interface TransferLog {
  begin(start: TransferStart): Transfer;
  /** What was fetched of a host, or of what all share; in the order of its first fetch. */
  progressOf(host: string | undefined): readonly ImageProgress[];
  /** The transfers that ended last, the newest one first. */
  recent(): readonly TransferEvent[];
  /** Transfers that run now. */
  running(): number;
  /**
   * Resolves when from now on a client has received all of an image of the host, or of what all share, which is one of
   * these: in however many transfers, all that still ran being over.
   */
  whenFetched(host: string | undefined, artifacts: readonly Artifact[]): Promise<FetchedImage>;
}

/** Is told of every transfer, e.g. to count. */
export interface TransferWatcher {
  began?(start: TransferStart): void;
  sent?(start: TransferStart, bytes: number): void;
  ended?(event: TransferEvent): void;
}

export interface TransferLogOptions {
  readonly now: () => Date;
  readonly watchers?: readonly TransferWatcher[];
}

/** Events that `recent` remembers. */
const mostEvents = 200;
/** Characters of a user agent that are remembered. */
const longestUserAgent = 120;

/** Nothing fetched so far. */
export function createTransferLog({ now, watchers = [] }: TransferLogOptions): TransferLog {
  const images = createImageFetches();
  const events: TransferEvent[] = [];
  const waiting = new Set<Waiting>();
  let running = 0;

  const remember = (event: TransferEvent): void => {
    events.unshift(event);
    events.length = Math.min(events.length, mostEvents);
    for (const watcher of watchers) watcher.ended?.(event);
  };
  const reportFetched = ({ host, path, artifact, client }: TransferStart): void => {
    for (const one of waiting) {
      if (one.host !== host || !one.artifacts.includes(artifact)) continue;
      waiting.delete(one);
      one.resolve({ path, artifact, client });
    }
  };
  const begin = (start: TransferStart): Transfer => {
    const began = now();
    const fetch = images.begin(start, began);
    let bytes = 0;
    running++;
    for (const watcher of watchers) watcher.began?.(start);
    return {
      sent: (range) => {
        bytes += range.length;
        fetch.sent(range, now());
        for (const watcher of watchers) watcher.sent?.(start, range.length);
      },
      end: (outcome) => {
        const ended = now();
        running--;
        const isFetched = fetch.end(outcome === 'complete', ended);
        const seconds = (ended.getTime() - began.getTime()) / 1000;
        remember({ ...start, outcome, bytes, seconds, ended });
        if (isFetched) reportFetched(start);
      },
    };
  };

  return {
    begin: (start) => begin(withShortUserAgent(start)),
    progressOf: (host) => images.progressOf(host),
    recent: () => [...events],
    running: () => running,
    whenFetched: (host, artifacts) =>
      new Promise((resolve) => {
        waiting.add({ host, artifacts, resolve });
      }),
  };
}

interface Waiting {
  readonly host: string | undefined;
  readonly artifacts: readonly Artifact[];
  readonly resolve: (image: FetchedImage) => void;
}

function withShortUserAgent(start: TransferStart): TransferStart {
  if (start.userAgent === undefined) return start;
  return { ...start, userAgent: start.userAgent.slice(0, longestUserAgent) };
}

/**
 * The log of transfers and the progress of each client. A BMC reads an image with several concurrent connections, and a
 * resumed download has several parts, so the progress covers all transfers of a client. Memory is limited in all cases.
 */

import type { ByteRange } from '../../image/overlay.ts';
import { createImageFetches, type FetchStart, type ImageProgress } from './imageFetches.ts';
import type { Artifact } from './resource.ts';

export interface TransferStart extends FetchStart {
  /** The request ID, for the log. */
  readonly id: number;
  readonly userAgent?: string;
}

/**
 * `client disconnected`: the client closed the connection. `aborted`: the service closed it, as the client read nothing for
 * the idle timeout or the service was stopped. `failed`: the image could not be read.
 */
export type TransferOutcome = 'complete' | 'client disconnected' | 'aborted' | 'failed';

export interface Transfer {
  /** These bytes of the image were sent. */
  sent(range: ByteRange): void;
  /** To be called once, at the end. `complete`: all requested bytes were sent. */
  end(outcome: TransferOutcome): void;
}

/** A finished transfer. */
export interface TransferEvent extends TransferStart {
  readonly outcome: TransferOutcome;
  /** Bytes of this transfer. */
  readonly bytes: number;
  readonly seconds: number;
  readonly ended: Date;
}

/** An image that a client has received completely. */
interface FetchedImage {
  readonly path: string;
  readonly artifact: Artifact;
  readonly client: string;
}

export interface TransferLog {
  begin(start: TransferStart): Transfer;
  /** The progress of a host, or of shared files, in the order of the first fetch. */
  progressOf(host: string | undefined): readonly ImageProgress[];
  /** The most recently finished transfers, the newest first. */
  recent(): readonly TransferEvent[];
  /** The number of running transfers. */
  running(): number;
  /**
   * Resolves when a client has received one of these artifacts of the host, or of the shared files, completely, and has no
   * other running transfer of it. Earlier fetches do not count.
   */
  whenFetched(host: string | undefined, artifacts: readonly Artifact[]): Promise<FetchedImage>;
}

/** Receives every transfer, for example to count it. */
export interface TransferWatcher {
  began?(start: TransferStart): void;
  sent?(start: TransferStart, bytes: number): void;
  ended?(event: TransferEvent): void;
}

export interface TransferLogOptions {
  readonly now?: () => Date;
  readonly watchers?: readonly TransferWatcher[];
}

/** The number of events that `recent` returns. */
const maxEvents = 200;
/** The number of characters of a user agent that are stored. */
const maxUserAgentLength = 120;

/** Creates an empty log. */
export function createTransferLog(options: TransferLogOptions = {}): TransferLog {
  const { now = (): Date => new Date(), watchers = [] } = options;
  const images = createImageFetches();
  const events: TransferEvent[] = [];
  const waiting = new Set<Waiting>();
  let running = 0;

  const addEvent = (event: TransferEvent): void => {
    events.unshift(event);
    events.length = Math.min(events.length, maxEvents);
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
        addEvent({ ...start, outcome, bytes, seconds, ended });
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
  return { ...start, userAgent: start.userAgent.slice(0, maxUserAgentLength) };
}

/**
 * The log of transfers and the progress of each client. A BMC reads an image with several concurrent connections, and a
 * resumed download has several parts, so the progress covers all transfers of a client. Memory is limited in all cases.
 */

import { largest } from '../../../core/lists.ts';
import type { ByteRange } from '../../../image/overlay.ts';
import type { ArtifactKind } from '../../../core/artifacts.ts';

export interface TransferStart {
  readonly id: number;
  readonly userAgent?: string | undefined;
  /** IP address. All transfers from the same address count as one client. */
  readonly client: string;
  /** The host of the image; undefined for shared files. */
  readonly host: string | undefined;
  /** In the catalog: `worker-0.iso`. */
  readonly path: string;
  readonly artifact: ArtifactKind;
  /** Size of the whole image in bytes, also for a range request. */
  readonly size: number;
  /** The entity tag of the image. Bytes of an earlier image with the same path do not count. */
  readonly etag: string;
}

export interface ImageProgress extends Pick<TransferStart, 'path' | 'artifact' | 'size'> {
  /**
   * Distinct bytes that one client has received: of the running clients the one with the most bytes, otherwise of the last
   * client. If a client fetches a complete image again, the count restarts at zero.
   */
  readonly bytes: number;
  /** The last time when bytes were sent, or a transfer began or ended. */
  readonly lastFetch: Date;
  readonly completed: Date | undefined;
  readonly running: number;
  /** Addresses of the most recent clients, the most recent last. */
  readonly clients: readonly string[];
}

/**
 * `client disconnected`: the client closed the connection. `aborted`: the service closed it, as the client read nothing for
 * the idle timeout or the service was stopped. `failed`: the image could not be read.
 */
export type TransferOutcome = 'complete' | 'client disconnected' | 'aborted' | 'failed';

export interface TransferEvent extends TransferStart {
  readonly outcome: TransferOutcome;
  readonly bytes: number;
  readonly seconds: number;
  readonly ended: Date;
}

export type TransferLog = Readonly<ReturnType<typeof createTransferLog>>;

export interface TransferWatcher {
  began?(start: TransferStart): void;
  /** @param received distinct bytes of the image that the client has, including these */
  sent?(start: TransferStart, bytes: number, received: () => number): void;
  ended?(event: TransferEvent, received: () => number): void;
}

const MAX_EVENTS = 200;

/** The number of clients that are tracked per image: its BMC, another interface of the BMC, a user with curl. */
const MAX_CLIENTS = 4;

export function createTransferLog(watchers: readonly TransferWatcher[] = [], now = (): Date => new Date()) {
  const images = new Map<string | undefined, Image[]>();
  const events: TransferEvent[] = [];
  const waiting = new Set<(fetched: TransferStart) => void>();
  let running = 0;

  const begin = (start: TransferStart) => {
    const began = now();
    const ofHost = images.get(start.host) ?? [];
    images.set(start.host, ofHost);
    const image = imageFor(ofHost, start);
    const client = clientFor(image, start.client);
    image.lastFetch = began;
    client.running++;
    running++;
    let bytes = 0;
    const received = (): number => receivedBytes(client.coverage);
    for (const watcher of watchers) watcher.began?.(start);
    return {
      sent: (range: ByteRange): void => {
        bytes += range.length;
        addReceived(client.coverage, range);
        image.lastFetch = now();
        for (const watcher of watchers) watcher.sent?.(start, range.length, received);
      },
      /** To be called once, at the end. `complete`: all requested bytes were sent. */
      end: (outcome: TransferOutcome): void => {
        const ended = now();
        running--;
        client.running--;
        client.isServed ||= outcome === 'complete';
        image.lastFetch = ended;
        const isFetched = client.running === 0 && client.isServed && isComplete(client.coverage);
        if (isFetched) image.completed = ended;
        const seconds = (ended.getTime() - began.getTime()) / 1000;
        const event = { ...start, outcome, bytes, seconds, ended };
        events.unshift(event);
        events.length = Math.min(events.length, MAX_EVENTS);
        for (const watcher of watchers) watcher.ended?.(event, received);
        if (isFetched) for (const check of waiting) check(start);
      },
    };
  };

  return {
    begin,
    /** The progress of a host, or of shared files, in the order of the first fetch. */
    progressOf: (host: string | undefined): readonly ImageProgress[] =>
      (images.get(host) ?? []).map(progressOf),
    /** The most recently finished transfers, the newest first. */
    recent: (): readonly TransferEvent[] => [...events],
    running: (): number => running,
    /**
     * Resolves when a client has received one of these artifacts of the host, or of the shared files, completely, and has no
     * other running transfer of it. Earlier fetches do not count.
     */
    whenFetched: (host: string | undefined, artifacts: readonly ArtifactKind[]): Promise<void> =>
      new Promise((resolve) => {
        const check = ({ artifact, host: owner }: TransferStart): void => {
          if (owner !== host || !artifacts.includes(artifact)) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
      }),
  };
}

interface Image extends Pick<TransferStart, 'path' | 'artifact' | 'size' | 'etag'> {
  /** The most recent client last. */
  readonly clients: Client[];
  lastFetch: Date;
  completed: Date | undefined;
}

interface Client {
  readonly address: string;
  coverage: Coverage;
  running: number;
  /** Whether one of its transfers was complete: how much a disconnected client has received is unknown. */
  isServed: boolean;
}

/** Returns the image of the list. An image with the same path and another entity tag is replaced. */
function imageFor(images: Image[], { path, artifact, size, etag }: TransferStart): Image {
  const index = images.findIndex((image) => image.path === path);
  const known = images[index];
  if (known?.etag === etag) return known;
  const image: Image = {
    path,
    artifact,
    size,
    etag,
    clients: [],
    lastFetch: new Date(0),
    completed: undefined,
  };
  if (known === undefined) images.push(image);
  else images[index] = image;
  return image;
}

function clientFor({ clients, size }: Image, address: string): Client {
  const index = clients.findIndex((client) => client.address === address);
  const known = clients[index];
  const isNew = known === undefined || (known.running === 0 && isComplete(known.coverage));
  const client = isNew ? { address, coverage: createCoverage(size), running: 0, isServed: false } : known;
  if (known !== undefined) clients.splice(index, 1);
  clients.push(client);
  // A running transfer of a dropped client continues, but is no longer shown.
  if (clients.length > MAX_CLIENTS) clients.shift();
  return client;
}

function progressOf({ clients, path, artifact, size, lastFetch, completed }: Image): ImageProgress {
  const fetching = clients.filter(({ running }) => running > 0);
  const shown = fetching.length > 0 ? fetching : clients.slice(-1);
  return {
    path,
    artifact,
    size,
    bytes: largest(
      shown.map(({ coverage }) => receivedBytes(coverage)),
      0,
    ),
    lastFetch,
    completed,
    running: clients.reduce((sum, { running }) => sum + running, 0),
    clients: clients.map(({ address }) => address),
  };
}

/** Plain data, as one exists for each fetched image. */
interface Coverage {
  readonly size: number;
  /** Neither overlap nor touch; the most recently changed one is the last. */
  extents: readonly Extent[];
}

/** A contiguous part of an image; `end` is exclusive. */
interface Extent {
  readonly start: number;
  readonly end: number;
}

/**
 * Of a client that fetches many scraps, the oldest ones are forgotten: then the number of bytes is too low, but never too high. A
 * BMC that boots a machine reads a few hundred extents.
 */
const MAX_EXTENTS = 1024;

export function createCoverage(size: number): Coverage {
  return { size, extents: [] };
}

/** Ranges may overlap. Bytes outside of the image are ignored. */
export function addReceived(coverage: Coverage, { offset, length }: ByteRange): void {
  const added = { start: Math.max(0, offset), end: Math.min(coverage.size, offset + length) };
  if (added.start >= added.end) return;
  const apart: Extent[] = [];
  for (const extent of coverage.extents) {
    if (extent.end < added.start || extent.start > added.end) apart.push(extent);
    else {
      added.start = Math.min(added.start, extent.start);
      added.end = Math.max(added.end, extent.end);
    }
  }
  coverage.extents = [...apart.slice(1 - MAX_EXTENTS), added];
}

export function receivedBytes({ extents }: Coverage): number {
  return extents.reduce((sum, { start, end }) => sum + end - start, 0);
}

export function isComplete(coverage: Coverage): boolean {
  return receivedBytes(coverage) === coverage.size;
}

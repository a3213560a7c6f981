/**
 * The log of transfers and the progress of each client. A BMC reads an image with several concurrent connections, and a
 * resumed download has several parts, so the progress covers all transfers of a client. Memory is limited in all cases.
 */

import { largest } from '../../../core/lists.ts';
import type { ByteRange } from '../../../image/overlay.ts';
import type { ArtifactKind } from '../../../core/artifacts.ts';

export interface TransferStart {
  /** The request ID, for the log. */
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

/** The fetch progress of an image. */
export interface ImageProgress extends Pick<TransferStart, 'path' | 'artifact' | 'size'> {
  /**
   * Distinct bytes that one client has received: of the running clients the one with the most bytes, otherwise of the last
   * client. If a client fetches a complete image again, the count restarts at zero.
   */
  readonly bytes: number;
  /** The last time when bytes were sent, or a transfer began or ended. */
  readonly lastFetch: Date;
  /** When a client last completed the image. */
  readonly completed: Date | undefined;
  /** Number of running transfers. */
  readonly running: number;
  /** Addresses of the most recent clients, the most recent last. */
  readonly clients: readonly string[];
}

/**
 * `client disconnected`: the client closed the connection. `aborted`: the service closed it, as the client read nothing for
 * the idle timeout or the service was stopped. `failed`: the image could not be read.
 */
export type TransferOutcome = 'complete' | 'client disconnected' | 'aborted' | 'failed';

interface Transfer {
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
type FetchedImage = Pick<TransferStart, 'path' | 'artifact' | 'client'>;

export interface TransferLog {
  begin(start: TransferStart): Transfer;
  /** The progress of a host, or of shared files, in the order of the first fetch. */
  progressOf(host: string | undefined): readonly ImageProgress[];
  /** The most recently finished transfers, the newest first. */
  recent(): readonly TransferEvent[];
  /** The number of running transfers. */
  running(): number;
  /** The number of bytes that all transfers have sent. */
  sent(): number;
  /**
   * Resolves when a client has received one of these artifacts of the host, or of the shared files, completely, and has no
   * other running transfer of it. Earlier fetches do not count.
   */
  whenFetched(host: string | undefined, artifacts: readonly ArtifactKind[]): Promise<FetchedImage>;
}

/** Receives every transfer, for example to count it. */
export interface TransferWatcher {
  began?(start: TransferStart): void;
  /** @param total bytes of the transfer so far, including these */
  sent?(start: TransferStart, bytes: number, total: number): void;
  ended?(event: TransferEvent): void;
}

/** The number of events that `recent` returns. */
const MAX_EVENTS = 200;
/** The number of characters of a user agent that are stored. */
const MAX_USER_AGENT_LENGTH = 120;

/** The number of clients that are tracked per image: its BMC, another interface of the BMC, a user with curl. */
const MAX_CLIENTS = 4;
/** At least this many hosts are remembered, and at most twice as many. A host takes a few KiB while its images are fetched. */
const MAX_HOSTS = 12_000;

/** Creates an empty log. */
export function createTransferLog(
  watchers: readonly TransferWatcher[] = [],
  now = (): Date => new Date(),
): TransferLog {
  const images = createHostImages();
  const events: TransferEvent[] = [];
  const waiting = new Set<(fetched: TransferStart) => void>();
  let running = 0;
  let sent = 0;

  const begin = (given: TransferStart): Transfer => {
    const start = { ...given, userAgent: given.userAgent?.slice(0, MAX_USER_AGENT_LENGTH) };
    const began = now();
    const image = imageFor(images.use(start.host), start);
    const client = clientFor(image, start.client);
    image.lastFetch = began;
    client.running++;
    running++;
    let bytes = 0;
    for (const watcher of watchers) watcher.began?.(start);
    return {
      sent: (range) => {
        bytes += range.length;
        sent += range.length;
        addReceived(client.coverage, range);
        image.lastFetch = now();
        for (const watcher of watchers) watcher.sent?.(start, range.length, bytes);
      },
      end: (outcome) => {
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
        for (const watcher of watchers) watcher.ended?.(event);
        if (isFetched) for (const check of waiting) check(start);
      },
    };
  };

  return {
    begin,
    progressOf: (host) => images.find(host).map(progressOf),
    recent: () => [...events],
    running: () => running,
    sent: () => sent,
    whenFetched: (host, artifacts) =>
      new Promise((resolve) => {
        const check = ({ artifact, client, host: owner, path }: TransferStart): void => {
          if (owner !== host || !artifacts.includes(artifact)) return;
          waiting.delete(check);
          resolve({ path, artifact, client });
        };
        waiting.add(check);
      }),
  };
}

interface HostImages {
  find(host: string | undefined): readonly Image[];
  /** The images of the host, which is then remembered longer than hosts that were used before. */
  use(host: string | undefined): Image[];
}

/** Hosts are dropped in generations, as a map becomes slow if its oldest entry is removed repeatedly. */
function createHostImages(): HostImages {
  let young = new Map<string | undefined, Image[]>();
  let old = young;
  const find = (host: string | undefined): Image[] => young.get(host) ?? old.get(host) ?? [];
  return {
    find,
    use: (host) => {
      const images = find(host);
      if (young.size >= MAX_HOSTS && !young.has(host)) [old, young] = [young, new Map()];
      young.set(host, images);
      return images;
    },
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

// The bytes of an image that a client has received, for ranges in any order: a bitmap of complete blocks, and the fragments of
// incomplete blocks. The number of fragments is limited, which is enough for clients that receive a few contiguous extents. For
// a client with many extents, the reported number of bytes may be too low, but never too high.

/** Plain data, as one exists for each fetched image. */
interface Coverage {
  readonly size: number;
  readonly blockSize: number;
  readonly bits: Uint8Array;
  /** Bytes in complete blocks. */
  bytes: number;
  /** By block number, the most recently changed block last. */
  readonly fragments: Map<number, readonly Extent[]>;
}

/** Enough for two clients with 16 connections each, as block borders split extents. */
const MAX_FRAGMENTS = 64;
/** Limits the bitmap of an image to 512 bytes; an image of 1 GiB has blocks of 256 KiB. */
const MAX_BLOCKS = 4096;
const MIN_BLOCK_SIZE = 4096;

/** The coverage of an image of `size` bytes without any received bytes. */
export function createCoverage(size: number): Coverage {
  let blockSize = MIN_BLOCK_SIZE;
  while (blockSize * MAX_BLOCKS < size) blockSize *= 2;
  const bits = new Uint8Array(Math.ceil(size / blockSize / 8));
  return { size, blockSize, bits, bytes: 0, fragments: new Map() };
}

/** Ranges may overlap. Bytes outside of the image are ignored. */
export function addReceived(coverage: Coverage, { offset, length }: ByteRange): void {
  const { blockSize, size } = coverage;
  const start = Math.max(0, offset);
  const end = Math.min(size, offset + length);
  for (let block = Math.floor(start / blockSize); block * blockSize < end; block++) {
    const extent = { start: block * blockSize, end: Math.min(size, (block + 1) * blockSize) };
    const piece = { start: Math.max(start, extent.start), end: Math.min(end, extent.end) };
    if (piece.start < piece.end) addToBlock(coverage, block, extent, piece);
  }
}

/** The number of distinct bytes that were received. */
export function receivedBytes({ bytes, fragments }: Coverage): number {
  return bytes + [...fragments.values()].reduce((sum, pieces) => sum + countBytes(pieces), 0);
}

/** Whether all bytes were received. */
export function isComplete(coverage: Coverage): boolean {
  return receivedBytes(coverage) === coverage.size;
}

function addToBlock(coverage: Coverage, block: number, extent: Extent, piece: Extent): void {
  const { bits, fragments } = coverage;
  const byte = bits[block >> 3] ?? 0;
  const bit = 1 << (block & 7);
  if ((byte & bit) !== 0) return;
  const pieces = addExtent(fragments.get(block) ?? [], piece);
  fragments.delete(block);
  if (countBytes(pieces) === extent.end - extent.start) {
    bits[block >> 3] = byte | bit;
    coverage.bytes += extent.end - extent.start;
  } else {
    fragments.set(block, pieces);
    dropOldFragments(fragments);
  }
}

function dropOldFragments(fragments: Coverage['fragments']): void {
  let count = [...fragments.values()].reduce((sum, pieces) => sum + pieces.length, 0);
  for (const [block, pieces] of fragments) {
    if (count <= MAX_FRAGMENTS) break;
    fragments.delete(block);
    count -= pieces.length;
  }
}

/** A contiguous part of an image; `end` is exclusive. */
interface Extent {
  readonly start: number;
  readonly end: number;
}

/** Adds an extent to the list and merges it with all extents that it overlaps or touches. */
function addExtent(extents: readonly Extent[], added: Extent): Extent[] {
  const isApart = ({ start, end }: Extent): boolean => end < added.start || start > added.end;
  let { start, end } = added;
  for (const extent of extents) {
    if (isApart(extent)) continue;
    start = Math.min(start, extent.start);
    end = Math.max(end, extent.end);
  }
  return [...extents.filter(isApart), { start, end }];
}

function countBytes(extents: readonly Extent[]): number {
  return extents.reduce((sum, { start, end }) => sum + end - start, 0);
}

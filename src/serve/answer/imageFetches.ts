/** The fetch progress of each image and client, over all transfers: the state of `transfers.ts`. */

import type { ByteRange } from '../../image/overlay.ts';
import { addReceived, type Coverage, createCoverage, isComplete, receivedBytes } from './coverage.ts';
import type { Artifact } from './resource.ts';

export interface FetchStart {
  /** IP address. All transfers from the same address count as one client. */
  readonly client: string;
  /** The host of the image; undefined for shared files. */
  readonly host: string | undefined;
  /** In the catalog: `worker-0.iso`. */
  readonly path: string;
  readonly artifact: Artifact;
  /** Size of the whole image in bytes, also for a range request. */
  readonly size: number;
  /** The entity tag of the image. Bytes of an earlier image with the same path do not count. */
  readonly etag: string;
}

/** The fetch progress of an image. */
export interface ImageProgress {
  readonly path: string;
  readonly artifact: Artifact;
  readonly size: number;
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

/** One transfer. */
interface ImageFetch {
  sent(range: ByteRange, time: Date): void;
  /**
   * @param isWhole whether all requested bytes were sent
   * @returns whether the client now has the complete image and has no other running transfer of it
   */
  end(isWhole: boolean, time: Date): boolean;
}

export interface ImageFetches {
  begin(start: FetchStart, time: Date): ImageFetch;
  /** In the order of the first fetch. */
  progressOf(host: string | undefined): readonly ImageProgress[];
}

/** The number of clients that are tracked per image: its BMC, another interface of the BMC, a user with curl. */
const maxClients = 4;
/** At least this many hosts are remembered, and at most twice as many. A host takes a few KiB while its images are fetched. */
const maxHosts = 12_000;

/** Nothing fetched so far. */
export function createImageFetches(): ImageFetches {
  // Hosts are dropped in generations, as a map becomes slow if its oldest entry is removed repeatedly.
  let young = new Map<string | undefined, Image[]>();
  let old = young;
  const imagesOf = (host: string | undefined): Image[] => {
    const images = young.get(host) ?? old.get(host) ?? [];
    if (young.size >= maxHosts && !young.has(host)) [old, young] = [young, new Map()];
    young.set(host, images);
    return images;
  };
  return {
    begin: (start, time) => {
      const image = imageFor(imagesOf(start.host), start);
      image.lastFetch = time;
      return fetchOf(image, clientFor(image, start.client));
    },
    progressOf: (host) => (young.get(host) ?? old.get(host) ?? []).map(progressOf),
  };
}

interface Image extends Pick<FetchStart, 'path' | 'artifact' | 'size' | 'etag'> {
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
function imageFor(images: Image[], { path, artifact, size, etag }: FetchStart): Image {
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
  if (clients.length > maxClients) clients.shift();
  return client;
}

function fetchOf(image: Image, client: Client): ImageFetch {
  client.running++;
  return {
    sent: (range, time) => {
      addReceived(client.coverage, range);
      image.lastFetch = time;
    },
    end: (isWhole, time) => {
      client.running--;
      client.isServed ||= isWhole;
      image.lastFetch = time;
      if (client.running > 0 || !client.isServed || !isComplete(client.coverage)) return false;
      image.completed = time;
      return true;
    },
  };
}

function progressOf({ clients, path, artifact, size, lastFetch, completed }: Image): ImageProgress {
  const fetching = clients.filter(({ running }) => running > 0);
  const shown = fetching.length > 0 ? fetching : clients.slice(-1);
  return {
    path,
    artifact,
    size,
    bytes: Math.max(0, ...shown.map(({ coverage }) => receivedBytes(coverage))),
    lastFetch,
    completed,
    running: clients.reduce((sum, { running }) => sum + running, 0),
    clients: clients.map(({ address }) => address),
  };
}

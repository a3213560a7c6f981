/** How far each image has been fetched by whom, over all transfers: the state behind `transfers.ts`. */

import type { ByteRange } from '../../image/overlay.ts';
import { addReceived, type Coverage, createCoverage, isComplete, receivedBytes } from './coverage.ts';
import type { Artifact } from './resource.ts';

export interface FetchStart {
  /** Its address: all transfers from there are one client's. */
  readonly client: string;
  /** Whose image it is; undefined for what all hosts share. */
  readonly host: string | undefined;
  /** In the catalog: `worker-0.iso`. */
  readonly path: string;
  readonly artifact: Artifact;
  /** Bytes of the whole image, however many of them are asked for. */
  readonly size: number;
  /** Of the image: bytes of the one that had this path before do not count. */
  readonly etag: string;
}

/** How far an image has been fetched. */
export interface ImageProgress {
  readonly path: string;
  readonly artifact: Artifact;
  readonly size: number;
  /**
   * Different bytes that went to one client: the one with the most of those that fetch, otherwise the last one. When a
   * client that had all comes again, they are counted anew.
   */
  readonly bytes: number;
  /** When last something was sent, or a transfer began or ended. */
  readonly lastFetch: Date;
  /** When last a client had all of it. */
  readonly completed: Date | undefined;
  /** Transfers that run now. */
  readonly running: number;
  /** Addresses of the last clients, the last one at the end. */
  readonly clients: readonly string[];
}

/** One transfer. */
interface ImageFetch {
  sent(range: ByteRange, time: Date): void;
  /**
   * @param isWhole whether it brought all that it was to bring
   * @returns whether its client has all of the image by this and is fetching no more of it
   */
  end(isWhole: boolean, time: Date): boolean;
}

export interface ImageFetches {
  begin(start: FetchStart, time: Date): ImageFetch;
  /** In the order of their first fetch. */
  progressOf(host: string | undefined): readonly ImageProgress[];
}

/** Those of one image that are told apart: its BMC, another interface of it, a person who looks. */
const mostClients = 4;
/** So many are remembered for sure, and not more than twice as many; those of a host take some KiB while they are fetched. */
const mostHosts = 12_000;

/** Nothing fetched so far. */
export function createImageFetches(): ImageFetches {
  // Hosts are forgotten by generations: a map from which the oldest entry is taken again and again gets slow.
  let young = new Map<string | undefined, Image[]>();
  let old = young;
  const imagesOf = (host: string | undefined): Image[] => {
    const images = young.get(host) ?? old.get(host) ?? [];
    if (young.size >= mostHosts && !young.has(host)) [old, young] = [young, new Map()];
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
  /** The one that came last stands last. */
  readonly clients: Client[];
  lastFetch: Date;
  completed: Date | undefined;
}

interface Client {
  readonly address: string;
  coverage: Coverage;
  running: number;
  /** Whether one of its transfers brought all that it was to bring: what a client that went away has got is not known. */
  isServed: boolean;
}

/** The image in the list, which takes the place of another one under its path. */
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
  // One that is forgotten while it fetches is served on; only it does not show any more.
  if (clients.length > mostClients) clients.shift();
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

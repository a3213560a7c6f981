/**
 * A folder that `prepare` has made, served to an emulated machine under the very URLs that its scripts name. The machine
 * finds this one at the address of these URLs, so not a byte of the folder is different from what real machines get.
 */

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CliError } from '../../core/errors.ts';
import { createAccessCheck } from '../../serve/http/accessCheck.ts';
import { createAnswerer } from '../../serve/http/requests.ts';
import { defaultLimits, type RunningServer, startServer } from '../../serve/http/server.ts';
import type { ServerLog } from '../../serve/http/serverLog.ts';
import { openSharedImage } from '../../io/images/sharedImage.ts';
import type { Manifest, ManifestFile } from '../../hosts/artifacts/manifest.ts';
import { digestTag } from '../../serve/answer/entityTag.ts';
import {
  mediaTypes,
  type Artifact,
  type Catalog,
  type CatalogEntry,
  type ServedResource,
} from '../../serve/answer/resource.ts';
import {
  createTransferLog,
  type TransferLog,
  type TransferStart,
  type TransferWatcher,
} from '../../serve/answer/transfers.ts';
import type { FetchEvent } from '../timeline/events.ts';
import { guestHostProblem } from '../timeline/addresses.ts';

export interface FolderPlace {
  /** Absolute. */
  readonly path: string;
  readonly manifest: Manifest;
}

/** Where the scripts of a folder say that it is served. */
interface FolderUrl {
  /** Without a final slash. */
  readonly url: string;
  /** IPv4. */
  readonly host: string;
  readonly port: number;
  /** Below it are the files; empty, or with a slash at its end. */
  readonly prefix: string;
}

const SCRIPT = 'boot.ipxe';

/** Throws CliError for a folder from which no emulated machine can boot. */
export function readFolderUrl({ manifest: { baseUrl, files, layout } }: FolderPlace): FolderUrl {
  if (layout !== 'folder' || !files.some(({ path }) => path === SCRIPT)) {
    throw new CliError(`the folder has no ${SCRIPT} for machines to start with`, {
      code: 'ERR_SETTING',
      hint: 'prepare it with --artifacts archive,ign,ipxe and an ISO or a kernel',
    });
  }
  const url = baseUrl !== null && URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  const problem = problemOf(url);
  if (url === undefined || baseUrl === null || problem !== undefined) {
    throw new CliError(`no emulated machine can boot from the folder: ${problem ?? ''}`, {
      code: 'ERR_SETTING',
      hint: 'prepare it with a URL that has an IPv4 address: --base-url http://192.0.2.1:8080',
    });
  }
  return {
    url: baseUrl,
    host: url.hostname,
    port: url.port === '' ? 80 : Number(url.port),
    prefix: url.pathname.replace(/^\//, '').replace(/(?<=[^/])$/, '/'),
  };
}

function problemOf(url: URL | undefined): string | undefined {
  if (url === undefined) return 'it is for no URL';
  if (url.protocol !== 'http:') return `it is for ${url.origin}, and a network card has to begin with http`;
  const problem = guestHostProblem(url.hostname);
  return problem === undefined ? undefined : `it is for ${url.origin}: ${problem}`;
}

/** @returns the script to boot, and what ends it. Throws CliError where nothing can listen on the port of the URL. */
export async function startFolderService(
  place: FolderPlace,
  { log, observe }: { readonly log: ServerLog; readonly observe: (event: FetchEvent) => void },
): Promise<{ readonly scriptUrl: string; readonly stop: () => Promise<void> }> {
  const { port, prefix, url } = readFolderUrl(place);
  let transfers: TransferLog | undefined;
  const watcher = createFetchWatcher(() => transfers, observe);
  transfers = createTransferLog({ now: () => new Date(), watchers: [watcher] });
  const catalog = createFolderCatalog(place, prefix);
  const access = createAccessCheck({ signer: undefined, tokens: [], isOpen: true });
  const server: RunningServer = await startServer({
    listen: { kind: 'tcp', host: '127.0.0.1', port },
    tls: undefined,
    limits: defaultLimits,
    log,
    answer: createAnswerer({
      catalog: () => catalog,
      access: () => access,
      transfers,
      log,
      idleTimeout: defaultLimits.idleTime,
      pages: new Map(),
    }),
  });
  return { scriptUrl: `${url}/${SCRIPT}`, stop: async () => void (await server.stop(0)) };
}

/** Of the files that the manifest lists: whatever else is in the folder is not for machines. */
function createFolderCatalog({ manifest, path: root }: FolderPlace, prefix: string): Catalog {
  const files = new Map(manifest.files.map((file) => [`${prefix}${file.path}`, file]));
  return {
    acquire: () => () => undefined,
    find: (path): CatalogEntry | undefined => {
      const file = files.get(path);
      if (file === undefined) return undefined;
      const entry = { artifact: artifactOf(file.path), host: file.host };
      return { ...entry, resource: () => openFile(join(root, file.path), file) };
    },
  };
}

async function openFile(
  path: string,
  { host, path: name, sha256, size }: ManifestFile,
): Promise<ServedResource> {
  const stats = await stat(path).catch(() => undefined);
  if (stats?.size !== size) {
    throw new CliError(`${name} is not as it was prepared`, {
      code: 'ERR_IMAGE_CHANGED',
      hint: 'run `prepare` again',
    });
  }
  const artifact = artifactOf(name);
  return {
    artifact,
    host,
    fileName: name.slice(name.lastIndexOf('/') + 1),
    contentType: mediaTypes[artifact],
    size,
    etag: digestTag(sha256),
    lastModified: new Date(Math.floor(stats.mtimeMs / 1000) * 1000),
    open: () => openSharedImage(path, name, { algorithm: 'sha256', hex: sha256 }),
  };
}

/** What `prepare` calls the files. */
function artifactOf(path: string): Artifact {
  const [, artifact = 'script'] = endings.find(([ending]) => path.endsWith(ending)) ?? [];
  return path.startsWith('agents/') ? 'agent' : artifact;
}

const endings: readonly (readonly [ending: string, artifact: Artifact])[] = [
  ['/ironic-python-agent.kernel', 'kernel'],
  ['/ironic-python-agent.initramfs', 'initramfs'],
  ['/ironic-python-agent.rootfs', 'rootfs'],
  ['/initramfs.img', 'initramfs'],
  ['/config.ign', 'ign'],
  ['/config.img', 'archive'],
  ['/minimal.iso', 'minimal-iso'],
  ['/live.iso', 'iso'],
];

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

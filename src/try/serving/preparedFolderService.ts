/**
 * Serves a folder of `prepare` to an emulated machine, at the URLs in its scripts. The address in these URLs becomes the
 * address of this machine in the emulated network, so the files are exactly those that real machines get.
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

export interface ManifestFolder {
  /** Absolute. */
  readonly path: string;
  readonly manifest: Manifest;
}

/** The base URL in the scripts of a folder. */
interface FolderUrl {
  /** Without a trailing slash. */
  readonly url: string;
  /** IPv4. */
  readonly host: string;
  readonly port: number;
  /** Path of the files; empty, or with a trailing slash. */
  readonly prefix: string;
}

const SCRIPT = 'boot.ipxe';

/** Throws CliError if an emulated machine cannot boot from the folder. */
export function readFolderUrl({ manifest: { baseUrl, files, layout } }: ManifestFolder): FolderUrl {
  if (layout !== 'folder' || !files.some(({ path }) => path === SCRIPT)) {
    throw new CliError(`the folder contains no ${SCRIPT}`, {
      code: 'ERR_SETTING',
      hint: 'run `prepare` with --artifacts archive,ign,ipxe and an ISO or a kernel',
    });
  }
  const url = baseUrl !== null && URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  const problem = problemOf(url);
  if (url === undefined || baseUrl === null || problem !== undefined) {
    throw new CliError(`an emulated machine cannot boot from the folder: ${problem ?? ''}`, {
      code: 'ERR_SETTING',
      hint: 'run `prepare` with an IPv4 address in the URL: --base-url http://192.0.2.1:8080',
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
  if (url === undefined) return 'its base URL is missing';
  if (url.protocol !== 'http:') return `its base URL is ${url.origin}, but firmware requires http`;
  const problem = guestHostProblem(url.hostname);
  return problem === undefined ? undefined : `its base URL is ${url.origin}: ${problem}`;
}

/** @returns the URL of the boot script, and a function to stop. Throws CliError if the port of the URL is not available. */
export async function startFolderService(
  place: ManifestFolder,
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

/** Contains only the files of the manifest. */
function createFolderCatalog({ manifest, path: root }: ManifestFolder, prefix: string): Catalog {
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
    throw new CliError(`${name} has changed since it was prepared`, {
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

/** The artifact of a file name of `prepare`. */
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

/** Maximum number of remembered first fetches. Above it, some are reported twice. */
const MAX_REMEMBERED = 100_000;

/**
 * @param progress returns the progress of transfers; undefined before the first transfer
 * @param observe gets an event for the first fetch of an image by a client, and when a transfer ends
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
      if (begun.size >= MAX_REMEMBERED) begun.clear();
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

/** Bytes that the client has fetched; of an image in ranges, those of all ranges. */
function receivedOf(
  { bytes, client, host, path }: TransferStart & { readonly bytes: number },
  progress: Pick<TransferLog, 'progressOf'> | undefined,
): number {
  const image = progress?.progressOf(host).find((one) => one.path === path);
  return image?.clients.at(-1) === client ? Math.max(image.bytes, bytes) : bytes;
}

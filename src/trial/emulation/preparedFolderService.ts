/**
 * Serves a folder of `prepare` to an emulated machine, at the URLs in its scripts. The address in these URLs becomes the
 * address of this machine in the emulated network, so the files are exactly those that real machines get.
 */

import { join } from 'node:path';
import { statsOf } from '../../io/files/fileStates.ts';
import { CliError } from '../../core/errors.ts';
import { parseUrl, portOf } from '../../formats/url.ts';
import type { ServerLog } from '../../http/server/serverLog.ts';
import { openSharedImage } from '../../imagefile/sharedImage.ts';
import { artifacts } from '../../core/artifacts.ts';
import type { Manifest, ManifestFile } from '../../hosts/artifacts/manifest.ts';
import { digestTag } from '../../http/server/answer/entityTag.ts';
import type { Catalog, ServedResource } from '../../http/server/answer/resource.ts';
import type { FetchEvent } from '../timeline/events.ts';
import { startCatalogService, throwWithHint } from '../serving/catalogService.ts';
import { guestHostProblem } from './guestNetwork.ts';

export interface ManifestFolder {
  /** Absolute. */
  readonly path: string;
  readonly manifest: Manifest;
}

const SCRIPT = 'boot.ipxe';

/** Throws CliError if an emulated machine cannot boot from the folder. */
export function readFolderUrl({ manifest: { baseUrl, files, layout } }: ManifestFolder) {
  if (layout !== 'folder' || !files.some(({ path }) => path === SCRIPT)) {
    throw new CliError(`the folder contains no ${SCRIPT}`, {
      code: 'ERR_SETTING',
      hint: 'run `prepare` with --artifacts archive,ign,ipxe and an ISO or a kernel',
    });
  }
  const url = parseUrl(baseUrl ?? '');
  const problem = problemOf(url);
  if (url === undefined || baseUrl === null || problem !== undefined) {
    throw new CliError(`an emulated machine cannot boot from the folder: ${problem ?? ''}`, {
      code: 'ERR_SETTING',
      hint: 'run `prepare` with an IPv4 address in the URL: --base-url http://192.0.2.1:8080',
    });
  }
  return {
    /** Without a trailing slash. */
    url: baseUrl,
    /** IPv4. */
    host: url.hostname,
    port: portOf(url),
    /** Path of the files; empty, or with a trailing slash. */
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
  folder: ManifestFolder,
  log: ServerLog,
  observe: (event: FetchEvent) => void,
): Promise<{ readonly scriptUrl: string; readonly stop: () => Promise<void> }> {
  const { port, prefix, url } = readFolderUrl(folder);
  const listen = { kind: 'tcp', host: '127.0.0.1', port } as const;
  const server = await startCatalogService(fileFinder(folder, prefix), listen, log, observe).catch(
    throwWithHint('make this port available, or run `prepare` with another port in --base-url'),
  );
  return { scriptUrl: `${url}/${SCRIPT}`, stop: async () => void (await server.stop(0)) };
}

/** Finds only the files of the manifest. */
function fileFinder({ manifest, path: root }: ManifestFolder, prefix: string): Catalog['find'] {
  const files = new Map(manifest.files.map((file) => [`${prefix}${file.path}`, file]));
  return (path) => {
    const file = files.get(path);
    if (file === undefined) return undefined;
    const entry = { artifact: file.kind, host: file.host };
    return { ...entry, resource: () => openFile(join(root, file.path), file) };
  };
}

async function openFile(
  path: string,
  { host, kind: artifact, path: name, recipe = '', sha256, size }: ManifestFile,
): Promise<ServedResource> {
  const stats = await statsOf(path);
  if (stats?.size !== size) {
    throw new CliError(`${name} has changed since it was prepared`, {
      code: 'ERR_IMAGE_CHANGED',
      hint: 'run `prepare` again',
    });
  }
  return {
    artifact,
    host,
    fileName: name.slice(name.lastIndexOf('/') + 1),
    contentType: artifacts[artifact].contentType,
    size,
    etag: digestTag(sha256 ?? recipe),
    lastModified: stats.mtime,
    open: () => openSharedImage(path, name),
  };
}

/** Serves one ISO under a URL that cannot be guessed, because images contain secrets. */

import { randomBytes } from 'node:crypto';
import { basename, resolve } from 'node:path';
import { openSharedImage } from '../../io/images/sharedImage.ts';
import type { Io } from '../../io/io.ts';
import { type CatalogEntry, entryOf, mediaTypes, type ServedResource } from '../../serve/answer/resource.ts';
import { type CatalogServiceOptions, startCatalogService } from './catalogService.ts';

export interface IsoService {
  /** Path of the ISO below the URL of the server. */
  readonly path: string;
  /** Without a final slash. */
  readonly origin: string;
  readonly port: number;
  stop(): Promise<void>;
}

/**
 * @param file as the user gave it
 * @param host the host that boots the ISO; undefined for several
 */
export async function startIsoService(
  { file, host }: { readonly file: string; readonly host: string | undefined },
  options: CatalogServiceOptions & { readonly io: Pick<Io, 'cwd'> },
): Promise<IsoService> {
  const location = resolve(options.io.cwd, file);
  const image = await openSharedImage(location, file);
  const token = randomBytes(16).toString('hex');
  const fileName = basename(location).replaceAll(/[^\w.-]/g, '_');
  const resource: ServedResource = {
    artifact: 'iso',
    host,
    fileName,
    contentType: mediaTypes.iso,
    size: image.size,
    etag: `"${token}"`,
    lastModified: new Date(Math.floor(image.modified.getTime() / 1000) * 1000),
    open: () => openSharedImage(location, file),
  };
  const path = `${token}/${fileName}`;
  const find = (wanted: string): CatalogEntry | undefined =>
    wanted === path ? entryOf(resource) : undefined;
  const server = await startCatalogService(find, options).catch(async (error: unknown) => {
    await image.close();
    throw error;
  });
  return {
    path,
    origin: server.origin,
    port: server.port,
    stop: async () => {
      await server.stop(0);
      await image.close();
    },
  };
}

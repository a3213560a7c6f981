/**
 * The catalog of the controller: the image of the object that the token names, and shared files. A replica stores nothing
 * that is not in the API server: it builds an image when a client fetches it, and serves it if it is the one that the path
 * names. So each replica can serve the images of all objects.
 */

import { CliError } from '../../core/errors.ts';
import type { Io } from '../../io/io.ts';
import { builtFileName, fileNameIn } from './api/imageChoice.ts';
import { artifactOf, imageFormats, type PreprovisioningImage } from './api/preprovisioningImage.ts';
import type { CatalogEntry, ServedResource } from '../../http/server/answer/resource.ts';
import { collectDiagnostics } from '../../io/report/report.ts';
import type { Cached, ImageCounts } from '../../hosts/artifacts/imageCache.ts';
import type { ImageFactory } from './imageFactory.ts';
import { BuildCache } from './buildCache.ts';
import { buildRequestOf, type ReadSecret } from './buildRequest.ts';
import { keyText } from '../../kube/objects.ts';

/**
 * No path has several owners.
 * @param informers know the objects, and the versions of their Secrets
 */
export function createImageCatalog(
  factory: ImageFactory,
  informers: {
    find(owner: string): PreprovisioningImage | undefined;
    networkVersion(image: PreprovisioningImage): string | undefined;
  },
  readSecret: ReadSecret,
  io: Io,
): { readonly images: ImageCounts; find(path: string, owner?: string): CatalogEntry | undefined } {
  /** The path of the last image that was built for an object; empty if the build failed. */
  const lastPaths = new BuildCache<string>();
  /** If the build fails, the leader reports the reason. */
  const buildNamed = async (path: string, image: PreprovisioningImage): Promise<Cached<ServedResource>> => {
    // Avoids a build for a path that cannot match.
    if ((lastPaths.recall(image, informers.networkVersion(image)) ?? path) !== path) throw new OtherImage();
    const request = await buildRequestOf(image, factory.possible, readSecret);
    const built =
      request.kind === 'failed' ? undefined : await factory.build(request, collectDiagnostics(io).io);
    lastPaths.remember(image, request.attempt?.networkData?.version, built?.path ?? '');
    if (built?.path !== path) throw new OtherImage();
    return built.resource;
  };
  return {
    images: factory.images,
    find: (path, owner = '') => {
      const shared = factory.shared(path);
      if (shared !== undefined) return shared;
      const image = informers.find(owner);
      if (image === undefined) lastPaths.forget(owner);
      // Other finalizers may keep a deleted object until its host has been cleaned, which needs the image.
      if (image === undefined || image.isForeign) return undefined;
      const fileName = fileNameIn(path);
      const format = imageFormats.find((it) => builtFileName(image.name, artifactOf[it]) === fileName);
      if (format === undefined) return undefined;
      const host = keyText(image);
      return {
        artifact: artifactOf[format],
        host,
        resource: async () => {
          try {
            return await factory.images.get(imageKey(host, path), () => buildNamed(path, image));
          } catch (error) {
            if (!(error instanceof OtherImage)) throw error;
            if (image.status.imageUrl?.endsWith(`/${path}`) !== true) return undefined; // not the published image
            throw new CliError('this replica builds an image that differs from the one at this URL', {
              code: 'ERR_IMAGE_CHANGED',
              hint: 'retry later; all replicas need the same settings, images and version',
            });
          }
        },
      };
    },
  };
}

/** The name of an image in the image cache. */
export function imageKey(owner: string, path: string): string {
  return `${owner} ${path}`;
}

/** The image that is built for the object now is not the requested one. */
class OtherImage extends Error {}

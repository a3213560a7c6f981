/**
 * The catalog of the controller: the image of the object that the token names, and shared files. A replica stores nothing
 * that is not in the API server: it builds an image when a client fetches it, and serves it if it is the one that the path
 * names. So each replica can serve the images of all objects.
 */

import { CliError, only } from '../../core/errors.ts';
import type { Io } from '../../io/io.ts';
import { builtFileName, fileNameIn } from './api/imageChoice.ts';
import { artifactOf, imageFormats, type PreprovisioningImage } from './api/preprovisioningImage.ts';
import type { CatalogEntry, ServedResource } from '../../http/server/answer/resource.ts';
import { collectDiagnostics } from '../../io/report/report.ts';
import type { Cached, ImageCounts } from '../../hosts/artifacts/imageCache.ts';
import type { ImageFactory } from './imageFactory.ts';
import { buildRequestOf, type ReadSecret } from './buildRequest.ts';
import { keyText } from '../../kube/objects.ts';

/**
 * No path has several owners.
 * @param informers know the objects
 */
export function createImageCatalog(
  factory: ImageFactory,
  informers: { find(owner: string): PreprovisioningImage | undefined },
  readSecret: ReadSecret,
  io: Io,
): { readonly images: ImageCounts; find(path: string, owner?: string): CatalogEntry | undefined } {
  /** Only the published image is built. If the build fails, the leader reports the reason. */
  const buildNamed = async (path: string, image: PreprovisioningImage): Promise<Cached<ServedResource>> => {
    if (image.status.imageUrl?.endsWith(`/${path}`) !== true) throw new OtherImage();
    const request = await buildRequestOf(image, factory.possible, readSecret);
    const built =
      request.kind === 'failed' ? undefined : await factory.build(request, collectDiagnostics(io).io);
    if (built?.path === path) return built.resource;
    throw new CliError('this replica builds an image that differs from the one at this URL', {
      code: 'ERR_IMAGE_CHANGED',
      hint: 'retry later; all replicas need the same settings, images and version',
    });
  };
  return {
    images: factory.images,
    find: (path, owner = '') => {
      const shared = factory.shared(path);
      if (shared !== undefined) return shared;
      const image = informers.find(owner);
      // Other finalizers may keep a deleted object until its host has been cleaned, which needs the image.
      if (image === undefined || image.isForeign) return undefined;
      const fileName = fileNameIn(path);
      const format = imageFormats.find((it) => builtFileName(image.name, artifactOf[it]) === fileName);
      if (format === undefined) return undefined;
      const host = keyText(image);
      return {
        artifact: artifactOf[format],
        host,
        // An image that a BMC is reading stays in memory for a while after it was replaced.
        resource: async () =>
          factory.images
            .get(imageKey(host, path), () => buildNamed(path, image))
            .catch(only(OtherImage, () => undefined)),
      };
    },
  };
}

export function imageKey(owner: string, path: string): string {
  return `${owner} ${path}`;
}

/** The requested image is not that of the object now. */
class OtherImage extends Error {}

/**
 * What is served, by path: the image of the object whose token was shown, and what all hosts share. Nothing is kept that
 * the API server does not know: an image is made when it is fetched, and served if it is the one that the path names. So
 * every replica answers for every object.
 */

import { CliError } from '../../errors.ts';
import type { Io } from '../../io/io.ts';
import { formatImagePath, imageFileName, parseImagePath } from '../../preprovisioning/imagePath.ts';
import { artifactOf, imageFormats } from '../../preprovisioning/imageFormat.ts';
import type { PreprovisioningImage } from '../../preprovisioning/preprovisioningImage.ts';
import { type Catalog, type CatalogEntry, entryOf, type Resource } from '../../serve/resource.ts';
import { collectTalk } from '../hosts/collectTalk.ts';
import type { Cached } from '../serve/imageCache.ts';
import type { ImageFactory } from './imageFactory.ts';
import { orderImage, type ReadSecret } from './imageOrder.ts';

export interface CatalogSources {
  readonly factory: ImageFactory;
  readonly findImage: (owner: string) => PreprovisioningImage | undefined;
  readonly readSecret: ReadSecret;
  readonly io: Io;
}

export function createImageCatalog(sources: CatalogSources): Pick<Catalog, 'find'> {
  const { factory, findImage } = sources;
  return {
    find: (path, owner = '') => {
      const shared = factory.shared(path);
      if (shared !== undefined) return entryOf(shared);
      const image = findImage(owner);
      return image === undefined || image.isDeleted || image.isForeign
        ? undefined
        : findImageFile(path, { owner, image }, sources);
    },
  };
}

/** An image as its owner asks for it. */
interface OwnImage {
  readonly owner: string;
  readonly image: PreprovisioningImage;
}

function findImageFile(
  path: string,
  { owner, image }: OwnImage,
  sources: CatalogSources,
): CatalogEntry | undefined {
  const wanted = parseImagePath(path);
  const format = imageFormats.find((it) => imageFileName(image.name, artifactOf[it]) === wanted?.fileName);
  if (wanted === undefined || format === undefined) return undefined;
  return {
    artifact: artifactOf[format],
    host: owner,
    resource: async () => {
      try {
        return await sources.factory.images.get(imageKey(owner, path), () => makeNamed(path, image, sources));
      } catch (error) {
        if (!(error instanceof OtherImage)) throw error;
        if (!isPublished(image, path)) return undefined;
        throw new CliError('this replica makes another image than the one at this URL', {
          hint: 'it goes by itself when all replicas have the same settings, images and version',
        });
      }
    },
  };
}

/** The name of an image among those that are kept in memory. */
export function imageKey(owner: string, path: string): string {
  return `${owner} ${path}`;
}

/** What is made for the object now is not what was asked for. */
class OtherImage extends Error {}

async function makeNamed(
  path: string,
  image: PreprovisioningImage,
  { factory, readSecret, io }: CatalogSources,
): Promise<Cached<Resource>> {
  const ordered = await orderImage(image, factory.possible, readSecret);
  if (ordered.kind === 'failed') throw new OtherImage();
  const { io: quiet } = collectTalk(io); // the leader has told it
  const made = await factory.make(ordered.order, quiet);
  if (made !== undefined && formatImagePath(made.resource.value) === path) return made.resource;
  throw new OtherImage();
}

/** Whether operators are told this path. */
function isPublished({ status: { imageUrl = '' } }: PreprovisioningImage, path: string): boolean {
  return imageUrl.endsWith(`/${path}`);
}

/**
 * What is served, by path: the image of the object whose token was shown, and what all hosts share. Nothing is kept that
 * the API server does not know: an image is made when it is fetched, and served if it is the one that the path names. So
 * every replica answers for every object.
 */

import { CliError } from '../core/errors.ts';
import type { Io } from '../io/io.ts';
import { formatImagePath, builtFileName, parseImagePath } from './api/imageChoice.ts';
import { artifactOf, imageFormats, type PreprovisioningImage } from './api/preprovisioningImage.ts';
import { type CatalogEntry, entryOf, type ServedResource } from '../serve/answer/resource.ts';
import { collectDiagnostics } from '../io/report/report.ts';
import type { Cached } from '../serve/imageCache.ts';
import type { ImageFactory } from './imageFactory.ts';
import { createBuildCache, type BuildCache } from './buildCache.ts';
import { buildRequestOf, type ReadSecret } from './buildRequest.ts';

export interface CatalogSources {
  readonly factory: ImageFactory;
  readonly findImage: (owner: string) => PreprovisioningImage | undefined;
  /** The version of the Secret that an object names, as far as it is known. */
  readonly networkVersion: (image: PreprovisioningImage) => string | undefined;
  readonly readSecret: ReadSecret;
  readonly io: Io;
}

export interface ImageCatalog {
  /** As the catalog that requests are answered from, except that no path has several owners. */
  find(path: string, owner?: string): CatalogEntry | undefined;
}

export function createImageCatalog(sources: CatalogSources): ImageCatalog {
  const { factory, findImage } = sources;
  const workshop = { ...sources, lastPaths: createBuildCache<string>() };
  return {
    find: (path, owner = '') => {
      const shared = factory.shared(path);
      if (shared !== undefined) return entryOf(shared);
      const image = findImage(owner);
      if (image === undefined) workshop.lastPaths.forget(owner);
      return image === undefined || image.isDeleted || image.isForeign
        ? undefined
        : findImageFile(path, { owner, image }, workshop);
    },
  };
}

interface CatalogContext extends CatalogSources {
  /** The path of what was made for an object; empty where nothing could be. */
  readonly lastPaths: BuildCache<string>;
}

/** An image as its owner asks for it. */
interface OwnImage {
  readonly owner: string;
  readonly image: PreprovisioningImage;
}

function findImageFile(
  path: string,
  { owner, image }: OwnImage,
  workshop: CatalogContext,
): CatalogEntry | undefined {
  const wanted = parseImagePath(path);
  const format = imageFormats.find((it) => builtFileName(image.name, artifactOf[it]) === wanted?.fileName);
  if (wanted === undefined || format === undefined) return undefined;
  return {
    artifact: artifactOf[format],
    host: owner,
    resource: async () => {
      try {
        return await workshop.factory.images.get(imageKey(owner, path), () =>
          makeNamed(path, image, workshop),
        );
      } catch (error) {
        if (!(error instanceof OtherImage)) throw error;
        if (!isPublished(image, path)) return undefined;
        throw new CliError('this replica makes another image than the one at this URL', {
          code: 'ERR_IMAGE_CHANGED',
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
  { lastPaths, networkVersion, ...sources }: CatalogContext,
): Promise<Cached<ServedResource>> {
  // Whoever tries others has nothing made for it.
  if ((lastPaths.recall(image, networkVersion(image)) ?? path) !== path) throw new OtherImage();
  const { made, version } = await makeLatest(image, sources);
  const madePath = made === undefined ? '' : formatImagePath(made.value);
  lastPaths.remember(image, version, madePath);
  if (made === undefined || madePath !== path) throw new OtherImage();
  return made;
}

interface Latest {
  /** Undefined where it cannot be made: the leader has told why. */
  readonly made: Cached<ServedResource> | undefined;
  /** Of the Secret from which it was made. */
  readonly version: string | undefined;
}

async function makeLatest(
  image: PreprovisioningImage,
  { factory, readSecret, io }: Omit<CatalogSources, 'networkVersion'>,
): Promise<Latest> {
  const ordered = await buildRequestOf(image, factory.possible, readSecret);
  const version = ordered.attempt?.networkData?.version;
  if (ordered.kind === 'failed') return { made: undefined, version };
  const made = await factory.make(ordered.order, collectDiagnostics(io).io);
  return { made: made?.resource, version };
}

/** Whether operators are told this path. */
function isPublished({ status: { imageUrl = '' } }: PreprovisioningImage, path: string): boolean {
  return imageUrl.endsWith(`/${path}`);
}

/** Builds the images of all objects from one state of settings and base images. A reload creates a new factory. */

import { kernelArguments } from '../boot/kernelArguments.ts';
import { CliError } from '../core/errors.ts';
import type { KnownDigests } from '../io/files/fileDigests.ts';
import { type Io, ioWith } from '../io/io.ts';
import type { ConfigArtifact } from '../hosts/artifacts/artifacts.ts';
import { formatImagePath, builtFileName, imageStem, type PossibleImages } from './api/imageChoice.ts';
import { artifactOf, type ImageFormat, imageFormats } from './api/preprovisioningImage.ts';
import type { ServedResource } from '../serve/answer/resource.ts';
import { openAgentArchives, createOpenArchives } from '../hosts/plan/agentArchives.ts';
import { readImageInputs } from '../hosts/plan/imageInputs.ts';
import { type HostPlan, planHost, type PlanJob } from '../hosts/plan/planHost.ts';
import { type BaseSet, closeBaseSets, openBaseSets } from '../hosts/artifacts/baseImages.ts';
import type { Growth } from '../image/growth.ts';
import { materialOf } from '../hosts/artifacts/hostArtifacts.ts';
import { makeHostResource, sharedResources } from '../serve/resources.ts';
import { givenOrIccImages } from '../serve/iccImages.ts';
import { type Cached, createImageCache, type ImageCache } from '../serve/imageCache.ts';
import type { Links } from '../serve/links.ts';
import { hostPlaces, type ServeContext } from '../serve/servedPlaces.ts';
import { type BuildRequest, objectKey } from './buildRequest.ts';
import { hostFromRequest } from './hostFromRequest.ts';
import { type ControllerOptions, readRenderSource, type SettingsFile } from './settings.ts';

export interface ImageFactory {
  readonly bases: ReadonlyMap<string, BaseSet>;
  readonly possible: PossibleImages;
  /** Recently fetched images, by object and path. */
  readonly images: ImageCache<ServedResource>;
  /** Shared files by path. */
  shared(path: string): ServedResource | undefined;
  /**
   * Builds an image; undefined if the config is invalid, after reporting the errors.
   * @throws CliError for other errors
   */
  build(request: BuildRequest, io: Io): Promise<BuiltImage | undefined>;
  close(): Promise<void>;
}

export interface BuiltImage {
  readonly resource: Cached<ServedResource>;
  /** The path after the token of the object. */
  readonly path: string;
  /** For `initrd`, if a kernel was given. */
  readonly kernelUrl: string | undefined;
  readonly extraKernelParams: string | undefined;
}

/** The part that all factories of a controller share. */
export interface FactoryInputs {
  readonly settings: Pick<SettingsFile, 'name' | 'folder'>;
  readonly links: Links;
  readonly digests: KnownDigests;
  /** Bytes of memory for cached images. */
  readonly cacheSize: number;
  readonly io: Io;
}

/** @throws CliError if images or settings are invalid for all hosts */
export async function openImageFactory(
  options: ControllerOptions,
  inputs: FactoryInputs,
): Promise<ImageFactory> {
  const { cacheSize, digests, io, links, settings } = inputs;
  const images = await readImageInputs(await givenOrIccImages(options, io), digests, io);
  if (images.size === 0) {
    throw new CliError('No base image', {
      code: 'ERR_SETTING',
      hint: 'pass --iso FILE or --images FOLDER, or set DEPLOY_ISO',
    });
  }
  const bases = await openBaseSets(images);
  const archives = createOpenArchives();
  const close = async (): Promise<void> => {
    await archives.close();
    await closeBaseSets(bases);
  };
  const possible = possibleImages(bases);
  try {
    const serveContext = { archives, bases, links };
    const job = await planJob(options, { ...inputs, possible });
    const growth = options.grow === true ? 'usual' : 'refused';
    const context: FactoryContext = { serveContext, job, settingsFolder: settings.folder, growth };
    await checkSettings(context, possible, io);
    return {
      bases,
      possible,
      images: createImageCache(cacheSize),
      shared: (path) => sharedResources([...bases.values()], archives).get(path),
      build: (request, buildIo) => buildImage(request, context, buildIo),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface FactoryContext {
  readonly serveContext: ServeContext;
  readonly job: PlanJob;
  readonly settingsFolder: string;
  readonly growth: Growth;
}

function possibleImages(bases: ReadonlyMap<BaseSet['architecture'], BaseSet>): PossibleImages {
  const given: Readonly<Record<ImageFormat, (base: BaseSet) => unknown>> = {
    iso: ({ iso }) => iso,
    initrd: ({ parts }) => parts.initramfs,
  };
  return new Map(
    [...bases].map(([architecture, base]) => [
      architecture,
      imageFormats.filter((format) => given[format](base) !== undefined),
    ]),
  );
}

async function planJob(
  options: ControllerOptions,
  { io, links, possible, settings }: FactoryInputs & { readonly possible: PossibleImages },
): Promise<PlanJob> {
  const source = await readRenderSource(settings.name, options, relativeTo(settings.folder, io));
  const configs = [...new Set([...possible.values()].flat())].map((format) => artifactOf[format]);
  return {
    wanted: { configs, loaders: [], baseUrl: links.publicUrl },
    source,
    archives: await openAgentArchives(options.agentArchive, configs, io),
  };
}

/** Renders a sample host, so that errors and warnings for all hosts are reported once, before the first object. */
async function checkSettings(context: FactoryContext, possible: PossibleImages, io: Io): Promise<void> {
  for (const [architecture, [format]] of possible) {
    if (format === undefined) continue;
    const choice = { architecture, format };
    const plan = await planRequest(
      { namespace: 'any', name: 'host', choice, network: undefined },
      context,
      io,
    );
    if (plan !== undefined) continue;
    throw new CliError('The settings do not result in a valid config', {
      code: 'ERR_SETTING',
      hint: 'fix the errors reported above',
    });
  }
}

async function planRequest(
  request: BuildRequest,
  { job, settingsFolder, serveContext }: FactoryContext,
  io: Io,
): Promise<HostPlan | undefined> {
  const { choice, name } = request;
  const owner = objectKey(request);
  const artifact = artifactOf[choice.format];
  const own = hostPlaces(serveContext);
  const places = {
    images: () => own.images(owner),
    publish: () => own.publish(owner),
    // The config cannot contain the URL of its own image, as that depends on the config.
    file: (_host: string, wanted: ConfigArtifact) => builtFileName(name, wanted),
  };
  const wanted = { ...job.wanted, configs: [artifact] };
  return planHost(hostFromRequest(request), { ...job, wanted }, places, relativeTo(settingsFolder, io));
}

/** The same `io`, with relative paths based on this folder. */
function relativeTo(folder: string, io: Io): Io {
  return ioWith(io, { cwd: folder });
}

async function buildImage(
  request: BuildRequest,
  context: FactoryContext,
  io: Io,
): Promise<BuiltImage | undefined> {
  const { choice, name } = request;
  const plan = await planRequest(request, context, io);
  if (plan === undefined) return undefined;
  const { growth, job, serveContext } = context;
  const { archives, links } = serveContext;
  const source = {
    ...(await materialOf(plan, archives, links.publicUrl, growth)),
    name: objectKey(request),
    modified: new Date(0), // the path changes with the content
  };
  const artifact = artifactOf[choice.format];
  const resource = await makeHostResource(source, { artifact, host: imageStem(name) });
  const { etag, fileName } = resource.value;
  return {
    resource,
    path: formatImagePath({ etag, fileName }),
    ...(choice.format === 'initrd' ? bootParameters(plan, job) : noParameters),
  };
}

type BootParameters = Pick<BuiltImage, 'kernelUrl' | 'extraKernelParams'>;

/** An ISO needs no boot parameters. */
const noParameters: BootParameters = { kernelUrl: undefined, extraKernelParams: undefined };

function bootParameters({ boot: { start }, images }: HostPlan, { wanted }: PlanJob): BootParameters {
  const kernel = images?.paths.kernel;
  return {
    kernelUrl: kernel === undefined ? undefined : `${wanted.baseUrl}/${kernel}`,
    extraKernelParams: start.kind === 'ramdisk' ? kernelArguments(start.settings).join(' ') : undefined,
  };
}

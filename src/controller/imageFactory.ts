/** What makes the images of all objects, as settings and shared images are at one moment. A reload makes another one. */

import { kernelArguments } from '../boot/kernelArguments.ts';
import { CliError } from '../core/errors.ts';
import type { KnownDigests } from '../io/files/fileDigests.ts';
import { type Io, ioWith } from '../io/io.ts';
import type { ConfigArtifact } from '../hosts/artifacts/artifacts.ts';
import { formatImagePath, builtFileName, imageStem, type PossibleImages } from './api/imageChoice.ts';
import { artifactOf, type ImageFormat, imageFormats } from './api/preprovisioningImage.ts';
import type { ServedResource } from '../serve/answer/resource.ts';
import { openAgentArchives } from '../hosts/plan/agentArchives.ts';
import { readImageInputs } from '../hosts/plan/imageInputs.ts';
import { type HostPlan, planHost, type PlanJob } from '../hosts/plan/planHost.ts';
import { createRenderer } from '../hosts/settings/renderConfig.ts';
import { type BaseSet, closeBaseSets, openBaseSets } from '../hosts/artifacts/baseImages.ts';
import { materialOf, type SharedMaterial } from '../hosts/artifacts/hostArtifacts.ts';
import { createOpenArchives } from '../hosts/artifacts/openArchives.ts';
import { makeHostResource, sharedResources } from '../serve/resources.ts';
import { givenOrIccImages } from '../serve/iccImages.ts';
import { type Cached, createImageCache, type ImageCache } from '../serve/imageCache.ts';
import type { Links } from '../serve/links.ts';
import { hostPlaces, type ServeContext } from '../serve/servedPlaces.ts';
import { type BuildRequest, objectKey } from './buildRequest.ts';
import { hostFromRequest } from './hostFromRequest.ts';
import { type ControllerOptions, readRenderLayers, type SettingsFile } from './settings.ts';

export interface ImageFactory {
  readonly bases: ReadonlyMap<string, BaseSet>;
  readonly possible: PossibleImages;
  /** Images that were fetched, by object and path. */
  readonly images: ImageCache<ServedResource>;
  /** What all hosts fetch, by path. */
  shared(path: string): ServedResource | undefined;
  /**
   * Undefined where the config is wrong, after telling why.
   * @throws CliError where something is wrong, too
   */
  make(order: BuildRequest, io: Io): Promise<BuiltImage | undefined>;
  close(): Promise<void>;
}

export interface BuiltImage {
  readonly resource: Cached<ServedResource>;
  /** Behind the token of the object. */
  readonly path: string;
  /** For `initrd`, as far as it is known. */
  readonly kernelUrl: string | undefined;
  readonly extraKernelParams: string | undefined;
}

/** What stays the same from one factory to the next. */
export interface FactoryInputs {
  readonly settings: Pick<SettingsFile, 'name' | 'folder'>;
  readonly links: Links;
  readonly digests: KnownDigests;
  /** Bytes that images may take in memory. */
  readonly cacheSize: number;
  readonly io: Io;
}

/** @throws CliError where images or settings are wrong for any host there may be */
export async function openImageFactory(
  options: ControllerOptions,
  surroundings: FactoryInputs,
): Promise<ImageFactory> {
  const { cacheSize, digests, io, links, settings } = surroundings;
  const inputs = await readImageInputs(await givenOrIccImages(options, io), digests, io);
  if (inputs.size === 0) {
    throw new CliError('There is no image to make others from', {
      code: 'ERR_SETTING',
      hint: 'give --iso FILE or --images FOLDER, or set DEPLOY_ISO',
    });
  }
  const bases = await openBaseSets(inputs);
  const archives = createOpenArchives();
  const close = async (): Promise<void> => {
    await archives.close();
    await closeBaseSets(bases);
  };
  const possible = possibleImages(bases);
  try {
    const things = { archives, bases, links };
    const job = await planJob(options, { ...surroundings, possible });
    const growth = options.grow === true ? 'usual' : 'refused';
    const context: FactoryContext = { things, job, settingsFolder: settings.folder, growth };
    await tryOut(context, possible, io);
    return {
      bases,
      possible,
      images: createImageCache(cacheSize),
      shared: (path) => sharedResources([...bases.values()], archives).get(path),
      make: (order, talk) => makeImage(order, context, talk),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface FactoryContext extends Pick<SharedMaterial, 'growth'> {
  readonly things: ServeContext;
  readonly job: PlanJob;
  readonly settingsFolder: string;
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
  const { layers, source } = await readRenderLayers(settings.name, options, startingIn(settings.folder, io));
  const configs = [...new Set([...possible.values()].flat())].map((format) => artifactOf[format]);
  return {
    wanted: { configs, loaders: [], baseUrl: links.publicUrl },
    source,
    layers,
    archives: await openAgentArchives({
      given: options.agentArchive ?? [],
      configs,
      render: createRenderer(),
      io,
    }),
  };
}

/** What is wrong for all hosts is said before the first of them comes; what is odd for all, once. */
async function tryOut(context: FactoryContext, possible: PossibleImages, io: Io): Promise<void> {
  for (const [architecture, [format]] of possible) {
    if (format === undefined) continue;
    const choice = { architecture, format };
    const plan = await planOrder({ namespace: 'any', name: 'host', choice, network: undefined }, context, io);
    if (plan !== undefined) continue;
    throw new CliError('These settings give no config', {
      code: 'ERR_SETTING',
      hint: 'mend what is reported above',
    });
  }
}

async function planOrder(
  order: BuildRequest,
  { job, settingsFolder, things }: FactoryContext,
  io: Io,
): Promise<HostPlan | undefined> {
  const { choice, name } = order;
  const owner = objectKey(order);
  const artifact = artifactOf[choice.format];
  const own = hostPlaces(things);
  const places = {
    images: () => own.images(owner),
    publish: () => own.publish(owner),
    // Where the image itself is, its config cannot know.
    file: (_host: string, wanted: ConfigArtifact) => builtFileName(name, wanted),
  };
  const wanted = { ...job.wanted, configs: [artifact] };
  const host = hostFromRequest(order, job.source);
  return planHost(host, { ...job, wanted, places }, startingIn(settingsFolder, io));
}

/** The same, for paths that start in this folder. */
function startingIn(folder: string, io: Io): Io {
  return ioWith(io, { cwd: folder });
}

async function makeImage(
  order: BuildRequest,
  context: FactoryContext,
  io: Io,
): Promise<BuiltImage | undefined> {
  const { choice, name } = order;
  const plan = await planOrder(order, context, io);
  if (plan === undefined) return undefined;
  const { growth, job, things } = context;
  const { archives, bases, links } = things;
  const source = {
    ...(await materialOf(plan, { archives, bases, baseUrl: links.publicUrl, growth })),
    name: objectKey(order),
    modified: new Date(0), // the path is another one for every other content
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

/** An ISO boots by itself. */
const noParameters: BootParameters = { kernelUrl: undefined, extraKernelParams: undefined };

function bootParameters({ boot: { start }, images }: HostPlan, { wanted }: PlanJob): BootParameters {
  const kernel = images?.parts.kernel;
  return {
    kernelUrl: kernel === undefined ? undefined : `${wanted.baseUrl}/${kernel}`,
    extraKernelParams: start.kind === 'ramdisk' ? kernelArguments(start.settings).join(' ') : undefined,
  };
}

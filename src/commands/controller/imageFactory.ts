/** Builds the images of all objects from one state of settings and base images. A reload creates a new factory. */

import { kernelArguments } from '../../kargs/kernelArguments.ts';
import { CliError, located } from '../../core/errors.ts';
import type { Inputs, InputValue } from '../../agent/settingInputs.ts';
import { parseYaml } from '../../formats/yaml.ts';
import type { InventoryHost } from '../../hosts/settings/inventoryDocument.ts';
import type { KnownDigests } from '../../io/files/fileDigests.ts';
import type { Io } from '../../io/io.ts';
import { formatSentence } from '../../io/report/diagnosticText.ts';
import { collectDiagnostics, report, withoutRepeats } from '../../io/report/report.ts';
import type { ConfigArtifact } from '../../core/artifacts.ts';
import { formatImagePath, builtFileName, type PossibleImages } from './api/imageChoice.ts';
import { artifactOf, imageFormats, networkKeys } from './api/preprovisioningImage.ts';
import { createModifiedDates, type DateOf } from '../../http/server/answer/modifiedDates.ts';
import type { CatalogEntry, ServedResource } from '../../http/server/answer/resource.ts';
import { readAgentArchives } from '../../hosts/plan/agentArchives.ts';
import { readImageInputs } from '../../hosts/plan/imageInputs.ts';
import { type BaseCatalog, imagesKey, requireImages, streamSetting } from '../../hosts/plan/baseCatalog.ts';
import { type HostPlan, planHost } from '../../hosts/plan/planHost.ts';
import { type BaseSet, openBaseSets } from '../../hosts/plan/baseImages.ts';
import { createResource } from '../../hosts/artifacts/artifactResource.ts';
import { hostFile, sharedFiles } from '../../hosts/artifacts/site.ts';
import { imagePath } from '../../hosts/plan/servedPaths.ts';
import type { NetworkHost } from '../../kargs/loaders/loader.ts';
import { givenOrIccImages } from '../../service/iccImages.ts';
import { createImageCache } from '../../hosts/artifacts/imageCache.ts';
import type { Links } from '../../hosts/plan/links.ts';
import { hostPlaces } from '../../service/places.ts';
import { shareOpenFiles } from '../../service/openFiles.ts';
import { keyText } from '../../kube/objects.ts';
import type { HostNetwork, HostRequest } from './buildRequest.ts';
import type { ControllerOptions } from './options.ts';
import { readRenderSource } from './settings.ts';

export type ImageFactory = Awaited<ReturnType<typeof openImageFactory>>;

/** The part that all factories of a controller share. */
export interface FactoryInputs {
  readonly links: Links;
  readonly digests: KnownDigests;
  /** Shared by all factories of a controller. */
  readonly beginDates?: () => DateOf;
  /** Bytes of memory for cached images. */
  readonly cacheSize: number;
  readonly io: Io;
}

export async function openImageFactory(options: ControllerOptions, inputs: FactoryInputs) {
  const { beginDates = createModifiedDates(), cacheSize, digests, io, links } = inputs;
  const images = await readImageInputs(await givenOrIccImages(options, io.env, io.cwd), digests, io);
  if (images.size === 0) {
    throw new CliError('No base image', {
      code: 'ERR_SETTING',
      hint: 'pass --iso FILE or --images FOLDER, or set DEPLOY_ISO',
    });
  }
  const archives = await readAgentArchives(options.agentArchive, io);
  const files = shareOpenFiles(await openBaseSets(images), archives);
  const close = files.retain();
  try {
    const { bases } = files;
    const source = await readRenderSource(options, io);
    // A stream of the settings has images, while the label of an object may name any stream.
    const stream = streamSetting(source);
    if (stream !== undefined) requireImages(source, undefined, bases);
    const possible = { formats: possibleFormats(bases), stream: stream?.text };
    const growth = options.grow === true ? 'usual' : 'refused';
    const plan = async (request: HostRequest, planIo: Io): Promise<(HostPlan & NetworkHost) | undefined> => {
      const { choice, name: host } = request;
      // The config cannot contain the URL of its own image, as that depends on the config.
      const file = (kind: ConfigArtifact): string => builtFileName(host, kind);
      const places = { ...hostPlaces(files, links, keyText(request)), file };
      const wanted = { configs: [artifactOf[choice.format]], loaders: [], baseUrl: links.publicUrl };
      const job = { wanted, source, archives, growth } as const;
      return planHost(hostFromRequest(request), job, places, planIo);
    };
    const sharedWarnings = await checkSettings(plan, possible, io);
    const dateOf = beginDates();
    return {
      bases,
      possible,
      /** The warnings that concern all hosts. They have been reported. */
      sharedWarnings,
      /** Recently fetched images, by object and path. */
      images: createImageCache<ServedResource>(cacheSize),
      shared: (path: string): CatalogEntry | undefined => {
        const file = sharedFiles(bases, archives.byPath).find((shared) => shared.path === path);
        return (
          file && {
            artifact: file.kind,
            host: undefined,
            resource: async () => (await createResource(file, dateOf)).value,
          }
        );
      },
      /** Builds an image; undefined if the config is invalid, after reporting the errors. */
      build: async (request: HostRequest, buildIo: Io) => {
        const planned = await plan(request, buildIo);
        if (planned === undefined) return undefined;
        const host = keyText(request);
        const [kind = 'iso'] = planned.artifacts;
        const file = hostFile(planned, kind, builtFileName(request.name, kind));
        const resource = await createResource({ ...file, host }, dateOf);
        const { base, start } = planned;
        return {
          resource,
          /** After the token of the object. */
          path: formatImagePath(resource.value.etag, resource.value.fileName),
          kernelUrl:
            start.kind === 'iso' || base?.parts.kernel === undefined
              ? undefined
              : `${links.publicUrl}/${links.path({ kind: 'host', host }, imagePath(base.id, 'kernel'))}`,
          extraKernelParams: start.kind === 'iso' ? undefined : kernelArguments(start.settings).join(' '),
        };
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function possibleFormats(bases: BaseCatalog<BaseSet>): PossibleImages['formats'] {
  return new Map(
    [...bases].map(([name, { iso, parts }]) => [
      name,
      imageFormats.filter((format) => (format === 'iso' ? iso : parts.initramfs) !== undefined),
    ]),
  );
}

/**
 * Plans a sample host, so that errors and warnings for all hosts are reported once, before the first object.
 * @returns what was reported
 */
async function checkSettings(
  plan: (request: HostRequest, io: Io) => Promise<HostPlan | undefined>,
  { formats }: PossibleImages,
  io: Io,
): Promise<ReadonlySet<string>> {
  const { io: quiet, reported } = collectDiagnostics(io);
  const sample = { namespace: 'any', name: 'host', network: undefined };
  const plans: (HostPlan | undefined)[] = [];
  try {
    for (const [images, [format]] of formats) {
      if (format === undefined) continue;
      plans.push(await plan({ ...sample, choice: { ...imagesKey(images), format } }, quiet));
    }
  } finally {
    report(io, withoutRepeats(reported));
  }
  if (!plans.includes(undefined)) return new Set(reported.map(formatSentence));
  throw new CliError('The settings do not result in a valid config', {
    code: 'ERR_SETTING',
    hint: 'fix the errors reported above',
  });
}

/**
 * Converts a request to a host in the form that all commands render. Its `readInputs` throws CliError if the network data is
 * not valid YAML.
 */
function hostFromRequest(request: HostRequest): InventoryHost {
  const { choice, name, network } = request;
  const { stream: text } = choice;
  // In place of the stream and of any network that all hosts have.
  const stream: readonly InputValue[] =
    text === undefined ? [] : [{ text, name: 'image.stream', origin: 'file' }];
  return {
    name,
    at: { file: `PreprovisioningImage ${keyText(request)}` },
    architecture: choice.architecture,
    problems: [],
    readInputs: () =>
      new Map([['image.stream', stream], ...(network === undefined ? [] : networkInputs(network))]),
  };
}

function networkInputs({ key, place, text }: HostNetwork): Inputs {
  const context = { subject: `${place}:`, hint: `fix the key ${key} of the Secret` };
  const { value, locate } = located(context, () => parseYaml(text));
  const input = {
    text,
    name: place,
    origin: 'file',
    isContent: true,
    document: { name: place, value, locate },
  } as const;
  return new Map(networkKeys.map((known) => [`host.${known}`, known === key ? [input] : []]));
}

/** Everything that is served, as inventory and images are at one moment. A reload makes another one. */

import type { KnownDigests } from '../io/files/fileDigests.ts';
import type { Io } from '../io/io.ts';
import type { WantedArtifacts } from '../hosts/artifacts/artifacts.ts';
import { createPackedConfigs } from './answer/packedConfigs.ts';
import { type ImageOptions, readImageInputs } from '../hosts/plan/imageInputs.ts';
import { openAgentArchives } from '../hosts/plan/agentArchives.ts';
import { createRenderer } from '../hosts/settings/renderConfig.ts';
import { closeBaseSets, openBaseSets } from './baseImages.ts';
import { type CatalogHost, createCatalog, type HostCatalog } from './catalog.ts';
import { refuseAlikeHosts } from './alikeHosts.ts';
import type { HostNames } from '../core/diagnostic.ts';
import { groupSecrets } from './plainSecrets.ts';
import { type HostState, stockHosts, type StockJob } from './hostStock.ts';
import { givenOrIccImages } from './iccImages.ts';
import type { Links } from './links.ts';
import type { ServeOptions } from './options.ts';
import { createServedArchives, type ServedArchives } from './servedArchives.ts';
import { type Bases, unknownStems } from './servedPlaces.ts';
import { readServeSource, type ServeSource } from './source.ts';
import { sharedScripts, stockUnknown } from './unknownStock.ts';
import { chooseArtifacts } from './wanted.ts';

export interface Snapshot {
  readonly catalog: HostCatalog;
  /** Those of the inventory, in its order. */
  readonly hosts: readonly HostState[];
  readonly bases: Bases;
  readonly wanted: WantedArtifacts;
  /** What of the files others must not see, and of which hosts. */
  readonly secrets: ReadonlyMap<string, HostNames>;
  /** Closes all files. */
  close(): Promise<void>;
}

/** What stays the same from one snapshot to the next. */
export interface Surroundings {
  readonly links: Links;
  readonly digests: KnownDigests;
  /** Bytes that images may take in memory. */
  readonly cacheSize: number;
  readonly io: Io;
  /** Changes what was read before anything is made of it. */
  readonly changeSource?: ((read: ServeSource) => ServeSource) | undefined;
}

/**
 * Hosts that are wrong are told, and the others are served.
 * @throws CliError where images or what is said of all hosts are wrong
 */
export async function takeSnapshot(options: ServeOptions, surroundings: Surroundings): Promise<Snapshot> {
  const { changeSource = (read) => read, digests, io } = surroundings;
  const read = changeSource(await readServeSource(options, io));
  const bases = await openBaseSets(await readImageInputs(await chooseImages(options, io), digests, io));
  const archives = createServedArchives();
  const close = async (): Promise<void> => {
    await archives.close();
    await closeBaseSets(bases);
  };
  try {
    return { ...(await fill(options, { ...surroundings, read, archives, bases })), bases, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Who brings a folder for the peer brings its environment as well. */
async function chooseImages(options: ServeOptions, io: Io): Promise<ImageOptions> {
  return options.nmstateDir === undefined ? options : givenOrIccImages(options, io);
}

interface Parts extends Surroundings {
  readonly read: ServeSource;
  readonly archives: ServedArchives;
  readonly bases: Bases;
}

async function fill(options: ServeOptions, parts: Parts): Promise<Omit<Snapshot, 'bases' | 'close'>> {
  const { archives, bases, cacheSize, read } = parts;
  const wanted = await chooseArtifacts(options.artifacts, [...bases.values()]);
  const job = await stockJob(options, { ...parts, wanted });
  const hasDiscovery = read.inventory.hosts === undefined || options.discovery === true;
  const hosts = read.inventory.hosts ?? [];
  refuseAlikeHosts(options, { hosts, wanted, unlisted: hasDiscovery ? unknownStems(bases) : [] });
  const { states, served } = await stockHosts(options, job);
  const unknown = hasDiscovery ? await stockUnknown(job) : { hosts: [], boots: [] };
  const boots = served.flatMap(({ boot }) => boot ?? []);
  const catalog = createCatalog({
    hosts: [...unknown.hosts, ...served.map((host) => ({ stem: host.name, host }))],
    aliases: aliasesOf(served, read),
    archives,
    bases: [...bases.values()],
    wanted,
    scripts: sharedScripts(unknown.boots, boots, job),
    modified: read.modified,
    growth: options.grow === true ? 'usual' : 'refused',
    cacheSize,
  });
  const secrets = groupSecrets([...unknown.hosts.map(({ host }) => host), ...served]);
  return { catalog, hosts: states, wanted, secrets };
}

async function stockJob(
  options: ServeOptions,
  parts: Parts & { readonly wanted: WantedArtifacts },
): Promise<StockJob> {
  const { archives, bases, io, links, read, wanted } = parts;
  const { agent, profile = 'default' } = read.inventory;
  return {
    read,
    io,
    things: { archives, bases, links },
    configs: createPackedConfigs(),
    plan: {
      wanted: { ...wanted, baseUrl: links.publicUrl },
      source: read.source,
      layers: { profile, files: [agent] },
      archives: await openAgentArchives({
        given: options.agentArchive ?? [],
        configs: wanted.configs,
        render: createRenderer(),
        io,
      }),
    },
  };
}

/** Other names count where no host has them as its own, nor would have them if it were valid. */
function aliasesOf(
  served: readonly CatalogHost[],
  { aliases, inventory }: ServeSource,
): Map<string, CatalogHost> {
  const listed = new Set(inventory.hosts?.map(({ name }) => name));
  const byName = new Map(served.map((host) => [host.name, host]));
  const found = new Map<string, CatalogHost>();
  for (const [alias, name] of aliases) {
    const host = byName.get(name);
    if (host !== undefined && !listed.has(alias)) found.set(alias, host);
  }
  return found;
}

/** Everything that is served at one moment, by path: files of hosts, boot scripts, and the images that hosts share. */

import { hostBootFiles } from '../boot/network/bootFiles.ts';
import type { BootFile, NetworkHost } from '../boot/network/networkBoot.ts';
import type { WantedArtifacts } from '../hosts/artifacts/artifacts.ts';
import type { BaseSet } from '../hosts/artifacts/baseImages.ts';
import type { HostMaterial } from '../hosts/artifacts/hostArtifacts.ts';
import type { OpenArchives } from '../hosts/artifacts/openArchives.ts';
import { type HostFile, parseHostFileName } from '../hosts/artifacts/servedPaths.ts';
import { type Catalog, type CatalogEntry, entryOf, type ServedResource } from './answer/resource.ts';
import { createImageCache, type ImageCache } from './imageCache.ts';
import { makeHostResource, scriptResource, sharedResources } from './resources.ts';

/** A host as it is served, or all machines that are not listed; its config is kept elsewhere. */
export interface ServedHost extends HostMaterial {
  /** Whose files they are. */
  readonly name: string;
  /** What its files are called before the ending; several hosts may have the same. */
  readonly stem: string;
  /** When its config became what it is. */
  readonly modified: Date;
  /** What its scripts start; undefined for machines that have none of their own. */
  readonly boot: NetworkHost | undefined;
  /** What of its config and scripts others must not see, as nouns. */
  readonly secrets: readonly string[];
}

export interface CatalogContents {
  readonly hosts: readonly ServedHost[];
  /** Other names of hosts, each with the host that it leads to; they count where no host has them as its own. */
  readonly aliases: ReadonlyMap<string, ServedHost>;
  readonly archives: OpenArchives;
  readonly bases: readonly BaseSet[];
  readonly wanted: WantedArtifacts;
  /** Scripts that all machines read. */
  readonly scripts: readonly BootFile[];
  readonly modified: Date;
  /** Bytes that images may take in memory. */
  readonly cacheSize: number;
}

/** A catalog that counts what it holds. */
export interface HostCatalog extends Pick<Catalog, 'find'> {
  readonly images: Pick<ImageCache<ServedResource>, 'count' | 'size'>;
}

export function createCatalog(contents: CatalogContents): HostCatalog {
  const { hosts } = contents;
  const cache = createImageCache<ServedResource>(contents.cacheSize);
  const shared = new Map([...sharedScripts(contents), ...sharedResources(contents.bases, contents.archives)]);
  const scriptOwners = new Map(hosts.flatMap((host) => scriptPaths(host, contents)));
  const fileOwners = ownersByStem(contents);
  return {
    images: cache,
    find: (path, owner) => {
      const resource = shared.get(path);
      if (resource !== undefined) return entryOf(resource);
      const scriptOwner = scriptOwners.get(path);
      if (scriptOwner !== undefined) return hostScript(path, scriptOwner, contents);
      const found = fileOwners(path).filter(({ host }) => owner === undefined || host.name === owner);
      return found.length > 1 ? 'ambiguous' : found.map((file) => hostFile(path, file, cache))[0];
    },
  };
}

/** A file of a host by its name. */
interface FoundFile {
  readonly host: ServedHost;
  readonly file: HostFile;
}

/** Finds all hosts that have a file under a path. */
function ownersByStem({ aliases, hosts, wanted }: CatalogContents): (path: string) => readonly FoundFile[] {
  const byStem = new Map<string, ServedHost[]>();
  for (const host of hosts) byStem.set(host.stem, [...(byStem.get(host.stem) ?? []), host]);
  return (path) => {
    const files = parseHostFileName(path).filter(({ artifact }) => wanted.configs.includes(artifact));
    const own = files.flatMap((file) => (byStem.get(file.host) ?? []).map((host) => ({ host, file })));
    if (own.length > 0) return own;
    return files.flatMap((file) => {
      const host = aliases.get(file.host);
      return host === undefined ? [] : [{ host, file }];
    });
  };
}

function hostFile(path: string, { host, file }: FoundFile, cache: ImageCache<ServedResource>): CatalogEntry {
  return {
    artifact: file.artifact,
    host: host.name,
    resource: () => cache.get(`${host.name} ${path}`, () => makeHostResource(host, file)),
  };
}

type Entry = readonly [path: string, resource: ServedResource];

function sharedScripts({ scripts, modified }: CatalogContents): Entry[] {
  return scripts.map(({ path, text }) => [
    path,
    scriptResource({ path, text }, { name: undefined, modified }),
  ]);
}

function scriptPaths(
  host: ServedHost,
  contents: CatalogContents,
): (readonly [path: string, owner: ServedHost])[] {
  return scriptsOf(host, contents).map(({ path }) => [path, host]);
}

function scriptsOf({ boot }: ServedHost, { wanted }: CatalogContents): BootFile[] {
  return boot === undefined ? [] : [...hostBootFiles(boot, wanted.loaders)];
}

/** Made when it is asked for: scripts of thousands of hosts take more memory than their settings. */
function hostScript(path: string, host: ServedHost, contents: CatalogContents): CatalogEntry | undefined {
  const script = scriptsOf(host, contents).find((file) => file.path === path);
  const { modified, name } = host;
  return script === undefined ? undefined : entryOf(scriptResource(script, { name, modified }));
}

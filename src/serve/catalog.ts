/** Everything that is served at one moment, by path: files of hosts, boot scripts, and the images that hosts share. */

import { hostBootFiles } from '../boot/network/bootFiles.ts';
import type { BootFile, NetworkHost } from '../boot/network/networkBoot.ts';
import type { Growth } from '../image/growth.ts';
import { bytesAccess, overlay } from '../image/overlay.ts';
import type { WantedArtifacts } from '../hosts/artifacts/artifacts.ts';
import { bytesTag } from './answer/entityTag.ts';
import { type HostFile, parseHostFileName } from '../hosts/artifacts/hostFiles.ts';
import { mediaTypes } from './answer/mediaTypes.ts';
import { type Catalog, type CatalogEntry, entryOf, type Resource } from './answer/resource.ts';
import type { BaseSet } from './baseImages.ts';
import type { ServedArchives } from './servedArchives.ts';
import { type HostSource, makeHostResource } from './hostResources.ts';
import { type Cached, createImageCache, type ImageCache } from './imageCache.ts';
import { sharedImages } from './sharedImages.ts';

/** A host as it is served; its config is kept elsewhere. */
export interface CatalogHost extends Omit<HostSource, 'growth'> {
  /** What its scripts start; undefined for machines that have none of their own. */
  readonly boot: NetworkHost | undefined;
  /** What of its config and scripts others must not see, as nouns. */
  readonly secrets: readonly string[];
}

/** A host, or all machines that are not listed, as its files are called. */
export interface NamedHost {
  readonly stem: string;
  readonly host: CatalogHost;
}

export interface CatalogContents {
  /** Each under what its files are called before the ending; several may have the same. */
  readonly hosts: readonly NamedHost[];
  /** Other names of hosts, each with the host that it leads to; they count where no host has them as its own. */
  readonly aliases: ReadonlyMap<string, CatalogHost>;
  readonly archives: ServedArchives;
  readonly bases: readonly BaseSet[];
  readonly wanted: WantedArtifacts;
  /** Scripts that all machines read. */
  readonly scripts: readonly BootFile[];
  readonly modified: Date;
  readonly growth: Growth;
  /** Bytes that images may take in memory. */
  readonly cacheSize: number;
}

/** A catalog that counts what it holds. */
export interface HostCatalog extends Pick<Catalog, 'find'> {
  readonly images: Pick<ImageCache<Resource>, 'count' | 'size'>;
}

export function createCatalog(contents: CatalogContents): HostCatalog {
  const { hosts } = contents;
  const cache = createImageCache<Resource>(contents.cacheSize);
  const shared = new Map([
    ...sharedScripts(contents),
    ...sharedImages(contents.bases),
    ...contents.archives.resources(),
  ]);
  const scriptOwners = new Map(hosts.flatMap(({ host }) => scriptPaths(host, contents)));
  const fileOwners = ownersByStem(contents);
  return {
    images: cache,
    find: (path, owner) => {
      const resource = shared.get(path);
      if (resource !== undefined) return entryOf(resource);
      const scriptOwner = scriptOwners.get(path);
      if (scriptOwner !== undefined) return hostScript(path, scriptOwner, contents);
      const found = fileOwners(path).filter(({ host }) => owner === undefined || host.name === owner);
      return found.length > 1
        ? 'ambiguous'
        : found.map((file) => hostFile(path, file, { contents, cache }))[0];
    },
  };
}

/** A file of a host by its name. */
interface FoundFile {
  readonly host: CatalogHost;
  readonly file: HostFile;
}

/** Finds all hosts that have a file under a path. */
function ownersByStem({ aliases, hosts, wanted }: CatalogContents): (path: string) => readonly FoundFile[] {
  const byStem = new Map<string, CatalogHost[]>();
  for (const { stem, host } of hosts) byStem.set(stem, [...(byStem.get(stem) ?? []), host]);
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

function hostFile(
  path: string,
  { host, file }: FoundFile,
  {
    contents: { growth },
    cache,
  }: { readonly contents: CatalogContents; readonly cache: ImageCache<Resource> },
): CatalogEntry {
  const make = (): Promise<Cached<Resource>> => makeHostResource({ ...host, growth }, file);
  return {
    artifact: file.artifact,
    host: host.name,
    resource: () => cache.get(`${host.name} ${path}`, make),
  };
}

type Entry = readonly [path: string, resource: Resource];

function sharedScripts({ scripts, modified }: CatalogContents): Entry[] {
  return scripts.map(({ path, text }) => [path, scriptResource({ path, text }, { modified })]);
}

function scriptPaths(
  host: CatalogHost,
  contents: CatalogContents,
): (readonly [path: string, owner: CatalogHost])[] {
  return scriptsOf(host, contents).map(({ path }) => [path, host]);
}

function scriptsOf({ boot }: CatalogHost, { wanted }: CatalogContents): BootFile[] {
  return boot === undefined ? [] : [...hostBootFiles(boot, wanted.loaders)];
}

/** Made when it is asked for: scripts of thousands of hosts take more memory than their settings. */
function hostScript(path: string, host: CatalogHost, contents: CatalogContents): CatalogEntry | undefined {
  const script = scriptsOf(host, contents).find((file) => file.path === path);
  const { modified, name } = host;
  return script === undefined ? undefined : entryOf(scriptResource(script, { modified, host: name }));
}

function scriptResource(
  { path, text }: BootFile,
  { modified, host }: { readonly modified: Date; readonly host?: string },
): Resource {
  const bytes = Buffer.from(text);
  return {
    artifact: 'script',
    host,
    fileName: path.slice(path.lastIndexOf('/') + 1),
    contentType: mediaTypes.script,
    size: bytes.length,
    etag: bytesTag(bytes),
    lastModified: modified,
    open: async () => ({ ...overlay(bytesAccess(bytes), []), close: async () => undefined }),
  };
}

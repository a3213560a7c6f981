/** The catalog of a snapshot, by path: files of hosts, boot scripts, and shared images. */

import { hostBootFiles } from '../boot/network/bootFiles.ts';
import type { BootFile, NetworkHost } from '../boot/network/networkBoot.ts';
import type { WantedArtifacts } from '../hosts/artifacts/artifacts.ts';
import type { BaseSet } from '../hosts/artifacts/baseImages.ts';
import type { HostMaterial } from '../hosts/artifacts/hostArtifacts.ts';
import type { OpenArchives } from '../hosts/plan/agentArchives.ts';
import { type HostFile, parseHostFileName } from '../hosts/artifacts/servedPaths.ts';
import { type Catalog, type CatalogEntry, entryOf, type ServedResource } from './answer/resource.ts';
import { createImageCache, type ImageCache } from './imageCache.ts';
import { makeHostResource, scriptResource, sharedResources } from './resources.ts';

/** A served host, or all machines that are not listed. Its config is stored separately, compressed. */
export interface ServedHost extends HostMaterial {
  /** The owner of the files. */
  readonly name: string;
  /** The file name without its suffix; several hosts may have the same. */
  readonly stem: string;
  /** When its config last changed. */
  readonly modified: Date;
  /** The host in boot scripts; undefined for machines without their own scripts. */
  readonly boot: NetworkHost | undefined;
  /** The kinds of secrets in its config and scripts, as nouns. */
  readonly secrets: readonly string[];
}

export interface CatalogContents {
  readonly hosts: readonly ServedHost[];
  /** Hosts by alias. A host with this name overrides the alias. */
  readonly aliases: ReadonlyMap<string, ServedHost>;
  readonly archives: OpenArchives;
  readonly bases: readonly BaseSet[];
  readonly wanted: WantedArtifacts;
  /** Boot scripts for all machines. */
  readonly scripts: readonly BootFile[];
  readonly modified: Date;
  /** Bytes of memory for cached images. */
  readonly cacheSize: number;
}

/** A catalog with the size of its image cache. */
export interface HostCatalog extends Pick<Catalog, 'find'> {
  readonly images: Pick<ImageCache<ServedResource>, 'count' | 'size'>;
}

export function createCatalog(contents: CatalogContents): HostCatalog {
  const { hosts } = contents;
  const cache = createImageCache<ServedResource>(contents.cacheSize);
  const shared = sharedResources(contents.bases, contents.archives);
  const { modified } = contents;
  for (const script of contents.scripts)
    shared.set(script.path, scriptResource(script, { name: undefined, modified }));
  const scriptOwners = new Map<string, ServedHost>();
  for (const host of hosts) for (const { path } of scriptsOf(host, contents)) scriptOwners.set(path, host);
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

/** A file of a host, found by its name. */
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

function scriptsOf({ boot }: ServedHost, { wanted }: CatalogContents): BootFile[] {
  return boot === undefined ? [] : [...hostBootFiles(boot, wanted.loaders)];
}

/** Rendered on request: the scripts of thousands of hosts take more memory than their settings. */
function hostScript(path: string, host: ServedHost, contents: CatalogContents): CatalogEntry | undefined {
  const script = scriptsOf(host, contents).find((file) => file.path === path);
  const { modified, name } = host;
  return script === undefined ? undefined : entryOf(scriptResource(script, { name, modified }));
}

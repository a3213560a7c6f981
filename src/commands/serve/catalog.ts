/** The catalog of a snapshot, by path: files of hosts, boot scripts, and shared images. */

import { hostBootFiles } from '../../kargs/network/bootFiles.ts';
import type { BootFile, NetworkHost } from '../../kargs/network/networkBoot.ts';
import type { WantedArtifacts } from '../../hosts/artifacts/artifacts.ts';
import type { HostMaterial } from '../../hosts/artifacts/hostArtifacts.ts';
import { type HostFile, parseHostFileName } from '../../hosts/artifacts/servedPaths.ts';
import {
  type Catalog,
  type CatalogEntry,
  entryOf,
  type ServedResource,
} from '../../http/server/answer/resource.ts';
import type { DateOf } from '../../http/server/answer/modifiedDates.ts';
import { createImageCache, type ImageCounts } from '../../hosts/artifacts/imageCache.ts';
import type { OpenFiles } from './openFiles.ts';
import { makeHostResource, scriptResource, sharedResources } from './resources.ts';

/** A served host, or all machines that are not listed. Its config is stored separately, compressed. */
export interface ServedHost extends HostMaterial {
  /** The owner of the files. */
  readonly name: string;
  /** The file name without its suffix; several hosts may have the same. */
  readonly stem: string;
  /** The files that its images are made from. */
  readonly files: OpenFiles;
  /** The host in boot scripts; undefined for machines without their own scripts. */
  readonly boot: NetworkHost | undefined;
  /** The kinds of secrets in its config and scripts, as nouns. */
  readonly secrets: readonly string[];
}

export interface CatalogContents {
  /** The last of several hosts with the same boot script owns it. */
  readonly hosts: readonly ServedHost[];
  /** Hosts by alias. A host with this name overrides the alias. */
  readonly aliases: ReadonlyMap<string, readonly ServedHost[]>;
  /** The last of several files with the same path is served. */
  readonly files: readonly OpenFiles[];
  readonly wanted: WantedArtifacts;
  /** Boot scripts for all machines. */
  readonly scripts: readonly BootFile[];
  readonly dateOf: DateOf;
  /** Bytes of memory for cached images. */
  readonly cacheSize: number;
}

/** A catalog with the size of its image cache. */
export interface HostCatalog extends Pick<Catalog, 'find'> {
  readonly images: ImageCounts;
}

export function createCatalog(contents: CatalogContents): HostCatalog {
  const { aliases, dateOf, files: opened, hosts, wanted } = contents;
  const images = createImageCache<ServedResource>(contents.cacheSize);
  const shared = new Map(opened.flatMap((files) => [...sharedResources(files, dateOf)]));
  for (const script of contents.scripts)
    shared.set(script.path, scriptResource(script, { name: undefined, dateOf }));
  const scriptOwners = new Map<string, ServedHost>();
  const byStem = new Map<string, ServedHost[]>();
  for (const host of hosts) {
    for (const { path } of scriptsOf(host, contents)) scriptOwners.set(path, host);
    byStem.set(host.stem, [...(byStem.get(host.stem) ?? []), host]);
  }
  const find: HostCatalog['find'] = (path, owner) => {
    const resource = shared.get(path);
    if (resource !== undefined) return entryOf(resource);
    const scriptOwner = scriptOwners.get(path);
    if (scriptOwner !== undefined) return hostScript(path, scriptOwner, contents);
    const files = parseHostFileName(path).filter(({ artifact }) => wanted.configs.includes(artifact));
    const owners = files.some((file) => byStem.has(file.host)) ? byStem : aliases;
    const found: { readonly file: HostFile; readonly host: ServedHost }[] = [];
    for (const file of files) {
      for (const host of owners.get(file.host) ?? []) {
        if (owner === undefined || host.name === owner) found.push({ file, host });
      }
    }
    const [first, ...others] = found;
    if (first === undefined) return undefined;
    if (others.length > 0) return 'ambiguous';
    const { file, host } = first;
    return {
      artifact: file.artifact,
      host: host.name,
      resource: () => images.get(`${host.name} ${path}`, () => makeHostResource({ ...host, dateOf }, file)),
    };
  };
  return { images, find };
}

function scriptsOf({ boot }: ServedHost, { wanted }: CatalogContents): BootFile[] {
  return boot === undefined ? [] : [...hostBootFiles(boot, wanted.loaders)];
}

/** Rendered on request: the scripts of thousands of hosts take more memory than their settings. */
function hostScript(path: string, host: ServedHost, contents: CatalogContents): CatalogEntry | undefined {
  const script = scriptsOf(host, contents).find((file) => file.path === path);
  const { name } = host;
  return script === undefined
    ? undefined
    : entryOf(scriptResource(script, { name, dateOf: contents.dateOf }));
}

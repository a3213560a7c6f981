/** The catalog of a snapshot, by path: files of hosts, boot scripts, and shared images. */

import { hostScriptPaths } from '../kargs/folder.ts';
import type { BootFile } from '../kargs/loaders/loader.ts';
import type { WantedArtifacts } from '../hosts/plan/artifacts.ts';
import { createResource } from '../hosts/artifacts/artifactResource.ts';
import { hostFile, hostScripts, scriptFile, sharedFiles, type SiteFile } from '../hosts/artifacts/site.ts';
import { parseHostFileName } from '../hosts/plan/servedPaths.ts';
import type { HostPlan } from '../hosts/plan/planHost.ts';
import { type Catalog, entryOf, type ServedResource } from '../http/server/answer/resource.ts';
import type { DateOf } from '../http/server/answer/modifiedDates.ts';
import { createImageCache, type ImageCounts } from '../hosts/artifacts/imageCache.ts';
import type { OpenFiles } from './openFiles.ts';

export interface HostCatalog {
  readonly find: Catalog['find'];
  readonly images: ImageCounts;
}

/**
 * @param plans by the file name of their artifacts without suffix. The last of several hosts with the same boot script owns it
 * @param files the last of several files with the same path is served
 * @param scripts boot scripts for all machines
 * @param cacheSize bytes of memory for cached images
 */
export async function createCatalog(
  plans: ReadonlyMap<string, readonly HostPlan[]>,
  files: readonly OpenFiles[],
  scripts: readonly BootFile[],
  wanted: WantedArtifacts,
  dateOf: DateOf,
  cacheSize: number,
): Promise<HostCatalog> {
  const resourceOf = async (file: SiteFile): Promise<ServedResource> =>
    (await createResource(file, dateOf)).value;
  const shared = new Map<string, ServedResource>();
  for (const { archives, bases } of files) {
    for (const file of sharedFiles(bases, archives.byPath)) shared.set(file.path, await resourceOf(file));
  }
  for (const script of scripts) shared.set(script.path, await resourceOf(scriptFile(script)));
  const scriptOwners = new Map<string, HostPlan>();
  for (const plan of [...plans.values()].flat()) {
    if (plan.start === undefined) continue;
    for (const path of hostScriptPaths(plan, wanted.loaders)) scriptOwners.set(path, plan);
  }
  const images = createImageCache<ServedResource>(cacheSize);
  return {
    images,
    find: (path, owner) => {
      const resource = shared.get(path);
      if (resource !== undefined) return entryOf(resource);
      const scriptOwner = scriptOwners.get(path);
      if (scriptOwner !== undefined) {
        // Rendered on request: the scripts of thousands of hosts take more memory than their settings.
        const script = [...hostScripts(scriptOwner, wanted.loaders)].find((file) => file.path === path);
        const { name } = scriptOwner;
        return script && { artifact: 'script', host: name, resource: () => resourceOf(script) };
      }
      const named = parseHostFileName(path).filter(({ artifact }) => wanted.configs.includes(artifact));
      const [found, ...others] = named.flatMap(({ artifact, host }) =>
        (plans.get(host) ?? [])
          .filter(({ name }) => owner === undefined || name === owner)
          .map((plan) => ({ artifact, plan })),
      );
      if (found === undefined) return undefined;
      if (others.length > 0) return 'ambiguous';
      const { artifact, plan } = found;
      const { name } = plan;
      return {
        artifact,
        host: name,
        resource: () =>
          images.get(`${name} ${path}`, () => createResource(hostFile(plan, artifact, path), dateOf)),
      };
    },
  };
}

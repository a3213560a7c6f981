/**
 * The files of a site: what machines boot from, by its path below the URL of the site. `serve` and `controller` answer requests
 * with them, `prepare` writes them to a folder.
 */

import { type ArtifactKind, type ConfigArtifact, hostArtifacts } from '../../core/artifacts.ts';
import { type ImagePart, imageParts } from '../../image/bootParts.ts';
import { hostBootFiles, type NetworkLoader } from '../../kargs/folder.ts';
import type { BootFile } from '../../kargs/loaders/loader.ts';
import type { OpenArchive } from '../plan/agentArchives.ts';
import type { BaseCatalog } from '../plan/baseCatalog.ts';
import type { BaseSet } from '../plan/baseImages.ts';
import type { HostPlan } from '../plan/planHost.ts';
import { imagePath } from '../plan/servedPaths.ts';
import { type Artifact, bytesArtifact, makeArtifact, recipeOf, sharedArtifact } from './hostArtifacts.ts';

export interface SiteFile {
  readonly path: string;
  readonly kind: ArtifactKind;
  /** The host that owns it, or `*` for machines that are not listed; undefined for shared files. */
  readonly host?: string | undefined;
  /** Kinds of secrets in the file, as nouns. */
  readonly secrets?: readonly string[];
  /** Digest of what a large file is made from: the same digest means the same bytes. Undefined for a small file. */
  readonly recipe?: (() => string) | undefined;
  /** Absolute path of a file that has these bytes. */
  readonly source?: string | undefined;
  /** Creates the artifact. @throws CliError if something does not fit, or a base image is missing */
  readonly make: () => Promise<Artifact>;
}

export function hostFile(plan: HostPlan, kind: ConfigArtifact, path: string): SiteFile {
  const { name, secrets } = plan;
  return {
    path,
    kind,
    host: name,
    secrets,
    ...(hostArtifacts[kind].base !== undefined && { recipe: () => recipeOf(kind, plan) }),
    make: () => makeArtifact(kind, plan),
  };
}

/** The boot scripts of a host; none for machines that are not listed, which read those of all machines. */
export function* hostScripts(
  { macs, name, start }: HostPlan,
  loaders: readonly NetworkLoader[],
): Generator<SiteFile> {
  if (start === undefined) return;
  for (const file of hostBootFiles({ name, macs, start }, loaders)) yield { host: name, ...scriptFile(file) };
}

export function scriptFile({ path, text }: BootFile): SiteFile {
  return { path, kind: 'script', make: async () => bytesArtifact(Buffer.from(text)) };
}

/** Kernel, initramfs and root filesystem. The kernel is the last one: a machine that loads it also finds the other files. */
export function partFiles({ parts }: BaseSet, pathOf: (part: ImagePart) => string): SiteFile[] {
  return imageParts.toReversed().flatMap((part) => {
    const image = parts[part];
    if (image === undefined) return [];
    const { bytes, digest, file, path: source } = image;
    const make = async (): Promise<Artifact> => sharedArtifact(file, bytes, digest);
    return [{ path: pathOf(part), kind: part, source, recipe: () => digest, make }];
  });
}

/** The files that all hosts share: the images, and the agent archives by their paths. */
export function sharedFiles(
  bases: BaseCatalog<BaseSet>,
  archives: ReadonlyMap<string, OpenArchive>,
): SiteFile[] {
  return [
    ...[...bases.values()].flatMap((base) => partFiles(base, (part) => imagePath(base.id, part))),
    ...Array.from(archives, ([path, { file, sha512 }]): SiteFile => {
      return { path, kind: 'agent', make: async () => sharedArtifact(file, file, sha512) };
    }),
  ];
}

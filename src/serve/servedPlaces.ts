/** The URLs of the files that machines boot from this server. The token in a URL gives access to one host only. */

import type { Architecture } from '../core/architecture.ts';
import { agentPath, imagePath, hostFileName } from '../hosts/artifacts/servedPaths.ts';
import type { SignedGrant } from './answer/signedPath.ts';
import { type BaseSet, type ImageSet, imageSetOf } from '../hosts/artifacts/baseImages.ts';
import type { PublishArchive, OpenArchives } from '../hosts/plan/agentArchives.ts';
import type { HostPlaces } from '../hosts/plan/planHost.ts';
import type { UnknownPlaces } from '../hosts/plan/planUnknown.ts';
import type { Links } from './links.ts';

export type Bases = ReadonlyMap<Architecture, BaseSet>;

/** The sources of the files that this server offers. */
export interface ServeContext {
  readonly archives: OpenArchives;
  readonly bases: Bases;
  readonly links: Links;
}

export function hostPlaces({ archives, bases, links }: ServeContext): HostPlaces {
  return {
    images: (host) => imageSets(bases, { kind: 'host', host }, links),
    file: (host, artifact) => links.path({ kind: 'host', host }, hostFileName(host, artifact)),
    publish: (host) => publishUnder({ kind: 'host', host }, { archives, links }),
  };
}

export function unknownPlaces({ archives, bases, links }: ServeContext): UnknownPlaces {
  return {
    images: imageSets(bases, { kind: 'boot' }, links),
    file: (artifact, set) =>
      links.path({ kind: 'boot' }, hostFileName(unknownStem(set?.base.architecture, bases), artifact)),
    publish: publishUnder({ kind: 'boot' }, { archives, links }),
  };
}

function publishUnder(
  grant: SignedGrant,
  { archives, links }: Pick<ServeContext, 'archives' | 'links'>,
): PublishArchive {
  return async (archive) => {
    await archives.open(archive);
    return `${links.publicUrl}/${links.path(grant, agentPath(archive.id, archive.name))}`;
  };
}

/** The file name, without its suffix, for machines that are not listed; with several architectures, one for each. */
export function unknownStem(architecture: Architecture | undefined, bases: Bases): string {
  return architecture === undefined || bases.size < 2 ? 'discovery' : `discovery-${architecture}`;
}

/** The file names for all architectures. */
export function unknownStems(bases: Bases): string[] {
  const architectures = bases.size === 0 ? [undefined] : [...bases.keys()];
  return architectures.map((architecture) => unknownStem(architecture, bases));
}

function imageSets(bases: Bases, grant: SignedGrant, links: Links): Map<Architecture, ImageSet> {
  const setOf = (base: BaseSet): ImageSet =>
    imageSetOf(base, (part) => links.path(grant, imagePath(base.id, part)));
  return new Map([...bases].map(([architecture, base]) => [architecture, setOf(base)]));
}

/** The URLs of the files that machines boot from this server. The token in a URL gives access to one host only. */

import type { Architecture } from '../../core/architecture.ts';
import { agentPath, imagePath, hostFileName } from '../../hosts/artifacts/servedPaths.ts';
import type { SignedGrant } from '../../http/server/answer/signedPath.ts';
import { type BaseSet, type ImageSet, imageSetOf } from '../../hosts/artifacts/baseImages.ts';
import type { AgentArchives, PublishArchive } from '../../hosts/plan/agentArchives.ts';
import { architecturesOf, type BaseCatalog, type ImagesName } from '../../hosts/plan/baseCatalog.ts';
import type { HostPlaces } from '../../hosts/plan/planHost.ts';
import type { UnknownPlaces } from '../../hosts/plan/planUnknown.ts';
import type { Links } from './links.ts';

export type Bases = BaseCatalog<BaseSet>;

/** The sources of the files that this server offers. */
export interface ServeContext {
  readonly archives: AgentArchives;
  readonly bases: Bases;
  readonly links: Links;
}

export function hostPlaces(context: ServeContext, host: string): HostPlaces {
  const grant = { kind: 'host', host } as const;
  return {
    ...sharedPlaces(context, grant),
    file: (artifact) => context.links.path(grant, hostFileName(host, artifact)),
  };
}

export function unknownPlaces(context: ServeContext): UnknownPlaces {
  const { bases, links } = context;
  const grant = { kind: 'boot' } as const;
  return {
    ...sharedPlaces(context, grant),
    file: (artifact, { images }) =>
      links.path(grant, hostFileName(unknownStem(images?.base.architecture, bases), artifact)),
  };
}

function sharedPlaces(
  { archives, bases, links }: ServeContext,
  grant: SignedGrant,
): Pick<HostPlaces, 'images' | 'publish'> {
  const images = new Map<ImagesName, ImageSet>();
  for (const [name, base] of bases) {
    images.set(
      name,
      imageSetOf(base, (part) => links.path(grant, imagePath(base.id, part))),
    );
  }
  const publish: PublishArchive = async (archive) => {
    await archives.open(archive);
    return `${links.publicUrl}/${links.path(grant, agentPath(archive.id, archive.name))}`;
  };
  return { images, publish };
}

/** The file name, without its suffix, for machines that are not listed; with several architectures, one for each. */
export function unknownStem(architecture: Architecture | undefined, bases: Bases): string {
  return architecture === undefined || architecturesOf(bases).length < 2
    ? 'discovery'
    : `discovery-${architecture}`;
}

/** The file names for all architectures. */
export function unknownStems(bases: Bases): string[] {
  const architectures = bases.size === 0 ? [undefined] : architecturesOf(bases);
  return architectures.map((architecture) => unknownStem(architecture, bases));
}

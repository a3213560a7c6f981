/** Where machines find their files on a server. */

import type { Architecture } from '../core/architecture.ts';
import type { SignedGrant } from '../http/server/answer/signedPath.ts';
import { type BaseSet, type ImageSet, imageSetOf } from '../hosts/plan/baseImages.ts';
import { agentPath, hostFileName, imagePath } from '../hosts/plan/servedPaths.ts';
import { architecturesOf, type BaseCatalog, type ImagesName } from '../hosts/plan/baseCatalog.ts';
import type { Links } from '../hosts/plan/links.ts';
import type { HostPlaces } from '../hosts/plan/planHost.ts';
import type { OpenFiles } from './openFiles.ts';

/** Where a machine finds its files on this server. The token in a URL gives access to one host only. */
export function hostPlaces(files: OpenFiles, links: Links, host: string): HostPlaces {
  return placesFor({ kind: 'host', host }, files, links, () => host);
}

export function unknownPlaces(files: OpenFiles, links: Links): HostPlaces {
  return placesFor({ kind: 'boot' }, files, links, (base) => unknownStem(base?.architecture, files.bases));
}

/** @param stemOf the file name without its suffix */
function placesFor(
  grant: SignedGrant,
  { archives, bases }: OpenFiles,
  links: Links,
  stemOf: (base: BaseSet | undefined) => string,
): HostPlaces {
  const images = new Map<ImagesName, ImageSet>();
  for (const [name, base] of bases) {
    images.set(
      name,
      imageSetOf(base, (part) => links.path(grant, imagePath(base.id, part))),
    );
  }
  return {
    images,
    publish: async (archive) => {
      await archives.open(archive);
      return `${links.publicUrl}/${links.path(grant, agentPath(archive.id, archive.name))}`;
    },
    file: (artifact, { base }) => links.path(grant, hostFileName(stemOf(base), artifact)),
  };
}

/** The file name, without its suffix, for machines that are not listed; with several architectures, one for each. */
export function unknownStem(architecture: Architecture | undefined, bases: BaseCatalog<BaseSet>): string {
  return architecture === undefined || architecturesOf(bases).length < 2
    ? 'discovery'
    : `discovery-${architecture}`;
}

export function unknownStems(bases: BaseCatalog<BaseSet>): string[] {
  const architectures = bases.size === 0 ? [undefined] : architecturesOf(bases);
  return architectures.map((architecture) => unknownStem(architecture, bases));
}

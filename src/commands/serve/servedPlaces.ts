/** The URLs of the files that machines boot from this server. The token in a URL gives access to one host only. */

import type { Architecture } from '../../core/architecture.ts';
import { agentPath, imagePath, hostFileName } from '../../hosts/artifacts/servedPaths.ts';
import type { SignedGrant } from '../../http/server/answer/signedPath.ts';
import { type BaseSet, type ImageSet, imageSetOf } from '../../hosts/artifacts/baseImages.ts';
import type { PublishArchive } from '../../hosts/plan/agentArchives.ts';
import { architecturesOf, type BaseCatalog, type ImagesName } from '../../hosts/plan/baseCatalog.ts';
import type { HostPlaces } from '../../hosts/plan/planHost.ts';
import type { Links } from './links.ts';
import type { OpenFiles } from './openFiles.ts';

export function hostPlaces(files: OpenFiles, links: Links, host: string): HostPlaces {
  return placesFor({ kind: 'host', host }, files, links, () => host);
}

export function unknownPlaces(files: OpenFiles, links: Links): HostPlaces {
  return placesFor({ kind: 'boot' }, files, links, (images) =>
    unknownStem(images?.base.architecture, files.bases),
  );
}

/** @param stemOf the file name without its suffix */
function placesFor(
  grant: SignedGrant,
  { archives, bases }: OpenFiles,
  links: Links,
  stemOf: (images: ImageSet | undefined) => string,
): HostPlaces {
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
  return {
    images,
    publish,
    file: (artifact, planned) => links.path(grant, hostFileName(stemOf(planned.images), artifact)),
  };
}

/** The file name, without its suffix, for machines that are not listed; with several architectures, one for each. */
export function unknownStem(architecture: Architecture | undefined, bases: BaseCatalog<BaseSet>): string {
  return architecture === undefined || architecturesOf(bases).length < 2
    ? 'discovery'
    : `discovery-${architecture}`;
}

/** The file names for all architectures. */
export function unknownStems(bases: BaseCatalog<BaseSet>): string[] {
  const architectures = bases.size === 0 ? [undefined] : architecturesOf(bases);
  return architectures.map((architecture) => unknownStem(architecture, bases));
}

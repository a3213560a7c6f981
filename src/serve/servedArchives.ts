/** Archives of the agent's image: each is open once, whichever hosts fetch it or find it on their ISO. */

import { openSharedImage, type SharedImage } from '../io/images/sharedImage.ts';
import { agentPath } from '../hosts/artifacts/servedPaths.ts';
import { digestTag } from './answer/entityTag.ts';
import { mediaTypes } from './answer/mediaTypes.ts';
import type { Resource } from './answer/resource.ts';
import type { HostArchive } from '../hosts/plan/agentArchives.ts';

/** One that is open. */
export interface ServedArchive {
  /** Of the file, without folders. */
  readonly name: string;
  readonly path: string;
  readonly sha512: string;
  readonly file: SharedImage;
}

export interface ServedArchives {
  /** Opens it unless it is. Throws CliError where it cannot be read. */
  open(archive: Pick<HostArchive, 'id' | 'name' | 'path' | 'content'>): Promise<ServedArchive>;
  /** Those that are open, by their path on this server. */
  resources(): (readonly [path: string, resource: Resource])[];
  close(): Promise<void>;
}

export function createServedArchives(): ServedArchives {
  const archives = new Map<string, ServedArchive>();
  return {
    open: async ({ id, name, path, content }) => {
      const place = agentPath(id, name);
      const known = archives.get(place);
      if (known !== undefined) return known;
      const { sha512 } = content;
      const file = await openSharedImage(path, path, { algorithm: 'sha512', hex: sha512 });
      const opened = { name, path, sha512, file };
      archives.set(place, opened);
      return opened;
    },
    resources: () => [...archives].map(([place, archive]) => [place, archiveResource(archive)]),
    close: async () => {
      for (const { file } of archives.values()) await file.close();
    },
  };
}

function archiveResource({ name, file, sha512 }: ServedArchive): Resource {
  return {
    artifact: 'agent',
    host: undefined,
    fileName: name,
    contentType: mediaTypes.agent,
    size: file.size,
    etag: digestTag(sha512),
    lastModified: file.modified,
    check: () => file.checkUnchanged(),
    open: async () => {
      await file.checkUnchanged();
      return { ...file, close: async () => undefined };
    },
  };
}

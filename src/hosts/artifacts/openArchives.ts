/** Archives of the agent's image: each is open once, whichever hosts fetch it or find it on their ISO. */

import { openSharedImage, type SharedImage } from '../../io/images/sharedImage.ts';
import type { HostArchive } from '../plan/agentArchives.ts';
import { agentPath } from './servedPaths.ts';

/** One that is open. */
export interface OpenArchive {
  /** Of the file, without folders. */
  readonly name: string;
  readonly sha512: string;
  readonly file: SharedImage;
}

export interface OpenArchives {
  /** Opens it unless it is. Throws CliError where it cannot be read. */
  open(archive: Pick<HostArchive, 'id' | 'name' | 'path' | 'content'>): Promise<OpenArchive>;
  /** Those that are open, by their path below the URL from which machines boot. */
  list(): ReadonlyMap<string, OpenArchive>;
  close(): Promise<void>;
}

export function createOpenArchives(): OpenArchives {
  const archives = new Map<string, OpenArchive>();
  return {
    open: async ({ id, name, path, content }) => {
      const place = agentPath(id, name);
      const known = archives.get(place);
      if (known !== undefined) return known;
      const { sha512 } = content;
      const file = await openSharedImage(path, path, { algorithm: 'sha512', hex: sha512 });
      const opened = { name, sha512, file };
      archives.set(place, opened);
      return opened;
    },
    list: () => archives,
    close: async () => {
      for (const { file } of archives.values()) await file.close();
    },
  };
}

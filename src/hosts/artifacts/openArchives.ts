/** Open agent archives. Each is opened once, for all hosts. */

import { openSharedImage, type SharedImage } from '../../io/images/sharedImage.ts';
import type { HostArchive } from '../plan/agentArchives.ts';
import { agentPath } from './servedPaths.ts';

/** An agent archive that is open. */
export interface OpenArchive {
  /** File name without folder. */
  readonly name: string;
  readonly sha512: string;
  readonly file: SharedImage;
}

export interface OpenArchives {
  /** Opens the archive unless it is already open. @throws CliError if it cannot be read */
  open(archive: Pick<HostArchive, 'id' | 'name' | 'path' | 'content'>): Promise<OpenArchive>;
  /** The open archives by their path, relative to the base URL. */
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

/** Archives of the agent's image in the folder: each is there once, whichever hosts load it. */

import { UsageError } from '../core/errors.ts';
import type { Access, PreparedFolder } from './folder/preparedFolder.ts';
import type { ManifestInput } from '../hosts/artifacts/manifest.ts';
import { agentPath } from '../hosts/artifacts/servedPaths.ts';
import type { AgentArchives, PublishArchive } from '../hosts/plan/agentArchives.ts';

export interface ArchivePlace {
  readonly folder: PreparedFolder;
  readonly access: Access;
  /** Of what is served, below the folder, with a slash at its end unless it is the folder itself. */
  readonly root: string;
  /** Without a final slash. */
  readonly baseUrl: string | undefined;
}

/** Throws UsageError where the folder has no URL. */
export function publishIn({ access, baseUrl, folder, root }: ArchivePlace): PublishArchive {
  return async ({ id, name, path }) => {
    if (baseUrl === undefined) {
      throw new UsageError('under which URL will hosts fetch the agent archive? --base-url is missing', {
        hint: 'for example --base-url http://192.0.2.1/boot, or say where else it is with agent.archiveUrl',
      });
    }
    const served = agentPath(id, name);
    if (!folder.files.has(root + served)) await folder.share({ path: root + served, ...access }, path);
    return `${baseUrl}/${served}`;
  };
}

/** For the manifest: those that configs name. */
export function archiveInputs(
  archives: AgentArchives,
  { digests }: PreparedFolder,
): Promise<ManifestInput[]> {
  return Promise.all(
    archives.used().map(async ({ architecture, content, name, path }) => {
      const sha256 = await digests.sha256(path);
      return { role: 'agent-archive', name, architecture, size: content.size, sha256 } as const;
    }),
  );
}

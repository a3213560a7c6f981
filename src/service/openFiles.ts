/** The base images and agent archives of a snapshot, which stay open as long as a snapshot serves files that are made from them. */

import type { AgentArchives } from '../hosts/plan/agentArchives.ts';
import { type BaseSet, closeBaseSets } from '../hosts/plan/baseImages.ts';
import type { BaseCatalog } from '../hosts/plan/baseCatalog.ts';

export type OpenFiles = Readonly<ReturnType<typeof shareOpenFiles>>;

/** @returns the files without a user */
export function shareOpenFiles(bases: BaseCatalog<BaseSet>, archives: AgentArchives) {
  let users = 0;
  return {
    bases,
    archives,
    /**
     * Keeps the files open for one more user.
     * @returns releases them; to be called once. The last user closes the files
     */
    retain: (): (() => Promise<void>) => {
      users += 1;
      return async () => {
        users -= 1;
        if (users > 0) return;
        await archives.close();
        await closeBaseSets(bases);
      };
    },
  };
}

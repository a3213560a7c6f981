/** A run of `prepare`: the layout of its folder, and the inputs that are open. */

import type { AgentArchives, PublishArchive } from '../../hosts/plan/agentArchives.ts';
import type { Inventory } from '../../hosts/settings/inventoryDocument.ts';
import type { Growth } from '../../image/growth.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import type { Bundle } from './bundle.ts';
import type { FolderOptions, PreparedFolder } from './folder/preparedFolder.ts';
import type { ReadSource } from './setup.ts';
import type { LayoutName, PrepareOptions } from './options.ts';

export interface Layout extends Pick<FolderOptions, 'shown' | 'force' | 'isStaged'> {
  readonly layout: LayoutName;
  readonly options: PrepareOptions;
  /** Without a final slash. */
  readonly baseUrl: string | undefined;
  /** The served subfolder, with a final slash; empty for the whole folder. */
  readonly served: string;
  /** Throws UsageError for an inventory that the layout does not support. */
  readonly check?: (inventory: Inventory) => void;
  readonly write: (run: PrepareRun) => Promise<ExitCode>;
}

/** A run: its layout, and the inputs that are open. */
export interface PrepareRun extends Layout {
  readonly folder: PreparedFolder;
  readonly read: ReadSource;
  readonly archives: AgentArchives;
  readonly publish: PublishArchive;
  readonly growth: Growth;
  readonly bundle: Bundle | undefined;
  readonly io: Io;
}

/** The URL of a file. Undefined without a base URL, and for a file that is not served. */
export function urlOf({ baseUrl, served }: PrepareRun, path: string): string | undefined {
  return baseUrl !== undefined && path.startsWith(served)
    ? `${baseUrl}/${path.slice(served.length)}`
    : undefined;
}

/** Whose configs are served: hosts of an inventory, of a folder of nmstate files, or whatever machine comes. */

import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Inventory } from '../hosts/settings/inventoryDocument.ts';
import { UsageError } from '../core/errors.ts';
import type { Io } from '../io/io.ts';
import { readInventoryFile } from '../hosts/settings/inventory.ts';
import { inventoryAddressHint, readInputs, type RenderSource } from '../hosts/settings/settings.ts';
import { readNmstateFolder } from './nmstateFolder.ts';
import type { ServeOptions } from './options.ts';

export interface ServeSource {
  readonly inventory: Inventory;
  readonly source: RenderSource;
  /** Hosts by other names of theirs. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Of the file or folder; when nothing was given, never. */
  readonly modified: Date;
}

/** What is wrong for all hosts is said before anything is served. Throws CliError, and UsageError for the options. */
export async function readServeSource(options: ServeOptions, io: Io): Promise<ServeSource> {
  const read = await readHosts(options, io);
  readInputs(read.source);
  const path = options.inventory ?? options.nmstateDir;
  const stats = path === undefined ? undefined : await stat(resolve(io.cwd, path)).catch(() => undefined);
  return {
    ...read,
    source: { ...read.source, addressHint: inventoryAddressHint },
    modified: stats?.mtime ?? new Date(0),
  };
}

async function readHosts(options: ServeOptions, io: Io): Promise<Omit<ServeSource, 'modified'>> {
  const { inventory: name, nmstateDir, profile } = options;
  const given = profile === undefined ? {} : { profile };
  if (nmstateDir !== undefined) {
    if (name !== undefined) {
      throw new UsageError('--inventory and --nmstate-dir both say which hosts there are', {
        hint: 'use one of them; an inventory names the nmstate of a host as host.nmstate',
      });
    }
    const source: RenderSource = { options: { profile: 'icc', ...given }, io };
    return { ...(await readNmstateFolder(nmstateDir, io)), source };
  }
  const aliases = new Map<string, string>();
  if (name !== undefined) {
    return { ...(await readInventoryFile(name, { ...given, inventory: name }, io)), aliases };
  }
  const source: RenderSource = { options: given, io };
  return { inventory: { agent: new Map(), findings: [] }, source, aliases };
}

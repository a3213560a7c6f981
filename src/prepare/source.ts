/** What is rendered: an inventory, or the environment alone. */

import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { Inventory } from '../hosts/settings/inventoryDocument.ts';
import { hashFile } from '../io/files/fileDigests.ts';
import type { Io } from '../io/io.ts';
import type { ManifestInput } from '../hosts/artifacts/manifest.ts';
import { tellUrlAddresses } from '../hosts/input/urlAddress.ts';
import { readInventoryFile } from '../hosts/settings/inventory.ts';
import { inventoryAddressHint, readInputs, type RenderSource } from '../hosts/settings/settings.ts';
import type { PrepareOptions } from './options.ts';

export interface ReadSource {
  readonly inventory: Inventory;
  readonly source: RenderSource;
  readonly input: readonly ManifestInput[];
}

/** What is wrong for all hosts is said before anything is written. */
export async function readSource(options: PrepareOptions, io: Io): Promise<ReadSource> {
  const { baseUrl = '', inventory: name, profile } = options;
  tellUrlAddresses([['--base-url', baseUrl]], io);
  const given = {
    ...(name !== undefined && { inventory: name }),
    ...(profile !== undefined && { profile }),
    ...(options.failFast === true && { failFast: true }),
  };
  if (name === undefined) {
    const source: RenderSource = { options: given, io, addressHint: inventoryAddressHint };
    readInputs(source);
    return { inventory: { agent: new Map(), findings: [] }, source, input: [] };
  }
  const input = await describeFile(name, io);
  const { inventory, source } = await readInventoryFile(name, given, io);
  readInputs(source);
  return { inventory, source: { ...source, addressHint: inventoryAddressHint }, input };
}

/** A pipe can be read only once. */
async function describeFile(name: string, io: Io): Promise<ManifestInput[]> {
  const path = resolve(io.cwd, name);
  const stats = await stat(path).catch(() => undefined);
  if (stats?.isFile() !== true) return [];
  const sha256 = (await hashFile(path, ['sha256'])).get('sha256')?.digest('hex') ?? '';
  return [{ role: 'inventory', name: basename(name), size: stats.size, sha256 }];
}

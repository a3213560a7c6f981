/** Reads the file of `--inventory`. All mistakes outside its list of hosts are reported before anything is written. */

import { isInventory, refuseOther } from '../input/contentKind.ts';
import { quoteText } from '../../core/foreignText.ts';
import { formatCount } from '../../formats/messageText.ts';
import { dirname } from 'node:path';
import {
  type Inventory,
  type InventoryDocument,
  readInventory,
  type InventoryHost,
} from './inventoryDocument.ts';
import { CliError, FormatError, located, UsageError } from '../../core/errors.ts';
import { decodeUtf8 } from '../../formats/utf8.ts';
import { parseYaml, type YamlDocument } from '../../formats/yaml.ts';
import { readUserFile } from '../../io/files/files.ts';
import type { Io } from '../../io/io.ts';
import { report } from '../../io/report/report.ts';
import { ignoringRules } from '../../io/report/ignored.ts';
import type { RenderOptions } from './options.ts';
import type { RenderSource } from './settings.ts';
import type { Inputs } from '../../agent/settingInputs.ts';
import type { ProfileName } from '../../agent/settings.ts';
import { nearestNames } from '../../core/nearestNames.ts';

/** Enough for tens of thousands of hosts with networks of several interfaces. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Returns the inventory, and the settings that all hosts share. If `options.host` is a host of it, the inventory has only
 * this host; otherwise it is the address of Ironic, as for build.py.
 * @param name undefined for settings from the environment only
 * @throws UsageError for a name that resembles that of a host, CliError if the file cannot be read, or if the shared settings are invalid (after reporting them)
 */
export async function readInventoryFile(
  name: string | undefined,
  options: RenderOptions,
  io: Io,
  what?: string,
): Promise<{ readonly inventory: Inventory; readonly source: RenderSource }> {
  if (name === undefined) return { inventory: { agent: new Map(), problems: [] }, source: { options, io } };
  const { inventory } = await readInventoryDocument(name, io, what);
  const { hosts = [] } = inventory;
  const { host: wanted } = options;
  const names = hosts.map((host) => host.name);
  if (wanted !== undefined && nearestNames(wanted, names).length > 0) findHost(hosts, wanted, name);
  const chosen = hosts.filter((host) => host.name === wanted);
  if (chosen.length === 0) return { inventory, source: sharedSource(inventory, options, io) };
  const source = sharedSource(inventory, { ...options, host: undefined }, io);
  return { inventory: { ...inventory, hosts: chosen }, source };
}

/** The sources of the settings that all hosts of an inventory share. */
export function sharedSource(inventory: Inventory, options: RenderOptions, io: Io): RenderSource {
  const { agent, ignore = [], profile } = inventory;
  const chosen = options.profile ?? (options.host === undefined ? profile : undefined);
  return { options: { ...options, profile: chosen }, io: ignoringRules(io, ignore), files: [agent] };
}

/** An inventory, and its document for other parts of it, such as `deploy`. */
export interface InventoryRead {
  readonly inventory: Inventory;
  readonly document: YamlDocument;
}

/**
 * Reads an inventory for any command.
 * @throws CliError if the file cannot be read, or if its shared part is invalid (after reporting the mistakes)
 */
export async function readInventoryDocument(
  name: string,
  io: Io,
  what = 'Inventory (--inventory)',
): Promise<InventoryRead> {
  const bytes = await readUserFile(name, io, { what, maxBytes: MAX_BYTES });
  const document = await parseInventory(name, bytes);
  return { inventory: await readValidInventory(document, io), document };
}

/** @throws CliError if the shared part is invalid (after reporting the mistakes) */
export async function readValidInventory(document: InventoryDocument, io: Io): Promise<Inventory> {
  const inventory = await readInventory(document);
  const others = inventory.problems.slice(0, -1);
  const last = inventory.problems.at(-1);
  if (last === undefined) return inventory;
  report(io, others);
  const more = others.length === 0 ? '' : `; ${formatCount(others.length, 'other error')} above`;
  const { at, hint, message } = last;
  throw new CliError(`${message}${more}`, { code: 'ERR_INVENTORY', at, hint });
}

const INVENTORY = 'an inventory of ironic-coreos';

/** @throws CliError if the bytes are neither YAML nor JSON, or a document of another type */
export function parseInventory(name: string, bytes: Uint8Array): Promise<InventoryDocument> {
  return located({ file: name, code: 'ERR_INVENTORY', hint: `fix ${name}` }, async () => {
    try {
      const document = parseYaml(decodeUtf8(bytes));
      if (!isInventory(document.value)) await refuseOther(INVENTORY, name, bytes);
      return { name, folder: dirname(name), ...document };
    } catch (error) {
      if (error instanceof FormatError) await refuseOther(INVENTORY, name, bytes);
      throw error;
    }
  });
}

export interface InventoryLayers {
  readonly profile: ProfileName;
  /** The strongest first. */
  readonly files: readonly Inputs[];
}

export interface InventoryPlace {
  readonly inventory?: string;
  readonly host?: string;
}

/** @throws UsageError if the host is not listed, CliError if file or host are invalid (after reporting the mistakes) */
export async function readInventoryLayers(
  { inventory: name, host }: InventoryPlace,
  io: Io,
): Promise<InventoryLayers> {
  if (name === undefined) {
    if (host === undefined) return { profile: 'default', files: [] };
    throw new UsageError('--host requires --inventory', { hint: 'pass the inventory: --inventory FILE' });
  }
  const { inventory } = await readInventoryFile(name, {}, io);
  const { agent, hosts = [], profile = 'default' } = inventory;
  if (host === undefined) return { profile, files: [agent] };
  const chosen = findHost(hosts, host, name);
  refuseInvalidHost(chosen, io);
  return { profile, files: [chosen.readInputs(), agent] };
}

/** @throws CliError if the host is invalid (after reporting the mistakes) */
export function refuseInvalidHost({ name, problems }: InventoryHost, io: Io): void {
  report(io, problems);
  if (problems.length === 0) return;
  throw new CliError(`host ${name} is invalid`, { code: 'ERR_HOST', hint: 'fix the errors above' });
}

/** The hosts with these names, or all of them without names. Throws UsageError for a name that is not listed. */
export function selectHosts<Host extends InventoryHost>(
  hosts: readonly Host[],
  names: readonly string[] | undefined,
  file: string,
): readonly Host[] {
  for (const name of names ?? []) findHost(hosts, name, file);
  return names === undefined ? hosts : hosts.filter(({ name }) => names.includes(name));
}

export function findHost(hosts: readonly InventoryHost[], name: string, file: string): InventoryHost {
  const found = hosts.find((host) => host.name === name);
  if (found !== undefined) return found;
  const names = hosts.map((host) => host.name);
  const near = nearestNames(name, names).slice(0, 3);
  throw new UsageError(`${file} has no host ${quoteText(name)}`, {
    hint: near.length === 0 ? 'use a name from its list "hosts"' : `use ${near.join(' or ')}`,
  });
}

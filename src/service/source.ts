/** The hosts of the service: from an inventory, from a folder of nmstate files, or all machines that call. */

import { resolve, extname, join } from 'node:path';
import type { Inventory, InventoryHost } from '../hosts/settings/inventoryDocument.ts';
import { UsageError } from '../core/errors.ts';
import type { Io } from '../io/io.ts';
import { readInventoryFile, selectHosts } from '../hosts/settings/inventory.ts';
import { INVENTORY_SETTINGS_PLACE, readInputs, type RenderSource } from '../hosts/settings/settings.ts';
import type { RenderOptions } from '../hosts/settings/options.ts';
import type { ServiceOptions } from './options.ts';
import type { Inputs } from '../agent/settingInputs.ts';
import { machineNameProblem } from '../formats/hostName.ts';
import { leavesFolder, readUserFolder, statsOf } from '../io/files/fileStates.ts';

export interface ServeSource {
  readonly inventory: Inventory;
  readonly source: RenderSource;
  /** Host names by their aliases. */
  readonly aliases: ReadonlyMap<string, string>;
}

/** The options that name the hosts. */
type SourceOptions = Pick<ServiceOptions, 'host' | 'inventory' | 'nmstateDir' | 'profile'>;

/** Errors that affect all hosts are reported before anything is served. Throws CliError, and UsageError for the options. */
export async function readServeSource(options: SourceOptions, io: Io): Promise<ServeSource> {
  const { host: names, inventory: name, nmstateDir, profile } = options;
  if (nmstateDir !== undefined && name !== undefined) {
    throw new UsageError(
      '--inventory and --nmstate-dir cannot be combined: each contains the list of hosts',
      {
        hint: 'use one of them; in an inventory, set host.nmstate to the nmstate file of a host',
      },
    );
  }
  const given: RenderOptions = { profile: profile ?? (nmstateDir === undefined ? undefined : 'icc') };
  // image-customization-controller removes no suffix but `.yaml`.
  const aliases = new Map<string, string>();
  const read: { readonly inventory: Inventory; readonly source: RenderSource } =
    name === undefined
      ? { inventory: { agent: new Map(), problems: [] }, source: { options: given, io } }
      : await readInventoryFile(name, { ...given, inventory: name }, io);
  let { inventory } = read;
  if (nmstateDir !== undefined) {
    const hosts = await readNmstateFolder(nmstateDir, io);
    inventory = { ...inventory, hosts: hosts.map(({ host }) => host) };
    for (const { file, host } of hosts) {
      if (host.problems.length === 0) aliases.set(file.replace(/\.yaml$/, ''), host.name);
    }
  }
  if (names !== undefined) {
    const file = name ?? nmstateDir;
    if (file === undefined)
      throw new UsageError('--host requires --inventory', { hint: 'pass the inventory: --inventory FILE' });
    inventory = { ...inventory, hosts: selectHosts(inventory.hosts ?? [], names, file) };
  }
  readInputs(read.source);
  return { inventory, source: { ...read.source, settingsPlace: INVENTORY_SETTINGS_PLACE }, aliases };
}

/** @throws CliError if the folder cannot be read */
async function readNmstateFolder(
  folder: string,
  io: Io,
): Promise<{ readonly file: string; readonly host: InventoryHost }[]> {
  const names = await readUserFolder(folder, 'Folder of nmstate files (--nmstate-dir)', io);
  const hosts: { readonly file: string; readonly host: InventoryHost }[] = [];
  const taken = new Set<string>();
  for (const file of names.toSorted()) {
    const path = join(folder, file);
    const stats = await statsOf(resolve(io.cwd, path));
    if (stats?.isFile() !== true) continue;
    const isForeign = await leavesFolder(resolve(io.cwd, folder), file);
    const host = isForeign ? foreignHost(path, file) : hostOf(path, file, stats.size === 0, taken);
    hosts.push({ file, host });
    if (host.problems.length === 0) taken.add(host.name);
  }
  return hosts;
}

/** Nothing of the file is read, as a message may quote it. */
function foreignHost(path: string, file: string): InventoryHost {
  const at = { file: path };
  const message = 'the file is a link that leads out of the folder';
  const hint = 'copy the file to the folder, or use an inventory with host.nmstate';
  return {
    name: hostNameOf(file),
    at,
    problems: [{ severity: 'error', at, message, hint }],
    readInputs: () => new Map(),
  };
}

function hostNameOf(file: string): string {
  return file.slice(0, file.length - extname(file).length);
}

function hostOf(path: string, file: string, isEmpty: boolean, taken: ReadonlySet<string>): InventoryHost {
  const name = hostNameOf(file);
  const problem = machineNameProblem(name);
  const messages = [
    problem && `the file name ${name} is not a valid host name: ${problem}`,
    taken.has(name) ? `another file exists for the host ${name}` : undefined,
  ].filter((message) => message !== undefined);
  const hint = 'rename the file to the name of its host';
  return {
    name,
    at: { file: path },
    problems: messages.map((message) => ({ severity: 'error', at: { file: path }, message, hint })),
    readInputs: (): Inputs =>
      isEmpty ? new Map() : new Map([['host.nmstate', [{ text: path, name: path, origin: 'file' }]]]),
  };
}

/** The hosts of the service: from an inventory, from a folder of nmstate files, or all machines that call. */

import { resolve, extname, join } from 'node:path';
import type { Inventory, InventoryHost } from '../../hosts/settings/inventoryDocument.ts';
import { UsageError } from '../../core/errors.ts';
import type { Io } from '../../io/io.ts';
import { readInventoryFile } from '../../hosts/settings/inventory.ts';
import { inventorySettingsPlace, readInputs, type RenderSource } from '../../hosts/settings/settings.ts';
import type { ServeOptions } from './options.ts';
import type { Inputs } from '../../agent/settingInputs.ts';
import { hostFolderProblem } from '../../formats/hostName.ts';
import { leavesFolder } from '../../io/files/folderLinks.ts';
import { readUserFolder, statsOf } from '../../io/files/fileStates.ts';

export interface ServeSource {
  readonly inventory: Inventory;
  readonly source: RenderSource;
  /** Host names by their aliases. */
  readonly aliases: ReadonlyMap<string, string>;
}

/** Errors that affect all hosts are reported before anything is served. Throws CliError, and UsageError for the options. */
export async function readServeSource(options: ServeOptions, io: Io): Promise<ServeSource> {
  const read = await readHosts(options, io);
  readInputs(read.source);
  return { ...read, source: { ...read.source, settingsPlace: inventorySettingsPlace } };
}

async function readHosts(options: ServeOptions, io: Io): Promise<ServeSource> {
  const { inventory: name, nmstateDir, profile } = options;
  const given = profile === undefined ? {} : { profile };
  if (nmstateDir !== undefined) {
    if (name !== undefined) {
      throw new UsageError(
        '--inventory and --nmstate-dir cannot be combined: each contains the list of hosts',
        {
          hint: 'use one of them; in an inventory, set host.nmstate to the nmstate file of a host',
        },
      );
    }
    const source: RenderSource = { options: { profile: 'icc', ...given }, io };
    return { ...(await readNmstateFolder(nmstateDir, io)), source };
  }
  const aliases = new Map<string, string>();
  if (name !== undefined) {
    return { ...(await readInventoryFile(name, { ...given, inventory: name }, io)), aliases };
  }
  const source: RenderSource = { options: given, io };
  return { inventory: { agent: new Map(), problems: [] }, source, aliases };
}

/** @throws CliError if the folder cannot be read */
async function readNmstateFolder(
  folder: string,
  io: Io,
): Promise<Pick<ServeSource, 'inventory' | 'aliases'>> {
  const names = await readUserFolder(folder, 'Folder of nmstate files (--nmstate-dir)', io);
  const hosts: InventoryHost[] = [];
  const taken = new Set<string>();
  // image-customization-controller removes no suffix but `.yaml`.
  const aliases = new Map<string, string>();
  for (const file of names.toSorted()) {
    const path = join(folder, file);
    const stats = await statsOf(resolve(io.cwd, path));
    if (stats?.isFile() !== true) continue;
    const isForeign = await leavesFolder(resolve(io.cwd, folder), file);
    const host = isForeign ? foreignHost(path, file) : hostOf(path, file, stats.size === 0, taken);
    hosts.push(host);
    if (host.problems.length > 0) continue;
    taken.add(host.name);
    aliases.set(file.replace(/\.yaml$/, ''), host.name);
  }
  return { inventory: { agent: new Map(), hosts, problems: [] }, aliases };
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
  const problem = hostFolderProblem(name);
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
      isEmpty
        ? new Map()
        : new Map([['host.nmstate', [{ text: path, name: path, origin: 'file', isContent: false }]]]),
  };
}

/** The hosts of the service: from an inventory, from a folder of nmstate files, or all machines that call. */

import { resolve, join } from 'node:path';
import type { Inventory, InventoryHost } from '../hosts/settings/inventoryDocument.ts';
import { UsageError } from '../core/errors.ts';
import type { Problem } from '../core/finding.ts';
import type { Io } from '../io/io.ts';
import { readInventoryFile, selectHosts } from '../hosts/settings/inventory.ts';
import { INVENTORY_SETTINGS_PLACE, readInputs, type RenderSource } from '../hosts/settings/settings.ts';
import type { RenderOptions } from '../hosts/settings/options.ts';
import type { ServiceOptions } from './options.ts';
import { machineNameProblem } from '../formats/hostName.ts';
import { leavesFolder, readUserFolder, statsOf } from '../io/files/fileStates.ts';

export interface ServeSource {
  readonly inventory: Inventory;
  readonly source: RenderSource;
}

type SourceOptions = Pick<ServiceOptions, 'host' | 'inventory' | 'nmstateDir' | 'once' | 'profile'>;

/** Errors that affect all hosts are reported before anything is served. Throws CliError, and UsageError for the options. */
export async function readServeSource(options: SourceOptions, io: Io): Promise<ServeSource> {
  const { host, inventory: name, nmstateDir, once, profile } = options;
  if (nmstateDir !== undefined && name !== undefined) {
    throw new UsageError(
      '--inventory and --nmstate-dir cannot be combined: each contains the list of hosts',
      {
        hint: 'use one of them; in an inventory, set host.nmstate to the nmstate file of a host',
      },
    );
  }
  const given: RenderOptions = { profile: profile ?? (nmstateDir === undefined ? undefined : 'icc') };
  const read = await readInventoryFile(name, { ...given, inventory: name }, io);
  let { inventory } = read;
  if (nmstateDir !== undefined) inventory = { ...inventory, hosts: await readNmstateFolder(nmstateDir, io) };
  const names = once === undefined ? host : [once];
  if (names !== undefined) {
    const file = name ?? nmstateDir;
    if (file === undefined) {
      const option = once === undefined ? '--host' : '--once';
      throw new UsageError(`${option} requires --inventory`, {
        hint: 'pass the inventory: --inventory FILE',
      });
    }
    inventory = { ...inventory, hosts: selectHosts(inventory.hosts ?? [], names, file) };
  }
  readInputs(read.source);
  return { inventory, source: { ...read.source, settingsPlace: INVENTORY_SETTINGS_PLACE } };
}

/**
 * A host for each file, named as by image-customization-controller, which takes whole file names without `.yaml`.
 * @throws CliError if the folder cannot be read
 */
async function readNmstateFolder(folder: string, io: Io): Promise<InventoryHost[]> {
  const names = await readUserFolder(folder, 'Folder of nmstate files (--nmstate-dir)', io);
  const hosts: InventoryHost[] = [];
  const taken = new Set<string>();
  for (const file of names.toSorted()) {
    const path = join(folder, file);
    const stats = await statsOf(resolve(io.cwd, path));
    if (stats?.isFile() !== true) continue;
    const name = file.replace(/\.ya?ml$/, '');
    const isForeign = await leavesFolder(resolve(io.cwd, folder), file);
    const problems = isForeign ? [leadsOut] : nameProblems(name, taken);
    if (problems.length === 0) taken.add(name);
    const at = { file: path };
    const network = { text: path, name: path, origin: 'file' } as const;
    hosts.push({
      name,
      at,
      problems: problems.map((problem) => ({ severity: 'error', at, ...problem })),
      readInputs: () => (stats.size === 0 ? new Map() : new Map([['host.nmstate', [network]]])),
    });
  }
  return hosts;
}

/** Nothing of the file is read, as a message may quote it. */
const leadsOut: Problem = {
  message: 'the file is a link that leads out of the folder',
  hint: 'copy the file to the folder, or use an inventory with host.nmstate',
};

function nameProblems(name: string, taken: ReadonlySet<string>): Problem[] {
  const problem = machineNameProblem(name);
  const messages = [
    problem && `the file name ${name} is not a valid host name: ${problem}`,
    taken.has(name) && `another file exists for the host ${name}`,
  ];
  const hint = 'rename the file to the name of its host';
  return messages.flatMap((message) => (message ? [{ message, hint }] : []));
}

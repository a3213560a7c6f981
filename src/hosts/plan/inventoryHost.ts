/** What an inventory says about network boot: the settings of all hosts, below those of the one that is asked for. */

import type { InventoryHost } from '../settings/inventoryDocument.ts';
import type { Inputs } from '../../agent/settingInputs.ts';
import type { ProfileName } from '../../agent/settings.ts';
import { CliError, UsageError } from '../../core/errors.ts';
import { diagnosticIn } from '../../core/diagnostic.ts';
import { report } from '../../io/report/report.ts';
import type { Io } from '../../io/io.ts';
import { nearestNames } from '../../io/report/choices.ts';
import { readInventoryFile } from '../settings/inventory.ts';

export interface InventoryLayers {
  readonly profile: ProfileName;
  /** The strongest first. */
  readonly files: readonly Inputs[];
}

/** Where to look: a file, and the name of one of its hosts. */
export interface InventoryPlace {
  readonly inventory?: string;
  readonly host?: string;
}

/** Throws UsageError where there is no such host, CliError where file or host are wrong, after telling why. */
export async function readInventoryLayers(
  { inventory: name, host }: InventoryPlace,
  io: Io,
): Promise<InventoryLayers> {
  if (name === undefined) {
    if (host === undefined) return { profile: 'default', files: [] };
    throw new UsageError('--host is a host of an inventory', { hint: 'name the file with --inventory' });
  }
  const { inventory } = await readInventoryFile(name, {}, io);
  const { agent, hosts = [], profile = 'default' } = inventory;
  if (host === undefined) return { profile, files: [agent] };
  const chosen = findHost(hosts, host, name);
  report(io, ...chosen.findings.map((finding) => diagnosticIn(name, finding)));
  if (chosen.findings.length > 0) {
    throw new CliError(`${host} is not described well enough`, { hint: 'mend what is reported above' });
  }
  return { profile, files: [chosen.readInputs(), agent] };
}

function findHost(hosts: readonly InventoryHost[], name: string, file: string): InventoryHost {
  const found = hosts.find((host) => host.name === name);
  if (found !== undefined) return found;
  const [nearest] = nearestNames(
    name,
    hosts.map((host) => host.name),
  );
  throw new UsageError(`${file} has no host ${JSON.stringify(name)}`, {
    hint: nearest === undefined ? 'take a name from its list "hosts"' : `did you mean ${nearest}?`,
  });
}

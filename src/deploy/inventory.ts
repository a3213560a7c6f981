/**
 * The hosts of an inventory as the `deploy` commands see them: each as if it had been described by options. Read from the
 * same document as `render` reads; what is wrong with one host is told only where that host is wanted.
 */

import type { InventoryHost } from '../hosts/settings/inventoryDocument.ts';
import { parseBmcAddress } from './documents/bmcAddress.ts';
import { fillPlaceholders } from '../core/placeholders.ts';
import { diagnosticIn } from '../core/diagnostic.ts';
import { CliError, FormatError, UsageError } from '../core/errors.ts';
import type { Io } from '../io/io.ts';
import { nearestNames } from '../io/report/nearestNames.ts';
import type { ListedHost } from '../hosts/run/makeHosts.ts';
import { readInventoryDocument } from '../hosts/settings/inventory.ts';
import {
  factsOf,
  type HostReading,
  type HostSource,
  type InventoryOptions,
  mergeSettings,
  optionsOf,
  readNmstate,
  wordingOf,
} from './inventoryHost.ts';

/** A host that is wanted. */
export interface WantedHost<O> extends ListedHost {
  /** @throws CliError where a placeholder has no value */
  readonly read: () => HostReading<O>;
}

/**
 * Reads the inventory that the options name.
 * @throws CliError where it cannot be read, and where what it says of all hosts is wrong, after telling it
 */
export async function readWantedHosts<O extends InventoryOptions>(
  options: O & { readonly inventory: string },
  io: Io,
): Promise<readonly WantedHost<O>[]> {
  const { inventory: name } = options;
  const { inventory, document } = await readInventoryDocument(name, io, 'written');
  const { hosts } = inventory;
  if (hosts === undefined) {
    throw new CliError(`${name} has no list of hosts`, { hint: 'add "hosts", or give --name of one host' });
  }
  const wanted = chooseHosts(hosts, options);
  const sources = hosts.map((host, index) => ({ options, name, document, inventory, host, index }));
  const twins = findBmcTwins(sources.map(bmcOf));
  return wanted.map((index) => wantedHost(sources, index, twins.get(index)));
}

/** Indexes in the order of the inventory. */
function chooseHosts(hosts: readonly InventoryHost[], options: InventoryOptions): readonly number[] {
  const { host: names, name, bootMac, inventory = '' } = options;
  if (name !== undefined) {
    throw new UsageError('--name is for a host without inventory', { hint: `use --host ${name}` });
  }
  const known = new Set(hosts.map((host) => host.name));
  const unknown = names?.find((wanted) => !known.has(wanted));
  if (unknown !== undefined) {
    const near = nearestNames(unknown, known);
    throw new UsageError(`${inventory} has no host ${JSON.stringify(unknown)}`, {
      hint: near.length === 0 ? 'see its list of hosts' : `did you mean ${near.join(', ')}?`,
    });
  }
  const wanted = new Set(names ?? known);
  const indexes = [...hosts.keys()].filter((index) => wanted.has(hosts[index]?.name ?? ''));
  if (bootMac === undefined || indexes.length < 2) return indexes;
  throw new UsageError('--boot-mac is for one host only', { hint: 'choose it with --host NAME' });
}

/** What one controller is known by, whichever driver is used; undefined where the host names none. */
function bmcOf<O extends InventoryOptions>(source: HostSource<O>): string | undefined {
  if (source.host.findings.length > 0) return undefined;
  const text = source.options.bmcAddress ?? mergeSettings(source).bmcAddress;
  if (text === undefined) return undefined;
  const address = parseBmcAddress(tryToFill(text, source) ?? '');
  if ('problem' in address) return undefined;
  return `${address.host} ${address.port ?? ''} ${address.path}`.toLowerCase();
}

/** What is wrong with a text is told when its host is read. */
function tryToFill(text: string, source: HostSource<InventoryOptions>): string | undefined {
  try {
    return fillPlaceholders(text, factsOf(source));
  } catch (error) {
    if (error instanceof FormatError) return undefined;
    throw error;
  }
}

/** Index of another host with the same controller. */
function findBmcTwins(keys: readonly (string | undefined)[]): ReadonlyMap<number, number> {
  const seen = new Map<string, number>();
  const twins = new Map<number, number>();
  for (const [index, key] of keys.entries()) {
    if (key === undefined) continue;
    const first = seen.get(key);
    if (first === undefined) seen.set(key, index);
    else {
      twins.set(index, first);
      if (!twins.has(first)) twins.set(first, index);
    }
  }
  return twins;
}

function wantedHost<O extends InventoryOptions>(
  sources: readonly HostSource<O>[],
  index: number,
  twin: number | undefined,
): WantedHost<O> {
  const source = sources[index];
  if (source === undefined) throw new RangeError(`no host has the index ${index}`);
  const { host, name } = source;
  const other = twin === undefined ? undefined : sources[twin]?.host;
  return {
    name: host.name,
    at: { file: name, line: host.line ?? 1 },
    problems: host.findings.map((finding) => diagnosticIn(name, finding)),
    read: () => {
      const wording = wordingOf(source);
      if (other !== undefined) {
        const message = `${wording.place('--bmc-address')}: the host ${other.name} has the same BMC`;
        throw new CliError(message, { hint: 'correct one of them; neither is written' });
      }
      return { options: optionsOf(source, wording), wording, readNmstate: (io) => readNmstate(source, io) };
    },
  };
}

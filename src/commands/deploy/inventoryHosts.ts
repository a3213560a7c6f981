/**
 * Hosts of an inventory as if flags described them. Options of the command line override the settings of the host, which override
 * those of all hosts.
 */

import { dirname, isAbsolute, join } from 'node:path';
import type { OptionValues } from 'commander';
import { CliError, ifWellFormed, UsageError, located } from '../../core/errors.ts';
import type { Path } from '../../core/finding.ts';
import { fillPlaceholders, type HostFacts } from '../../core/placeholders.ts';
import { asMapping, type Mapping, mappingAt } from '../../formats/mapping.ts';
import type { ParsedYaml } from '../../formats/yaml.ts';
import { overrideSettings } from '../../hosts/settings/deployOverrides.ts';
import { readInventoryDocument, selectHosts } from '../../hosts/settings/inventory.ts';
import { findTwins, type Inventory, type InventoryHost } from '../../hosts/settings/inventoryDocument.ts';
import type { Io } from '../../io/io.ts';
import { flagOf } from '../../io/report/choices.ts';
import { parseBmcAddress } from '../../redfish/bmcAddress.ts';
import type { OptionSources } from './hostContext.ts';
import { readRamdiskNetwork } from './networkFile.ts';
import type { DeployOptions } from './options.ts';
import { deployRows, type DeploySetting } from './settings.ts';

/** A host, and what its options are from. */
export interface SelectedHost extends InventoryHost {
  readonly options: DeployOptions;
  /** Name of the inventory. */
  readonly file: string;
  readonly document: ParsedYaml;
  /** The settings of all hosts. */
  readonly agent: Inventory['agent'];
  /** In the list of hosts. */
  readonly index: number;
  /** Another host with the same BMC. */
  readonly sameBmc?: InventoryHost | undefined;
}

/** Reads the inventory and selects the hosts that the options name, in the order of the inventory. */
export async function readSelectedHosts(
  file: string,
  options: DeployOptions,
  io: Io,
): Promise<readonly SelectedHost[]> {
  const { inventory, document } = await readInventoryDocument(file, io);
  const { agent, hosts } = inventory;
  if (hosts === undefined || hosts.length === 0) {
    throw new CliError(`${file} contains no hosts`, {
      code: 'ERR_INVENTORY',
      hint: 'add "hosts", or remove --inventory and pass --name',
    });
  }
  const { host: names, name, bootMac } = options;
  if (name !== undefined) {
    throw new UsageError('--name cannot be combined with --inventory', { hint: `use --host ${name}` });
  }
  const all = hosts.map((host, index): SelectedHost => ({ ...host, options, file, document, agent, index }));
  const wanted = selectHosts(all, names, file);
  if (bootMac !== undefined && wanted.length > 1) {
    throw new UsageError('--boot-mac requires a single host', { hint: 'select it with --host NAME' });
  }
  const shared = findTwins(all.map(bmcOf));
  return wanted.map((host) => {
    const other = shared.get(host.index)?.find((one) => one !== host.index);
    return { ...host, sameBmc: other === undefined ? undefined : hosts[other] };
  });
}

/** Identifies a BMC, independent of the driver; undefined if the host has none. */
function bmcOf(host: SelectedHost): string | undefined {
  if (host.problems.length > 0) return undefined;
  const { bmcAddress = '' } = mergeSettings(host);
  // Errors are reported when the host is read.
  const text = ifWellFormed(() => fillPlaceholders(bmcAddress, factsOf(host))) ?? '';
  const address = parseBmcAddress(text);
  if ('problem' in address) return undefined;
  const { host: server, path, port = '', transport } = address;
  // A URL has no default port, and its host is in lower case.
  return `${new URL(`${transport}://${server}:${port}`).host}${path.replace(/\/$/, '')}`;
}

function factsOf({ architecture, mac, name, options }: SelectedHost): HostFacts {
  return { name, bootMac: options.bootMac ?? mac, architecture: options.arch ?? architecture };
}

export function optionsOf(
  host: SelectedHost,
  { nameOf, locate }: OptionSources,
): DeployOptions & { readonly name: string } {
  const facts = factsOf(host);
  const { name, bootMac } = facts;
  const { arch = host.architecture } = host.options;
  const options: OptionValues = { ...mergeSettings(host) };
  for (const [option, { kind }] of [...deployRows, ['configDrive', { kind: 'file' }] as const]) {
    const fill = (text: string): string =>
      located({ subject: nameOf(option), at: locate(option), code: 'ERR_INVENTORY' }, () =>
        fillPlaceholders(text, facts),
      );
    const value: unknown = options[option];
    if (typeof value === 'string' && kind !== 'spec') options[option] = fill(value);
    if (kind === 'texts' && Array.isArray(value)) options[option] = value.map(String).map(fill);
  }
  return { ...options, name, ...(bootMac !== undefined && { bootMac }), ...(arch !== undefined && { arch }) };
}

/** The settings of the inventory for a host, and the options, which override them. */
function mergeSettings(host: SelectedHost): DeployOptions {
  const folder = dirname(host.file);
  const own = readDeploySettings(deployOf(host, ['hosts', host.index]), folder);
  const shared = readDeploySettings(deployOf(host, []), folder);
  const merged = overrideSettings(overrideSettings(shared, own), host.options);
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
}

function deployOf({ document }: SelectedHost, path: Path): Mapping {
  return mappingAt(document.value, [...path, 'deploy']);
}

/**
 * Reads a mapping that is valid by the schema, as options. A setting that is null has this value.
 * @param folder that paths start from
 */
export function readDeploySettings(mapping: Mapping, folder: string): OptionValues {
  const readers: { readonly [kind in DeploySetting['kind']]?: (value: unknown) => unknown } = {
    file: (value) => (typeof value === 'string' && !isAbsolute(value) ? join(folder, value) : value),
    hints: (value) => Object.entries(asMapping(value)).map(([name, hint]) => `${name}=${String(hint)}`),
  };
  const entries = deployRows.flatMap(([option, { kind, key = option, place }]) => {
    const value = mapping[key];
    if (value === undefined || place !== undefined) return [];
    return [[option, value === null ? null : (readers[kind]?.(value) ?? value)] as const];
  });
  return Object.fromEntries(entries);
}

/** Options of the command line have their flags, and the others their keys and positions in the inventory. */
export function sourcesOf(host: SelectedHost): OptionSources {
  const { agent, document, file, index, options } = host;
  const keyOf = (option: string): string | undefined => {
    const setting = deployRows.find(([name]) => name === option)?.[1];
    const isGiven = Object.hasOwn(options, option);
    return setting === undefined || isGiven || setting.place === 'flags'
      ? undefined
      : (setting.key ?? option);
  };
  return {
    readRamdiskNetwork: (io) => readRamdiskNetwork(host, agent, io),
    nameOf: (option) => keyOf(option) ?? flagOf(option),
    locate: (option, detail) => {
      const key = keyOf(option);
      if (key === undefined) return undefined;
      const own = ['hosts', index];
      const isOfHost = Object.hasOwn(deployOf(host, own), key);
      const isShared = Object.hasOwn(deployOf(host, []), key);
      const base = isOfHost ? [...own, 'deploy'] : isShared ? ['deploy'] : own;
      const path = [...base, key, ...(detail === undefined ? [] : [detail])];
      return { file, ...(document.locate(path) ?? { line: 1, column: 1 }) };
    },
  };
}

/**
 * Reads one host of an inventory as if options described it. Options of the command line override the settings of the
 * host, which override those of all hosts.
 */

import { dirname, isAbsolute, join } from 'node:path';
import type { Inventory, InventoryHost } from '../../hosts/settings/inventoryDocument.ts';
import type { InputValue } from '../../agent/settingInputs.ts';
import { fillSetting, type HostFacts } from '../../core/placeholders.ts';
import { isMapping, type Mapping, mappingAt } from '../../formats/mapping.ts';
import { formatYaml } from '../../formats/yamlText.ts';
import type { ParsedYaml } from '../../formats/yaml.ts';
import type { Io } from '../../io/io.ts';
import { flagOf } from '../../io/report/choices.ts';
import type { Path } from '../../core/finding.ts';
import { pathIn, throwAt } from '../../hosts/settings/reading.ts';
import { takePart } from '../../hosts/input/pastedPart.ts';
import type { RamdiskNetwork } from './documents/bareMetalHost.ts';
import { type HostContext, readNetworkFile } from './hostContext.ts';
import type { DeployOptions, HostOptions } from './options.ts';

/** Text settings; their placeholders are replaced. */
const textSettings = [
  'namespace',
  'bmcAddress',
  'bmcCredentialsName',
  'bootMode',
  'automatedCleaning',
  'method',
  'ignition',
  'filesDir',
  'userDataName',
  'networkData',
  'imageSource',
  'imageChecksum',
  'imageFormat',
  'bootIso',
  'deployInterface',
  'inspectInterface',
  'bootInterface',
  'inspectionMode',
  'deployIso',
  'deployKernel',
  'deployRamdisk',
  'kernelAppendParams',
] as const;

/** Paths, relative to the folder of the inventory. */
const pathSettings = ['ignition', 'filesDir', 'networkData'] as const;

const switchSettings = ['bmcInsecure', 'copyNetwork'] as const;

const inventoryKeys: ReadonlyMap<string, string> = new Map([
  ...[...textSettings, ...switchSettings].map((name) => [name, name] as const),
  ['appendKarg', 'appendKargs'],
  ['rootDevice', 'rootDeviceHints'],
  ['label', 'labels'],
  ['raid', 'raid'],
  ['firmwareSettings', 'firmwareSettings'],
  ['step', 'method'],
  ['name', 'name'],
  ['bootMac', 'mac'],
  ['arch', 'architecture'],
]);

/** The key of an option in an inventory; undefined if the inventory does not support it. */
export function inventoryKey(option: string): string | undefined {
  return inventoryKeys.get(option);
}

type Draft = { -readonly [name in keyof DeployOptions]: DeployOptions[name] };

/** Reads a mapping that is valid by the schema. */
export function readDeploySettings(mapping: Mapping): Draft {
  const settings: Draft = {};
  for (const name of textSettings) {
    const value = mapping[name];
    if (typeof value === 'string') settings[name] = value;
  }
  for (const name of switchSettings) {
    const value = mapping[name];
    if (typeof value === 'boolean') settings[name] = value;
  }
  const { appendKargs, rootDeviceHints: hints, labels, raid, firmwareSettings } = mapping;
  if (isMapping(labels))
    settings.label = Object.entries(labels).map(([name, value]) => `${name}=${String(value)}`);
  if (isMapping(raid)) settings.raid = raid;
  if (isMapping(firmwareSettings)) settings.firmwareSettings = firmwareSettings;
  if (Array.isArray(appendKargs)) settings.appendKarg = appendKargs.map(String);
  if (isMapping(hints)) {
    settings.rootDevice = Object.entries(hints).map(([name, value]) => `${name}=${String(value)}`);
  }
  return settings;
}

/** A leader also overrides its followers from sources with lower precedence. */
const companions: readonly (readonly [leader: string, followers: readonly string[]])[] = [
  ['deployIso', ['deployKernel', 'deployRamdisk', 'kernelAppendParams']],
  ['deployKernel', ['deployIso']],
  ['deployRamdisk', ['deployIso']],
  ['imageSource', ['imageChecksum', 'imageFormat', 'bootIso']],
  ['bootIso', ['imageSource', 'imageChecksum', 'imageFormat']],
];

/** The settings with lower precedence, without those that the others override. */
export function withoutOverridden(lower: Mapping, higher: Mapping): Mapping {
  const overridden = new Set(Object.keys(higher));
  for (const [leader, followers] of companions) {
    if (typeof higher[leader] === 'string') for (const follower of followers) overridden.add(follower);
  }
  return Object.fromEntries(Object.entries(lower).filter(([name]) => !overridden.has(name)));
}

/** One host, and its inventory. */
export interface DeploySource {
  readonly options: DeployOptions;
  /** File name of the inventory. */
  readonly name: string;
  readonly document: ParsedYaml;
  readonly inventory: Inventory;
  readonly host: InventoryHost;
  readonly index: number;
}

/**
 * The options for the host.
 * @throws CliError if a placeholder has no value
 */
export function optionsOf(source: DeploySource, { nameOf, locate }: OptionSources): HostOptions {
  const { options } = source;
  const facts = factsOf(source);
  const { name, bootMac, architecture: arch } = facts;
  const fill = (option: string, text: string): string =>
    fillSetting(text, () => ({ name: nameOf(option), at: locate(option) }), facts);
  const merged: Draft = { ...mergeSettings(source), ...options };
  for (const setting of [...textSettings, 'configDrive'] as const) {
    const text = merged[setting];
    if (text !== undefined) merged[setting] = fill(setting, text);
  }
  const { appendKarg } = merged;
  if (appendKarg !== undefined) merged.appendKarg = appendKarg.map((text) => fill('appendKarg', text));
  return { ...merged, name, ...(bootMac !== undefined && { bootMac }), ...(arch !== undefined && { arch }) };
}

/** The values of placeholders. */
export function factsOf({ host, options }: DeploySource): HostFacts {
  const { bootMac = host.mac, arch: architecture = host.architecture } = options;
  return { name: host.name, bootMac, architecture };
}

/** The settings of a host in the inventory, without those that options override. */
export function mergeSettings(source: DeploySource): Draft {
  const { name, options } = source;
  const own = deployOf(source, ['hosts', source.index]);
  const merged = { ...withoutOverridden(deployOf(source, []), own), ...own };
  const settings = readDeploySettings(withoutOverridden(merged, { ...options }));
  for (const setting of pathSettings) {
    const path = settings[setting];
    if (path !== undefined && !isAbsolute(path)) settings[setting] = join(dirname(name), path);
  }
  return settings;
}

/** The key `deploy` of a part of the document. */
function deployOf({ document }: DeploySource, path: Path): Mapping {
  return mappingAt(document.value, [...path, 'deploy']);
}

/** Names and places of options in messages. */
type OptionSources = Pick<HostContext, 'nameOf' | 'locate'>;

/** Options of the command line have their flags, and the others their keys and positions in the inventory. */
export function sourcesOf(source: DeploySource): OptionSources {
  const { name: file, document, options, index } = source;
  const keyOf = (option: string): string | undefined =>
    Object.hasOwn(options, option) ? undefined : inventoryKey(option);
  return {
    nameOf: (option) => keyOf(option) ?? flagOf(option),
    locate: (option, detail) => {
      const key = keyOf(option);
      if (key === undefined) return undefined;
      const host = ['hosts', index];
      const isOfHost = Object.hasOwn(deployOf(source, host), key);
      const isShared = Object.hasOwn(deployOf(source, []), key);
      const base = isOfHost ? [...host, 'deploy'] : isShared ? ['deploy'] : host;
      const path = [...base, key, ...(detail === undefined ? [] : [detail])];
      return { file, ...(document.locate(path) ?? { line: 1, column: 1 }) };
    },
  };
}

/** The network of the ramdisk: that of the host, or of all hosts. */
export async function readRamdiskNetwork(
  { host, inventory }: DeploySource,
  io: Io,
): Promise<RamdiskNetwork | undefined> {
  const inputs = host.readInputs();
  for (const key of ['nmstate', 'networkData'] as const) {
    const value = (inputs.get(`host.${key}`) ?? inventory.agent.get(`host.${key}`))?.at(-1);
    if (value !== undefined) return { key, text: await readDescription(key, value, io) };
  }
  return undefined;
}

async function readDescription(key: RamdiskNetwork['key'], value: InputValue, io: Io): Promise<string> {
  if (value.document !== undefined) {
    const part = await takePart(key, value.text, value.document.name).catch(throwAt(value));
    return part?.text ?? formatYaml([value.document.value]);
  }
  const file = pathIn(value, value.text);
  return readNetworkFile(file, key, `${key} (${value.name})`, io).catch(throwAt(value));
}

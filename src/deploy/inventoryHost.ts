/**
 * One host of an inventory, as if it had been described by options: what is said of it, below what the options of the
 * command line say and above what is said of all hosts.
 */

import { dirname, isAbsolute, join } from 'node:path';
import type { Inventory, InventoryHost } from '../hosts/settings/inventoryDocument.ts';
import type { InputValue } from '../agent/settingInputs.ts';
import { fillPlaceholders, type HostFacts } from '../core/placeholders.ts';
import { formatYaml } from '../formats/yamlText.ts';
import { CliError, FormatError } from '../core/errors.ts';
import type { ParsedYaml } from '../formats/yaml.ts';
import type { Io } from '../io/io.ts';
import type { Path } from '../core/finding.ts';
import { pathIn } from '../hosts/settings/reading.ts';
import { readMapping, type Wording } from './hostContext.ts';
import type { HostOptions, InventoryFlags } from './options.ts';

/** Texts; placeholders in them are filled. */
const textSettings = [
  'namespace',
  'bmcAddress',
  'bmcCredentialsName',
  'bootMode',
  'automatedCleaning',
  'method',
  'ignition',
  'userDataName',
  'networkData',
  'imageSource',
  'imageChecksum',
  'imageFormat',
  'deployIso',
  'deployKernel',
  'deployRamdisk',
  'kernelAppendParams',
] as const;

/** Those that are paths, which start at the folder of the inventory. */
const pathSettings = ['ignition', 'networkData'] as const;

const switchSettings = ['bmcInsecure', 'copyNetwork'] as const;

/** As the commands take them. */
type DeploySettings = Readonly<
  Partial<Record<(typeof textSettings)[number], string> & Record<(typeof switchSettings)[number], boolean>>
> & {
  readonly appendKarg?: readonly string[];
  /** `NAME=EXPRESSION` each. */
  readonly rootDevice?: readonly string[];
};

/** Names in the inventory of flags that are called otherwise there. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ['--append-karg', 'appendKargs'],
  ['--root-device', 'rootDeviceHints'],
  ['--step', 'method'],
  ['--name', 'name'],
  ['--boot-mac', 'mac'],
  ['--arch', 'architecture'],
]);

const sameNames: ReadonlySet<string> = new Set([...textSettings, ...switchSettings]);

/** All that can stand below `deploy`. */
export const deploySettingNames: readonly string[] = [...sameNames, 'appendKargs', 'rootDeviceHints'];

/** What a flag is called in an inventory; undefined where it has no place there. */
export function settingOfFlag(flag: string): string | undefined {
  const camel = flag.slice(2).replaceAll(/-([a-z])/g, (_dash, letter: string) => letter.toUpperCase());
  return otherNames.get(flag) ?? (sameNames.has(camel) ? camel : undefined);
}

type Mapping = Readonly<Record<string, unknown>>;

/** The settings of a mapping that the schema has found right. */
export function readDeploySettings(mapping: Mapping): DeploySettings {
  const settings: Partial<
    Record<(typeof textSettings)[number], string> & Record<(typeof switchSettings)[number], boolean>
  > = {};
  for (const name of textSettings) {
    const value = mapping[name];
    if (typeof value === 'string') settings[name] = value;
  }
  for (const name of switchSettings) {
    const value = mapping[name];
    if (typeof value === 'boolean') settings[name] = value;
  }
  const { appendKargs, rootDeviceHints: hints } = mapping;
  return {
    ...settings,
    ...(Array.isArray(appendKargs) && { appendKarg: appendKargs.map(String) }),
    ...(typeof hints === 'object' &&
      hints !== null && {
        rootDevice: Object.entries(hints).map(([name, value]) => `${name}=${String(value)}`),
      }),
  };
}

/** Settings that go with another, and mean nothing beside one of another source. */
const companions: readonly (readonly [leader: string, followers: readonly string[]])[] = [
  ['deployIso', ['deployKernel', 'deployRamdisk', 'kernelAppendParams']],
  ['deployKernel', ['deployIso']],
  ['deployRamdisk', ['deployIso']],
  ['imageSource', ['imageChecksum', 'imageFormat']],
];

/** What is left of the weaker settings beside the stronger ones. */
export function withoutBeaten(weaker: Mapping, stronger: Mapping): Mapping {
  const beaten = new Set(Object.keys(stronger));
  for (const [leader, followers] of companions) {
    if (typeof stronger[leader] === 'string') for (const follower of followers) beaten.add(follower);
  }
  return Object.fromEntries(Object.entries(weaker).filter(([name]) => !beaten.has(name)));
}

/** The options of the command line that are about an inventory, and those that it may say instead. */
export interface InventoryOptions extends InventoryFlags, DeploySettings, HostOptions {
  /** A folder. */
  readonly output?: string;
  readonly configDrive?: string;
}

export interface HostReading<O> {
  readonly options: O & { readonly name: string };
  readonly wording: Wording;
  readonly readNmstate: (io: Io) => Promise<string | undefined>;
}

/** One host, and where it is from. */
export interface DeploySource<O> {
  readonly options: O;
  /** Of the inventory. */
  readonly name: string;
  readonly document: ParsedYaml;
  readonly inventory: Inventory;
  readonly host: InventoryHost;
  readonly index: number;
}

/**
 * The options that would describe the host.
 * @throws CliError where a placeholder has no value
 */
export function optionsOf<O extends InventoryOptions>(
  source: DeploySource<O>,
  wording: Wording,
): O & { readonly name: string } {
  const { options } = source;
  const { architecture, ...facts } = factsOf(source);
  const fill = (flag: string, text: string): string => {
    try {
      return fillPlaceholders(text, factsOf(source));
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      throw new CliError(`${wording.place(flag)} ${error.message}`, {
        code: 'ERR_INVENTORY',
        hint: error.hint,
      });
    }
  };
  const merged = { ...mergeSettings(source), ...options };
  const texts: Partial<Record<(typeof textSettings)[number] | 'configDrive', string>> = {};
  for (const setting of [...textSettings, 'configDrive'] as const) {
    const text = setting === 'configDrive' ? options.configDrive : merged[setting];
    if (text !== undefined) texts[setting] = fill(flagOf(setting), text);
  }
  const { appendKarg, rootDevice, bmcInsecure, copyNetwork } = merged;
  return {
    ...options,
    ...(rootDevice !== undefined && { rootDevice }),
    ...(bmcInsecure !== undefined && { bmcInsecure }),
    ...(copyNetwork !== undefined && { copyNetwork }),
    ...facts,
    ...(architecture !== undefined && { arch: architecture }),
    ...texts,
    ...(appendKarg !== undefined && { appendKarg: appendKarg.map((text) => fill('--append-karg', text)) }),
  };
}

function flagOf(setting: string): string {
  return `--${setting.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** What the host itself is, which placeholders stand for. */
export function factsOf({ host, options }: DeploySource<InventoryOptions>): HostFacts {
  const { bootMac = host.mac, arch: architecture = host.architecture } = options;
  return {
    name: host.name,
    ...(bootMac !== undefined && { bootMac }),
    ...(architecture !== undefined && { architecture }),
  };
}

/** What the inventory says of a host, and flags do not say otherwise. */
export function mergeSettings(source: DeploySource<InventoryOptions>): DeploySettings {
  const { name, options } = source;
  const own = deployOf(source, ['hosts', source.index]);
  const merged = { ...withoutBeaten(deployOf(source, []), own), ...own };
  const settings = readDeploySettings(withoutBeaten(merged, { ...options }));
  const folder = dirname(name);
  const paths: { ignition?: string; networkData?: string } = {};
  for (const setting of pathSettings) {
    const path = settings[setting];
    if (path !== undefined) paths[setting] = isAbsolute(path) ? path : join(folder, path);
  }
  return { ...settings, ...paths };
}

/** What stands below `deploy` of a part of the document. */
function deployOf({ document }: DeploySource<InventoryOptions>, path: Path): Mapping {
  let value = document.value;
  for (const step of [...path, 'deploy']) {
    if (typeof value !== 'object' || value === null) return {};
    value = Reflect.get(value, step);
  }
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Names the place in the inventory where a flag could have been; what was given by flag keeps its name. */
export function wordingOf(source: DeploySource<InventoryOptions>): Wording {
  const { name, document, options, index } = source;
  const given = new Set(Object.keys(options).map(flagOf));
  const settingOf = (flag: string): string | undefined => (given.has(flag) ? undefined : settingOfFlag(flag));
  return {
    place: (flag, detail) => {
      const setting = settingOf(flag);
      if (setting === undefined) return flag;
      const host = ['hosts', index];
      const isOfHost = Object.hasOwn(deployOf(source, host), setting);
      const isShared = Object.hasOwn(deployOf(source, []), setting);
      const base = isOfHost ? [...host, 'deploy'] : isShared ? ['deploy'] : host;
      const path = [...base, setting, ...(detail === undefined ? [] : [detail])];
      const { line, column } = document.locate(path) ?? { line: 1, column: 1 };
      return `${name}:${line}:${column}: ${setting}`;
    },
    reword: (text) => text.replaceAll(/--[a-z]+(?:-[a-z]+)*/g, (flag) => settingOf(flag) ?? flag),
  };
}

/** The network of the ramdisk: the host's own, or that of all hosts. */
export async function readHostNmstate(
  { host, inventory }: DeploySource<InventoryOptions>,
  io: Io,
): Promise<string | undefined> {
  const values = host.readInputs().get('host.nmstate') ?? inventory.agent.get('host.nmstate');
  const value: InputValue | undefined = values?.at(-1);
  if (value === undefined) return undefined;
  if (value.document !== undefined) return formatYaml([value.document.value]);
  return readMapping(pathIn(value, value.text), `nmstate (${value.place})`, io);
}

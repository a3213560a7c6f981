/**
 * Writes the output of a `deploy` command for one host or many: one document in the order of the inventory, or one file per
 * host. Invalid hosts are reported with their names and places, and skipped. Unchanged files are not written.
 */

import { dirname, isAbsolute, join } from 'node:path';
import { CliError, ifWellFormed, UsageError } from '../../core/errors.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { writeStdout } from '../../io/stdout.ts';
import {
  type FileContent,
  formatInvalid,
  type HostRun,
  keepRemarks,
  type MadeHost,
  type MakeHost,
  makeHosts,
  reportGroups,
  startRun,
  writeHostFiles,
} from '../../hosts/hostRun.ts';
import {
  type DeployCommand,
  type HostFrame,
  type HostOutput,
  permissionsFor,
  refuseSameFile,
  writeDocument,
} from './deployDocument.ts';
import {
  cacheConfigs,
  flagContext,
  type HostContext,
  type OptionSources,
  readNetworkFile,
} from './hostContext.ts';
import { type DeployOptions, type HostOptions, isFolder } from './options.ts';
import { findTwins, type Inventory, type InventoryHost } from '../../hosts/settings/inventoryDocument.ts';
import { parseBmcAddress } from '../../redfish/bmcAddress.ts';
import { fillPlaceholders, fillSetting, type HostFacts } from '../../core/placeholders.ts';
import { findHost, readInventoryDocument } from '../../hosts/settings/inventory.ts';
import type { InputValue } from '../../agent/settingInputs.ts';
import { isMapping, type Mapping, mappingAt } from '../../formats/mapping.ts';
import { formatYaml } from '../../formats/yamlText.ts';
import type { ParsedYaml } from '../../formats/yaml.ts';
import { flagOf } from '../../io/report/choices.ts';
import type { Path } from '../../core/finding.ts';
import { pathIn, throwAt } from '../../hosts/settings/reading.ts';
import { takePart } from '../../hosts/input/pastedPart.ts';
import type { RamdiskNetwork } from './documents/bareMetalHost.ts';

/**
 * Writes the document of the host that the options describe, or of the hosts of an inventory. Invalid hosts are reported
 * and skipped; the exit code is then 1.
 */
export async function writeDeployed(command: DeployCommand, io: Io): Promise<ExitCode> {
  const { frame, make, options } = command;
  const { inventory, host, failFast = false } = options;
  if (inventory === undefined && (host !== undefined || failFast)) {
    const flag = host === undefined ? '--fail-fast' : '--host';
    throw new UsageError(`${flag} requires --inventory`, { hint: 'pass --inventory FILE' });
  }
  if (inventory !== undefined) return writeHosts(inventory, command, io);
  const context = flagContext(io);
  await refuseSameFile(options, context);
  const made = await make(options, context);
  if (made === undefined) return 1;
  const text = `${frame.start}${made.text}${frame.end}`;
  await writeDocument(text, options.output, made.content, io);
  return 0;
}

/** The exit code is 1 if a host is invalid. */
async function writeHosts(inventory: string, command: DeployCommand, io: Io): Promise<ExitCode> {
  const { options, extension, frame } = command;
  const hosts = await readSelectedHosts(inventory, options, io);
  const run = startRun({ io, done: 'written', failFast: options.failFast }, hosts.length);
  const made = makeHosts(hosts, makerOf(command), run);
  const { output = '' } = options;
  if (isFolder(options)) {
    const fileOf = ({ text, content }: HostOutput): FileContent => {
      const document = `${frame.start}${text}${frame.end}`;
      return { data: Buffer.from(document), ...permissionsFor(document, content) };
    };
    return writeHostFiles(made, output, extension, fileOf, run);
  }
  const counts = { written: 0 };
  await writeStdout(io, joinHosts(made, frame, counts, run));
  reportGroups(run);
  const { invalid } = run.counts;
  if (invalid > 0) io.stderr.write(`${counts.written} written, ${formatInvalid(run)}\n`);
  return invalid > 0 ? 1 : 0;
}

function makerOf({ extension, make }: DeployCommand): MakeHost<SelectedHost, HostOutput> {
  const readConfig = cacheConfigs();
  return async ({ name, source, sameBmc }, io) => {
    const sources = sourcesOf(source);
    if (sameBmc !== undefined) {
      throw new CliError(`${sources.nameOf('bmcAddress')}: host ${sameBmc.name} has the same BMC`, {
        code: 'ERR_INVENTORY',
        at: sources.locate('bmcAddress'),
        hint: 'fix one of the addresses; both hosts are skipped',
      });
    }
    const options = optionsOf(source, sources);
    const context: HostContext = {
      ...sources,
      io,
      readConfig: (config) => readConfig(config, io),
      readRamdiskNetwork: () => readRamdiskNetwork(source, io),
      agent: {
        files: [source.host.readInputs(), source.inventory.agent],
        options: { profile: source.inventory.profile },
      },
    };
    const { output = '-' } = options;
    const file = isFolder(options) ? join(output, `${name}${extension}`) : output;
    await refuseSameFile({ ...options, output: file }, context);
    return make(options, context);
  };
}

/** The hosts as one document. */
async function* joinHosts(
  made: AsyncIterable<MadeHost<HostOutput>>,
  frame: HostFrame,
  counts: { written: number },
  run: HostRun,
): AsyncGenerator<Uint8Array> {
  for await (const { host, made: output, remarks } of made) {
    keepRemarks(remarks, host.name, run);
    yield Buffer.from(`${counts.written === 0 ? frame.start : frame.between}${output.text}`);
    counts.written += 1;
  }
  if (counts.written > 0) yield Buffer.from(frame.end);
}

/** A host that the options select. */
interface SelectedHost extends InventoryHost {
  readonly source: DeploySource;
  /** Another host with the same BMC. */
  readonly sameBmc: InventoryHost | undefined;
}

/**
 * Reads the inventory and selects the hosts that the options name.
 * @throws CliError if it cannot be read, or if its settings for all hosts are invalid (after reporting the errors)
 */
async function readSelectedHosts(
  name: string,
  options: DeployOptions,
  io: Io,
): Promise<readonly SelectedHost[]> {
  const { inventory, document } = await readInventoryDocument(name, io);
  const { hosts } = inventory;
  if (hosts === undefined || hosts.length === 0) {
    throw new CliError(`${name} contains no hosts`, {
      code: 'ERR_INVENTORY',
      hint: 'add "hosts", or remove --inventory and pass --name',
    });
  }
  const sources = hosts.map((host, index) => ({ options, name, document, inventory, host, index }));
  const wanted = chooseHosts(sources, options);
  const shared = findTwins(sources.map(bmcOf));
  return wanted.map((source) => {
    const { host, index } = source;
    const other = shared.get(index)?.find((one) => one !== index);
    return { ...host, source, sameBmc: other === undefined ? undefined : hosts[other] };
  });
}

/** In the order of the inventory. */
function chooseHosts(sources: readonly DeploySource[], options: DeployOptions): readonly DeploySource[] {
  const { host: names, name, bootMac, inventory = '' } = options;
  if (name !== undefined) {
    throw new UsageError('--name cannot be combined with --inventory', { hint: `use --host ${name}` });
  }
  const hosts = sources.map(({ host }) => host);
  for (const wanted of names ?? []) findHost(hosts, wanted, inventory);
  const chosen = sources.filter(({ host }) => names?.includes(host.name) !== false);
  if (bootMac === undefined || chosen.length < 2) return chosen;
  throw new UsageError('--boot-mac requires a single host', { hint: 'select it with --host NAME' });
}

/** Identifies a BMC, independent of the driver; undefined if the host has none. */
function bmcOf(source: DeploySource): string | undefined {
  if (source.host.problems.length > 0) return undefined;
  const text = source.options.bmcAddress ?? mergeSettings(source).bmcAddress;
  if (text === undefined) return undefined;
  // Errors are reported when the host is read.
  const address = parseBmcAddress(ifWellFormed(() => fillPlaceholders(text, factsOf(source))) ?? '');
  if ('problem' in address) return undefined;
  const { host, path, port = '', transport } = address;
  // A URL has no default port, and its host is in lower case.
  return `${new URL(`${transport}://${host}:${port}`).host}${path.replace(/\/$/, '')}`;
}

// Reads one host of an inventory as if options described it. Options of the command line override the settings of the
// host, which override those of all hosts.

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
interface DeploySource {
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
function optionsOf(source: DeploySource, { nameOf, locate }: OptionSources): HostOptions {
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
function factsOf({ host, options }: DeploySource): HostFacts {
  const { bootMac = host.mac, arch: architecture = host.architecture } = options;
  return { name: host.name, bootMac, architecture };
}

/** The settings of a host in the inventory, without those that options override. */
function mergeSettings(source: DeploySource): Draft {
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

/** Options of the command line have their flags, and the others their keys and positions in the inventory. */
function sourcesOf(source: DeploySource): OptionSources {
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
async function readRamdiskNetwork(
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

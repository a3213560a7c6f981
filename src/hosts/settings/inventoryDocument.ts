/**
 * The inventory (`ramdisk.yaml`): settings and hosts in one document. `schemas/inventory.json` defines its structure; the
 * rules that a schema cannot express are checked here. A mistake in one host is a problem of that host, so that the other
 * hosts are still processed. Values are only collected, like those of flags; `inputParsers.ts` parses them.
 */

import { quoteText } from '../../core/foreignText.ts';
import type { FilePlace } from '../../core/errors.ts';
import type { Diagnostic } from '../../core/diagnostic.ts';
import { ignoreProblem } from '../../io/report/ruleBook.ts';
import { importAsset } from '../../core/assets.ts';
import { type Architecture, architectures } from '../../core/architecture.ts';
import { parseMacAddress } from '../../core/macAddress.ts';
import { machineNameProblem } from '../../formats/hostName.ts';
import { asMapping, isMapping, type Mapping, valueAt } from '../../formats/mapping.ts';
import type { Path, Position } from '../../core/finding.ts';
import type { LocateInText } from '../../formats/yaml/innerPlaces.ts';
import type { Inputs, InputValue } from '../../agent/settingInputs.ts';
import { type ProfileName, profileNames } from '../../agent/settings.ts';
import { type Setting, type SettingName, settingTable } from '../../agent/settingTable.ts';
import { nearestName } from '../../core/nearestNames.ts';

/** A document that `parseYaml` has read, and its file. */
export interface InventoryDocument {
  /** The file name as the user gave it. */
  readonly name: string;
  /** The folder that relative paths start from. */
  readonly folder: string;
  readonly value: unknown;
  readonly locate: (path: Path) => Position | undefined;
  readonly locateInText: LocateInText;
}

export interface Inventory {
  readonly profile?: ProfileName | undefined;
  /** The settings of all hosts. */
  readonly agent: Inputs;
  /** In the order of the document; undefined where it has no list of hosts. */
  readonly hosts?: readonly InventoryHost[] | undefined;
  /** Ids of rules that are ignored for all hosts, as written. */
  readonly ignore?: readonly string[] | undefined;
  /** Errors outside the list of hosts. */
  readonly problems: readonly Diagnostic[];
}

export interface InventoryHost {
  /** A valid and unique host name, unless there are problems. */
  readonly name: string;
  /** The line that the host begins in. */
  readonly at: FilePlace;
  /** In lower case, with colons. */
  readonly mac?: string | undefined;
  readonly architecture?: Architecture | undefined;
  /** Ids of rules that are ignored for this host, as written. */
  readonly ignore?: readonly string[] | undefined;
  /** Errors in its description. */
  readonly problems: readonly Diagnostic[];
  /** The settings that differ from those of all hosts. Not cached: the list of hosts may be long. */
  readonly readInputs: () => Inputs;
}

/** Whether the keys of the document are those of an inventory, as far as a document of another type has others. */
export function hasInventoryKeys(value: unknown): boolean {
  return (
    isMapping(value) &&
    Object.keys(value).every((key) => key === '$schema' || topKeys.inventory.includes(key))
  );
}

export async function readInventory(document: InventoryDocument): Promise<Inventory> {
  const schema: CompiledSchema = await importAsset('dist/compiled/inventory.js');
  const { checkInventory, checkHost } = schema;
  const { hosts, ...shared } = asMapping(document.value);
  const list: readonly unknown[] = Array.isArray(hosts) ? hosts : [];
  // The hosts are checked one by one.
  const head =
    hosts === list ? { ...shared, hosts: [] } : { ...shared, ...(hosts !== undefined && { hosts }) };
  const shape = isMapping(document.value)
    ? checkShape(head, checkInventory, 'inventory')
    : [noMapping(document.value)];
  if (shape.length > 0) return { agent: new Map(), problems: locate(shape, document, []) };
  const ignore = readIgnored(shared);
  return {
    profile: profileNames.find((name) => name === shared['profile']),
    agent: readSettings(asMapping(shared['agent']), document, ['agent']),
    ignore,
    hosts: hosts === undefined ? undefined : readHosts(list, document, checkHost),
    problems: locate(checkIgnored(ignore), document, []),
  };
}

type Check = ((value: unknown) => boolean) & { readonly errors?: readonly SchemaError[] | null };

/** The module that `scripts/schemas.js` generates. */
interface CompiledSchema {
  readonly checkInventory: Check;
  readonly checkHost: Check;
}

/** Limit for mistakes of one document or host. */
const MOST_FINDINGS = 20;

function checkShape(value: unknown, check: Check, checked: Checked): Mistake[] {
  if (check(value)) return [];
  return (check.errors ?? []).slice(0, MOST_FINDINGS).map((error) => findMistake(error, value, checked));
}

/** In the order of the document. @param path of the part of the document that contains the mistakes */
function locate(mistakes: readonly Mistake[], document: InventoryDocument, path: Path): Diagnostic[] {
  const located = mistakes.map(({ message, hint, path: steps }) => {
    const at = { file: document.name, ...document.locate([...path, ...steps]) };
    return { severity: 'error', message, hint, at } as const;
  });
  return located.toSorted(
    ({ at: one }, { at: other }) =>
      (one.line ?? 0) - (other.line ?? 0) || (one.column ?? 0) - (other.column ?? 0),
  );
}

function readHosts(list: readonly unknown[], document: InventoryDocument, check: Check): InventoryHost[] {
  const names = findTwins(list.map((host) => textOf(asMapping(host)['name'])?.toLowerCase()));
  const macs = findTwins(list.map(normalMac));
  const hosts: InventoryHost[] = [];
  for (const [index, value] of list.entries()) {
    const host = asMapping(value);
    const path = ['hosts', index];
    const shape = checkShape(value, check, 'host');
    const ignore = readIgnored(host);
    const mistakes = shape.length > 0 ? shape : checkHostNames(host);
    const twins = [
      ...reportTwins('name', names.get(index), document),
      ...reportTwins('mac', macs.get(index), document),
    ];
    hosts.push({
      name: textOf(host['name']) ?? `host ${index + 1}`,
      at: { file: document.name, line: document.locate(path)?.line ?? 1 },
      mac: normalMac(host),
      architecture: architectures.find((name) => name === host['architecture']),
      ignore,
      problems: [
        ...locate(mistakes, document, path),
        ...(shape.length > 0 ? [] : twins),
        ...locate(checkIgnored(ignore), document, path),
      ],
      readInputs: () => readHostInputs(host, document, path),
    });
  }
  return hosts;
}

function readIgnored({ ignore }: Mapping): readonly string[] | undefined {
  return Array.isArray(ignore) ? ignore.filter((rule) => typeof rule === 'string') : undefined;
}

function checkIgnored(rules: readonly string[] = []): Mistake[] {
  const mistakes: Mistake[] = [];
  for (const [index, rule] of rules.entries()) {
    const problem = mistakes.length < MOST_FINDINGS ? ignoreProblem(rule) : undefined;
    if (problem === undefined) continue;
    mistakes.push({ path: ['ignore', index], message: `ignore: ${problem.message}`, hint: problem.hint });
  }
  return mistakes;
}

function checkHostNames({ name, mac, network, overrides }: Mapping): Mistake[] {
  const mistakes: Mistake[] = [];
  const nameProblem = machineNameProblem(textOf(name) ?? '');
  if (nameProblem !== undefined) {
    const message = `${quoteText(textOf(name) ?? '')} is not a valid host name: ${nameProblem}`;
    mistakes.push({ path: ['name'], message, hint: 'use a name such as worker-0 or worker-0.example.com' });
  }
  const address = mac === undefined ? undefined : parseMacAddress(textOf(mac) ?? '');
  if (address !== undefined && 'problem' in address) {
    const message = `${quoteText(textOf(mac) ?? '')} is not a valid MAC address: ${address.problem}`;
    mistakes.push({ path: ['mac'], message, hint: 'use the form "52:54:00:12:34:56"' });
  }
  const { nmstate, networkData } = asMapping(network);
  if (nmstate !== undefined && networkData !== undefined) {
    const message = '"networkData" cannot be combined with "nmstate"';
    mistakes.push({ path: ['network', 'networkData'], message, hint: 'remove "networkData" or "nmstate"' });
  }
  for (const setting of network === undefined ? [] : networkSettings) {
    if (!Object.hasOwn(asMapping(overrides), setting)) continue;
    const message = `${setting} cannot be combined with "network"`;
    mistakes.push({ path: ['overrides', setting], message, hint: `remove ${setting} or "network"` });
  }
  return mistakes;
}

const networkSettings = ['host.nmstate', 'host.networkData', 'host.keyfiles'] as const;

/** For the index of each key that is not unique: the indexes of all equal keys. */
export function findTwins(keys: readonly (string | undefined)[]): ReadonlyMap<number, readonly number[]> {
  const indexes = new Map<string, number[]>();
  for (const [index, key] of keys.entries()) {
    if (key === undefined) continue;
    const same = indexes.get(key) ?? [];
    indexes.set(key, same);
    same.push(index);
  }
  const twins = new Map<number, readonly number[]>();
  for (const same of indexes.values()) {
    if (same.length > 1) for (const index of same) twins.set(index, same);
  }
  return twins;
}

/** The same problem for all hosts that share the value, so that it is reported once, at the first one. */
function reportTwins(
  key: 'name' | 'mac',
  same: readonly number[] | undefined,
  document: InventoryDocument,
): Diagnostic[] {
  const [first] = same ?? [];
  if (same === undefined || first === undefined) return [];
  const lines = same.slice(0, MOST_LINES).map((index) => document.locate(['hosts', index, key])?.line ?? 1);
  const more = same.length > MOST_LINES ? ` and ${same.length - MOST_LINES} more` : '';
  const what = key === 'name' ? 'name' : 'MAC address';
  const message = `${same.length} hosts have the same ${what}: lines ${lines.join(', ')}${more}`;
  const hint = `set a unique ${what} for each host; these hosts are skipped`;
  return locate([{ path: [key], message, hint }], document, ['hosts', first]);
}

const MOST_LINES = 5;

function normalMac(host: unknown): string | undefined {
  const text = textOf(asMapping(host)['mac']);
  const address = text === undefined ? undefined : parseMacAddress(text);
  return address !== undefined && 'mac' in address ? address.mac : undefined;
}

function readHostInputs(host: Mapping, document: InventoryDocument, path: Path): Inputs {
  const inputs = readSettings(asMapping(host['overrides']), document, [...path, 'overrides']);
  if (host['network'] === undefined) return inputs;
  const { nmstate, networkData, keyfiles } = asMapping(host['network']);
  const below = [...path, 'network'];
  return new Map([
    ...inputs,
    ['host.nmstate', readDescription('nmstate', nmstate, document, below)],
    ['host.networkData', readDescription('networkData', networkData, document, below)],
    ['host.keyfiles', readKeyfiles(keyfiles, document, [...below, 'keyfiles'])],
  ]);
}

/** The path of a file, or the description itself. @param network path of the mapping that contains it */
function readDescription(
  key: 'nmstate' | 'networkData',
  value: unknown,
  document: InventoryDocument,
  network: Path,
): InputValue[] {
  if (value === undefined) return [];
  const name = `host.${key}` as const;
  const path = [...network, key];
  if (typeof value === 'string') return [inputValue(name, value, document, path)];
  const locateInner = (steps: Path): Position | undefined => document.locate([...path, ...steps]);
  const inner = { name: document.name, value, locate: locateInner };
  return [{ ...inputValue(name, JSON.stringify(value), document, path), isContent: true, document: inner }];
}

function readKeyfiles(keyfiles: unknown, document: InventoryDocument, path: Path): InputValue[] {
  if (Array.isArray(keyfiles)) return readValues('host.keyfiles', keyfiles, document, path);
  return Object.entries(asMapping(keyfiles)).map(([fileName, text]) => {
    const own = [...path, fileName];
    const input = inputValue('host.keyfiles', String(text), document, own);
    const locateLine = (line: number): FilePlace => ({
      ...input.at,
      ...document.locateInText(own, { line }),
    });
    return { ...input, isContent: true, fileName, locateLine };
  });
}

/** The items of a list, or the single value; none for `null`. */
function readValues(
  name: SettingName,
  value: unknown,
  document: InventoryDocument,
  path: Path,
): InputValue[] {
  if (value === null) return [];
  const isList = Array.isArray(value);
  const items: readonly unknown[] = isList ? value : [value];
  return items.map((item, index) =>
    inputValue(name, String(item), document, isList ? [...path, index] : path),
  );
}

/** The settings in a mapping, by their names. */
function readSettings(mapping: Mapping, document: InventoryDocument, path: Path): Inputs {
  const inputs = new Map<SettingName, readonly InputValue[]>();
  for (const { name } of settingTable) {
    if (Object.hasOwn(mapping, name))
      inputs.set(name, readValues(name, mapping[name], document, [...path, name]));
  }
  return inputs;
}

function inputValue(
  name: SettingName,
  text: string,
  document: InventoryDocument,
  path: Path,
): InputValue & { readonly at: FilePlace } {
  const at = { file: document.name, ...document.locate(path) };
  return { text, name, at, origin: 'file', isContent: false, folder: document.folder };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

// Turns errors of the compiled inventory schema into messages with hints.

/** An error as ajv reports it. */
interface SchemaError {
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The checked mapping: the whole inventory or one host, which have different keys. */
type Checked = 'inventory' | 'host';

/** A mistake of the user in an inventory. */
interface Mistake {
  /** Starts at the checked value. */
  readonly path: Path;
  readonly message: string;
  readonly hint: string | undefined;
}

/** Messages never quote values: they may be secret. @param value the checked value */
function findMistake(error: SchemaError, value: unknown, checked: Checked): Mistake {
  const path = parsePointer(error.instancePath, value);
  switch (error.keyword) {
    case 'additionalProperties':
      return unknownKey([...path, String(error.params['additionalProperty'])], value, checked);
    case 'required':
      return missingKey(path, String(error.params['missingProperty']));
    case 'enum': {
      const hint = `use one of ${wordsOf(error.params['allowedValues'])}`;
      return { path, message: `invalid value for ${settingName(path, checked)}`, hint };
    }
    default:
      return otherType(path, settingName(path, checked), typesOf(error.params['type']), value);
  }
}

function parsePointer(pointer: string, root: unknown): Path {
  let value = root;
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((step) => {
      const key = Array.isArray(value) ? Number(step) : step;
      value = valueAt(value, [key]);
      return key;
    });
}

const topKeys: Readonly<Record<Checked, readonly string[]>> = {
  inventory: ['profile', 'ignore', 'agent', 'deploy', 'bmc', 'hosts'],
  host: ['name', 'mac', 'architecture', 'network', 'overrides', 'ignore', 'deploy', 'bmc'],
};
/** The key of the settings. */
const settingsKey: Readonly<Record<Checked, string>> = { inventory: 'agent', host: 'overrides' };
const networkKeys = ['nmstate', 'networkData', 'keyfiles'];
/** The keys of other mappings, by their key. The keys of `deploy` are not listed here. */
const innerKeys: Readonly<Record<string, readonly string[]>> = {
  network: networkKeys,
  deploy: [],
  bmc: ['address', 'credentialsFile', 'caFile', 'disableCertificateVerification'],
  raid: ['hardwareRAIDVolumes', 'softwareRAIDVolumes'],
  hardwareRAIDVolumes:
    'name level sizeGibibytes rotational numberOfPhysicalDisks controller physicalDisks'.split(' '),
  softwareRAIDVolumes: ['rootVolume', 'level', 'sizeGibibytes', 'physicalDisks'],
};

/** Names of the keys of a host in BareMetalHosts, nodes of Ironic and Bifrost, and install-config.yaml. */
const hostKeys: Readonly<Record<string, string>> = {
  hostname: 'name',
  bootMACAddress: 'mac',
  macAddress: 'mac',
  mac_address: 'mac',
  arch: 'architecture',
  cpu_arch: 'architecture',
};

function unknownKey(path: Path, value: unknown, checked: Checked): Mistake {
  const key = String(path.at(-1));
  const hint = unknownKeyHint(path, value, checked);
  return { path, message: `unknown key ${quoteText(key)}`, hint };
}

function unknownKeyHint(path: Path, value: unknown, checked: Checked): string {
  const key = String(path.at(-1));
  const parent = path.slice(0, -1).findLast((step) => typeof step === 'string');
  if (checked === 'host' && parent === undefined && networkKeys.includes(key))
    return 'write it below "network"';
  const ofHost = checked === 'host' && parent === undefined ? hostKeys[key] : undefined;
  if (ofHost !== undefined && !Object.hasOwn(asMapping(value), ofHost)) return `use ${quoteText(ofHost)}`;
  const settingNames: readonly string[] = settingTable.map(({ name }) => name);
  const isSetting = parent === 'agent' || parent === 'overrides';
  const place = isSetting ? '' : ` below "${settingsKey[checked]}"`;
  const isPlace = parent === undefined && (key === 'agent' || settingNames.includes(key));
  if (isPlace) return `write settings of ${checked === 'host' ? 'one host' : 'all hosts'}${place}`;
  const full = fullNames(key, valueAt(value, path), settingNames);
  if (full.length > 0) return `write the settings without nesting${place}: ${full.join(', ')}`;
  const names = isSetting ? settingNames : (innerKeys[String(parent)] ?? topKeys[checked]);
  const near = nearestInAnyCase(key, names);
  if (near !== undefined) return `use ${quoteText(near)}`;
  const setting = isSetting || parent === undefined ? meantSetting(key) : undefined;
  if (setting !== undefined) return `use ${quoteText(setting)}${place}`;
  if (parent === 'deploy') return 'use the name of an option of deploy in camel case, such as bmcAddress';
  return isSetting ? 'use a name that --show-settings prints' : `use one of ${names.join(', ')}`;
}

/** A setting without its section, or with the name of its option: `apiUrls`, `api-url`, `apiUrl`, `api_url`. */
function meantSetting(key: string): string | undefined {
  const words = wordsIn(key);
  return settingTable.find(
    ({ name, ...setting }: Setting) =>
      wordsIn(name.slice(name.indexOf('.') + 1)) === words ||
      [setting.flag, setting.alias].some((flag) => flag !== undefined && optionName(flag) === words),
  )?.name;
}

function wordsIn(key: string): string {
  return key.replaceAll(/[A-Z]/g, '-$&').replaceAll('_', '-').toLowerCase();
}

/** `api-url` of `--api-url <urls>`. */
function optionName(flag: string): string | undefined {
  return /--([a-z0-9-]+)/.exec(flag)?.[1];
}

/** The settings of a nested section: `ironic: {apiUrls: …}` means `ironic.apiUrls`. */
function fullNames(section: string, value: unknown, settingNames: readonly string[]): readonly string[] {
  if (!isMapping(value)) return [];
  const names = settingNames.filter((name) => name.startsWith(`${section}.`));
  const meant = names.filter((name) => Object.hasOwn(value, name.slice(section.length + 1)));
  return meant.length > 0 ? meant : names;
}

function nearestInAnyCase(key: string, names: readonly string[]): string | undefined {
  const byLowerCase = new Map(names.map((name) => [name.toLowerCase(), name]));
  return byLowerCase.get(nearestName(key.toLowerCase(), byLowerCase.keys()) ?? '');
}

function settingName(path: Path, checked: Checked): string {
  const key = path.findLast((step) => typeof step === 'string');
  return key === undefined ? `the ${checked}` : quoteText(key);
}

/** An inventory is a mapping. */
function noMapping(value: unknown): Mistake {
  if (value === null || value === undefined)
    return {
      path: [],
      message: 'the inventory is empty',
      hint: 'write settings below "agent:" or entries below "hosts:"',
    };
  const isHosts =
    Array.isArray(value) && value.every((item) => isMapping(item) && Object.hasOwn(item, 'name'));
  const { path, message, hint } = otherType([], 'the inventory', ['object'], value);
  return { path, message, hint: isHosts ? 'write the list of hosts below "hosts:"' : hint };
}

function missingKey(path: Path, key: string): Mistake {
  return { path, message: `${quoteText(key)} is missing`, hint: `add "${key}: …"` };
}

/** @param root the checked value */
function otherType(path: Path, name: string, types: readonly string[], root: unknown): Mistake {
  const words = types.map((type) => typeWords[type] ?? type).join(' or ');
  const isNetwork = networkKeys.some((key) => path.at(-1) === `host.${key}`);
  const isFile = types.includes('string') && isMapping(valueAt(root, path)) && isFileSetting(path.at(-1));
  const hint = isNetwork
    ? NETWORK_HINT
    : isFile
      ? `write the value to a file, and set its path: "${String(path.at(-1))}: FILE"`
      : hostsHint(path, root);
  return { path, message: `${name} must be ${words}`, hint: hint ?? formHints[types[0] ?? ''] };
}

function isFileSetting(name: unknown): boolean {
  return settingTable.some((setting) => setting.name === name && setting.kind === 'file');
}

/** The hint for a mapping of hosts by name, and for a name instead of a host. */
function hostsHint(path: Path, root: unknown): string | undefined {
  const value = valueAt(root, path);
  const isMappingOfHosts = path.length === 1 && path[0] === 'hosts' && isMapping(value);
  const [name] = isMappingOfHosts
    ? Object.keys(value)
    : path.length === 0 && typeof value === 'string'
      ? [value]
      : [];
  return name === undefined || machineNameProblem(name) !== undefined ? undefined : `write "- name: ${name}"`;
}

const NETWORK_HINT = 'set the path of a file; the key "network" of a host may contain the network itself';

/** The YAML for a value of a type. */
const formHints: Readonly<Record<string, string>> = {
  string: 'put the value in quotes',
  integer: 'write digits without quotes',
  boolean: 'write true or false without quotes',
  array: 'write each item as a line that starts with "- "',
  object: 'write each entry as an indented line "KEY: VALUE"',
};

const typeWords: Readonly<Record<string, string>> = {
  string: 'a text',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  null: 'null',
};

function typesOf(type: unknown): readonly string[] {
  return Array.isArray(type) ? type.map(String) : String(type).split(',');
}

function wordsOf(values: unknown): string {
  const list: readonly unknown[] = Array.isArray(values) ? values : [];
  return list.map(String).join(', ');
}

/**
 * The inventory (`ramdisk.yaml`): settings and hosts in one document. `schemas/inventory.json` defines its structure, with
 * the settings in the spellings of `settingSpelling.ts`; the rules that a schema cannot express are checked here. A mistake in one
 * host is a problem of that host, so that the other hosts are still processed. Values are only collected, like those of flags;
 * `settingParsers.ts` parses them.
 */

import { quoteText } from '../../core/foreignText.ts';
import { groupBy } from '../../core/lists.ts';
import { comparePositions, type FilePlace } from '../../core/errors.ts';
import { type Diagnostic, formatPath, type Path } from '../../core/finding.ts';
import { ignoreProblem } from '../../io/report/ignored.ts';
import { importAsset } from '../../core/assets.ts';
import { type Architecture, architectures } from '../../core/architecture.ts';
import { parseMacAddress } from '../../core/macAddress.ts';
import { childAt, targetOf } from '../../formats/documentTree.ts';
import { machineNameProblem } from '../../formats/hostName.ts';
import { asList, asMapping, isMapping, type Mapping, stringOf } from '../../formats/mapping.ts';
import type { YamlDocument } from '../../formats/yaml.ts';
import type { Inputs, InputValue } from '../../agent/settingInputs.ts';
import { type ProfileName, profileNames } from '../../agent/settings.ts';
import { readSpelling } from '../../agent/settingSpelling.ts';
import { type SettingName, settingTable } from '../../agent/settingTable.ts';
import { findMistake, type Mistake, noMapping, type SchemaError } from './inventoryMistakes.ts';
import { overrideSettings } from './deployOverrides.ts';
import { checkNetworkValues, type NetworkTemplate, readNetworkTemplate } from './networkTemplate.ts';

/** A document, and its file. */
export interface InventoryDocument extends YamlDocument {
  /** The file name as the user gave it. */
  readonly name: string;
  /** The folder that relative paths start from. */
  readonly folder: string;
}

export interface Inventory {
  readonly profile?: ProfileName | undefined;
  readonly agent: Inputs;
  /** In the order of the document; undefined where it has no list of hosts. */
  readonly hosts?: readonly InventoryHost[] | undefined;
  /** Ids of rules that are ignored for all hosts, as written. */
  readonly ignore?: readonly string[] | undefined;
  /** Of the whole, and then also of hosts, before them. */
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
  /** What its deployment expects of its machine, or else that of all hosts; undefined without a deployment. */
  readonly deployment?: { readonly rootDeviceHints: Mapping; readonly spec: Mapping } | undefined;
  readonly problems: readonly Diagnostic[];
  /** The settings that differ from those of all hosts. Not cached: the list of hosts may be long. */
  readonly readInputs: () => Inputs;
}

export async function readInventory(document: InventoryDocument): Promise<Inventory> {
  const schema: CompiledSchema = await importAsset('dist/compiled/inventory.js');
  const { checkInventory, checkHost } = schema;
  const whole = { document, path: [] };
  if (!isMapping(document.value))
    return { agent: new Map(), problems: locate([noMapping(document.value)], whole) };
  const { hosts, ...shared } = document.value;
  const list = asList(hosts);
  // The hosts are checked one by one.
  const head = Array.isArray(hosts) ? { ...shared, hosts: [] } : document.value;
  const shape = checkShape(head, checkInventory, 'agent', whole);
  if (shape.length > 0) {
    const ofHosts = list.flatMap((host, index) => {
      const part = below(whole, ['hosts', index]);
      const named = namedHost(host, index, document);
      return locate(checkShape(host, checkHost, 'overrides', part), part).map((mistake) => ({
        ...mistake,
        host: named,
      }));
    });
    return { agent: new Map(), problems: [...ofHosts, ...locate(shape, whole)] };
  }
  const ignore = readIgnored(shared);
  const { root } = document;
  const node = root && childAt(targetOf(root), 'networkTemplate');
  const template = readNetworkTemplate(shared['networkTemplate'], node);
  return {
    profile: profileNames.find((name) => name === shared['profile']),
    agent: readSettings(asMapping(shared['agent']), below(whole, ['agent'])),
    ignore,
    hosts: hosts === undefined ? undefined : readHosts(list, document, checkHost, template),
    problems: locate(checkIgnored(ignore), whole),
  };
}

interface Part {
  readonly document: InventoryDocument;
  readonly path: Path;
}

function below({ document, path }: Part, steps: Path): Part {
  return { document, path: [...path, ...steps] };
}

type Check = ((value: unknown) => boolean) & { readonly errors?: readonly SchemaError[] | null };

/** The module that `scripts/schemas.js` generates. */
interface CompiledSchema {
  readonly checkInventory: Check;
  readonly checkHost: Check;
  readonly checkHostSpec: Check;
}

/** The mistakes in fields of `spec` of a BareMetalHost. */
export async function checkHostSpec(value: unknown): Promise<readonly Mistake[]> {
  const schema: CompiledSchema = await importAsset('dist/compiled/inventory.js');
  return checkSchema(value, schema.checkHostSpec);
}

const MOST_FINDINGS = 20;

/**
 * The mistakes in an inventory or host, by the schema and in the spelling of its settings.
 * @param key of the settings
 */
function checkShape(value: unknown, check: Check, key: 'agent' | 'overrides', part: Part): Mistake[] {
  const settings = asMapping(value)[key];
  if (!isMapping(value) || !isMapping(settings)) return checkSchema(value, check);
  const { values, paths } = readSpelling(settings);
  const twins = [...paths].flatMap(([name, [, second]]) => {
    if (second === undefined) return [];
    const all = paths.get(name)?.map((path) => below(part, [key, ...path]).path) ?? [];
    const message = `${name} is set twice: ${namePlaces(all, ' and ', part.document)}`;
    return [{ path: [key, ...second], message, hint: `remove ${second.join('.')}` }];
  });
  const mistakes = checkSchema({ ...value, [key]: values }, check).map((mistake) => {
    const [first, name = '', ...rest] = mistake.path;
    const [path] = (first === key ? paths.get(String(name)) : undefined) ?? [];
    return path === undefined ? mistake : { ...mistake, path: [key, ...path, ...rest] };
  });
  return [...mistakes, ...twins];
}

function checkSchema(value: unknown, check: Check): Mistake[] {
  if (check(value)) return [];
  return (check.errors ?? []).slice(0, MOST_FINDINGS).map((error) => findMistake(error, value));
}

function placeOf({ document, path }: Part): FilePlace {
  return { file: document.name, ...document.locate(path) };
}

/** `lines 3, 7`; of a value, which has no lines, `$.hosts.0.name, $.hosts.4.name`. */
function namePlaces(paths: readonly Path[], separator: string, document: InventoryDocument): string {
  const lines = paths.flatMap((path) => document.locate(path)?.line ?? []);
  return lines.length === 0 ? paths.map(formatPath).join(separator) : `lines ${lines.join(separator)}`;
}

/** In the order of the document. @param part that contains the mistakes */
function locate(mistakes: readonly Mistake[], part: Part): Diagnostic[] {
  const located = mistakes.map(({ message, hint, path }) => {
    return { severity: 'error', message, hint, at: placeOf(below(part, path)) } as const;
  });
  return located.toSorted(({ at: one }, { at: other }) => comparePositions(one, other));
}

function readHosts(
  list: readonly unknown[],
  document: InventoryDocument,
  check: Check,
  template: NetworkTemplate | undefined,
): InventoryHost[] {
  const names = findTwins(list.map((host) => stringOf(asMapping(host)['name'])?.toLowerCase()));
  const macs = findTwins(list.map(normalMac));
  const hosts: InventoryHost[] = [];
  for (const [index, value] of list.entries()) {
    const host = asMapping(value);
    const part = { document, path: ['hosts', index] };
    const shape = checkShape(value, check, 'overrides', part);
    const ignore = readIgnored(host);
    const mistakes =
      shape.length > 0 ? shape : [...checkHostNames(host), ...checkNetworkValues(template, host)];
    const twins = [
      ...reportTwins('name', names.get(index), document),
      ...reportTwins('mac', macs.get(index), document),
    ];
    hosts.push({
      ...namedHost(value, index, document),
      mac: normalMac(host),
      architecture: architectures.find((name) => name === host['architecture']),
      ignore,
      deployment: readDeployment(document.value, host),
      problems: [
        ...locate(mistakes, part),
        ...(shape.length > 0 ? [] : twins),
        ...locate(checkIgnored(ignore), part),
      ],
      readInputs: () => readHostInputs(host, part, template),
    });
  }
  return hosts;
}

function namedHost(host: unknown, index: number, document: InventoryDocument) {
  const line = document.locate(['hosts', index])?.line;
  return {
    name: stringOf(asMapping(host)['name']) ?? `host ${index + 1}`,
    at: { file: document.name, ...(line !== undefined && { line }) },
  };
}

function readDeployment(document: unknown, { deploy: own }: Mapping): InventoryHost['deployment'] {
  const deploy = asMapping(document)['deploy'];
  if (own === undefined && deploy === undefined) return undefined;
  // The hints of a host replace those of all hosts as a whole. With null, a host has no hints, also if all hosts have some.
  const { rootDeviceHints = asMapping(deploy)['rootDeviceHints'] } = asMapping(own);
  const { spec } = overrideSettings(asMapping(deploy), { ...asMapping(own) });
  return { rootDeviceHints: asMapping(rootDeviceHints), spec: asMapping(spec) };
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
  const nameProblem = machineNameProblem(stringOf(name) ?? '');
  if (nameProblem !== undefined) {
    const message = `${quoteText(stringOf(name) ?? '')} is not a valid host name: ${nameProblem}`;
    const hint = 'use a name such as worker-0 or worker-0.example.com';
    mistakes.push({ path: ['name'], message, hint });
  }
  const address = mac === undefined ? undefined : parseMacAddress(stringOf(mac) ?? '');
  if (address !== undefined && 'problem' in address) {
    const message = `${quoteText(stringOf(mac) ?? '')} is not a valid MAC address: ${address.problem}`;
    const hint = 'use the form "52:54:00:12:34:56"';
    mistakes.push({ path: ['mac'], message, hint });
  }
  const { paths } = readSpelling(asMapping(overrides));
  for (const setting of network === undefined ? [] : networkSettings) {
    const [path] = paths.get(setting) ?? [];
    if (path === undefined) continue;
    const message = `${setting} cannot be combined with "network"`;
    mistakes.push({ path: ['overrides', ...path], message, hint: `remove ${setting} or "network"` });
  }
  return mistakes;
}

const networkSettings = ['host.nmstate', 'host.networkData', 'host.keyfiles'] as const;

/** For the index of each key that is not unique: the indexes of all equal keys. */
export function findTwins(keys: readonly (string | undefined)[]): ReadonlyMap<number, readonly number[]> {
  const indexes = groupBy(keys.keys(), (index) => keys[index]);
  indexes.delete(undefined);
  const shared = [...indexes.values()].filter(({ length }) => length > 1);
  return new Map(shared.flatMap((same) => same.map((index) => [index, same] as const)));
}

/** The same problem for all hosts that share the value, so that it is reported once, at the first one. */
function reportTwins(
  key: 'name' | 'mac',
  same: readonly number[] | undefined,
  document: InventoryDocument,
): Diagnostic[] {
  const [first] = same ?? [];
  if (same === undefined || first === undefined) return [];
  const paths = same.slice(0, MOST_LINES).map((index) => ['hosts', index, key]);
  const more = same.length > MOST_LINES ? ` and ${same.length - MOST_LINES} more` : '';
  const what = key === 'name' ? 'name' : 'MAC address';
  const places = namePlaces(paths, ', ', document);
  const message = `${same.length} hosts have the same ${what}: ${places}${more}`;
  const hint = `set a unique ${what} for each host; these hosts are skipped`;
  return locate([{ path: [key], message, hint }], { document, path: ['hosts', first] });
}

const MOST_LINES = 5;

function normalMac(host: unknown): string | undefined {
  const text = stringOf(asMapping(host)['mac']);
  const address = text === undefined ? undefined : parseMacAddress(text);
  return address !== undefined && 'mac' in address ? address.mac : undefined;
}

function readHostInputs(host: Mapping, part: Part, template: NetworkTemplate | undefined): Inputs {
  const inputs = readSettings(asMapping(host['overrides']), below(part, ['overrides']));
  if (host['network'] === undefined) return inputs;
  const { nmstate, networkData, keyfiles, values } = asMapping(host['network']);
  const network = below(part, ['network']);
  const described = new Map<SettingName, readonly InputValue[]>([
    ...inputs,
    ['host.nmstate', readDescription('nmstate', nmstate, network)],
    ['host.networkData', readDescription('networkData', networkData, network)],
    ['host.keyfiles', readKeyfiles(keyfiles, below(network, ['keyfiles']))],
  ]);
  if (template === undefined || values === undefined) return described;
  const { fill, format } = template;
  const origin = ['networkTemplate', format];
  const filled = inlineValue(format, fill(host), below(network, ['values']), origin);
  return described.set(`host.${format}`, [filled]);
}

/** The path of a file, or the description itself. @param network that contains it */
function readDescription(key: 'nmstate' | 'networkData', value: unknown, network: Part): InputValue[] {
  const part = below(network, [key]);
  if (value === undefined) return [];
  if (typeof value === 'string') return [inputValue(`host.${key}`, value, part)];
  return [inlineValue(key, value, part, part.path)];
}

/**
 * A description in the inventory itself.
 * @param part the value in the host
 * @param origin of the description, where its own paths start
 */
function inlineValue(key: 'nmstate' | 'networkData', value: unknown, part: Part, origin: Path): InputValue {
  const { name, locate: locateIn } = part.document;
  const document = { name, value, locate: (steps: Path) => locateIn([...origin, ...steps]) };
  return { ...inputValue(`host.${key}`, JSON.stringify(value), part), isContent: true, document };
}

function readKeyfiles(keyfiles: unknown, part: Part): InputValue[] {
  if (Array.isArray(keyfiles)) return readValues('host.keyfiles', keyfiles, part);
  return Object.entries(asMapping(keyfiles)).map(([fileName, text]) => {
    const { document, path } = below(part, [fileName]);
    const input = inputValue('host.keyfiles', String(text), { document, path });
    const locateLine = (line: number): FilePlace => ({
      ...input.at,
      ...document.locateInText(path, { line }),
    });
    return { ...input, isContent: true, fileName, locateLine };
  });
}

/** The items of a list, or the single value; none for `null`. */
function readValues(name: SettingName, value: unknown, part: Part): InputValue[] {
  if (value === null) return [];
  const isList = Array.isArray(value);
  const items: readonly unknown[] = isList ? value : [value];
  return items.map((item, index) => inputValue(name, String(item), isList ? below(part, [index]) : part));
}

/** The settings in a mapping, in the order of the table. */
function readSettings(mapping: Mapping, part: Part): Inputs {
  const inputs = new Map<SettingName, readonly InputValue[]>();
  const { values, paths } = readSpelling(mapping);
  for (const { name } of settingTable) {
    const [own] = paths.get(name) ?? [];
    if (own !== undefined) inputs.set(name, readValues(name, values[name], below(part, own)));
  }
  return inputs;
}

function inputValue(name: SettingName, text: string, part: Part) {
  const { folder } = part.document;
  return { text, name, at: placeOf(part), origin: 'file', folder } as const;
}

/**
 * The inventory (`ramdisk.yaml`): settings and hosts in one document. `schemas/inventory.json` defines its structure; the
 * rules that a schema cannot express are checked here. A mistake in one host is a finding of that host, so that the other
 * hosts are still processed. Values are only collected, like those of flags; `inputParsers.ts` parses them.
 */

import { formatPlace } from '../../core/errors.ts';
import { importAsset } from '../../assets.ts';
import { type Architecture, architectures } from '../../core/architecture.ts';
import { parseMacAddress } from '../../core/macAddress.ts';
import { machineNameProblem } from '../../formats/hostName.ts';
import { asMapping, isMapping, type Mapping } from '../../formats/mapping.ts';
import type { Finding, Path, Position } from '../../core/finding.ts';
import { type Checked, type SchemaError, schemaFinding } from './inventorySchema.ts';
import type { Inputs, InputValue } from '../../agent/settingInputs.ts';
import { type ProfileName, profileNames } from '../../agent/settings.ts';
import { type SettingName, settingTable } from '../../agent/settingTable.ts';

/** A document that `parseYaml` has read, and its file. */
export interface InventoryDocument {
  /** The file name as the user gave it. */
  readonly name: string;
  /** The folder that relative paths start from. */
  readonly folder: string;
  readonly value: unknown;
  readonly locate: (path: Path) => Position | undefined;
}

export interface Inventory {
  readonly profile?: ProfileName | undefined;
  /** The settings of all hosts. */
  readonly agent: Inputs;
  /** In the order of the document; undefined where it has no list of hosts. */
  readonly hosts?: readonly InventoryHost[] | undefined;
  /** Ids of rules that are ignored for all hosts, as written. */
  readonly ignore?: readonly string[] | undefined;
  /** Mistakes outside the list of hosts; all are errors. */
  readonly findings: readonly Finding[];
}

export interface InventoryHost {
  /** A valid and unique host name, unless there are findings. */
  readonly name: string;
  /** The line that the host begins in. */
  readonly line?: number | undefined;
  /** In lower case, with colons. */
  readonly mac?: string | undefined;
  readonly architecture?: Architecture | undefined;
  /** Ids of rules that are ignored for this host, as written. */
  readonly ignore?: readonly string[] | undefined;
  /** Mistakes in this host; all are errors. */
  readonly findings: readonly Finding[];
  /** The settings that differ from those of all hosts. Not cached: the list of hosts may be long. */
  readonly readInputs: () => Inputs;
}

/** Reads an inventory. Findings have positions. */
export async function readInventory(document: InventoryDocument): Promise<Inventory> {
  const { checkInventory, checkHost } = await loadSchema();
  const { hosts, ...shared } = asMapping(document.value);
  const list: readonly unknown[] = Array.isArray(hosts) ? hosts : [];
  // The hosts are checked one by one.
  const head =
    hosts === list ? { ...shared, hosts: [] } : { ...shared, ...(hosts !== undefined && { hosts }) };
  const shape = checkShape(isMapping(document.value) ? head : document.value, checkInventory, 'inventory');
  const findings = locate(shape, { document, path: [] });
  if (findings.length > 0) return { agent: new Map(), findings };
  return {
    profile: profileNames.find((name) => name === shared['profile']),
    agent: readSettings(asMapping(shared['agent']), { document, path: ['agent'] }),
    ignore: readIgnored(shared),
    hosts: hosts === undefined ? undefined : readHosts(list, document, checkHost),
    findings,
  };
}

type Check = ((value: unknown) => boolean) & { readonly errors?: readonly SchemaError[] | null };

/** The module that `schemas/compile.js` generates. */
interface CompiledSchema {
  readonly checkInventory: Check;
  readonly checkHost: Check;
}

async function loadSchema(): Promise<CompiledSchema> {
  const schema: CompiledSchema = await importAsset('schemas/compiled/inventory.js');
  return schema;
}

/** Limit for mistakes of one document or host. */
const mostFindings = 20;

function checkShape(value: unknown, check: Check, checked: Checked): Finding[] {
  if (check(value)) return [];
  return (check.errors ?? []).slice(0, mostFindings).map((error) => schemaFinding(error, value, checked));
}

/** A part of a document. */
interface Part {
  readonly document: InventoryDocument;
  readonly path: Path;
}

function locate(findings: readonly Finding[], { document, path }: Part): Finding[] {
  return findings.map((finding) => {
    const whole = [...path, ...finding.path];
    return { ...finding, path: whole, position: document.locate(whole) };
  });
}

function readHosts(list: readonly unknown[], document: InventoryDocument, check: Check): InventoryHost[] {
  const names = findTwins(list.map((host) => textOf(asMapping(host)['name'])?.toLowerCase()));
  const macs = findTwins(list.map((host) => normalMac(asMapping(host))));
  return list.map((value, index) => {
    const part = { document, path: ['hosts', index] };
    const shape = checkShape(value, check, 'host');
    if (shape.length > 0) return readHost(asMapping(value), part, locate(shape, part));
    const findings = [
      ...locate(checkNamesOf(asMapping(value)), part),
      ...reportTwins('name', names.get(index), document),
      ...reportTwins('mac', macs.get(index), document),
    ];
    return readHost(asMapping(value), part, findings);
  });
}

function readHost(host: Mapping, part: Part, findings: readonly Finding[]): InventoryHost {
  return {
    name: textOf(host['name']) ?? `host ${Number(part.path[1]) + 1}`,
    line: part.document.locate(part.path)?.line,
    mac: normalMac(host),
    architecture: architectures.find((name) => name === host['architecture']),
    ignore: readIgnored(host),
    findings,
    readInputs: () => readHostInputs(host, part),
  };
}

function readIgnored({ ignore }: Mapping): readonly string[] | undefined {
  return Array.isArray(ignore) ? ignore.filter((rule) => typeof rule === 'string') : undefined;
}

function checkNamesOf({ name, mac, network, overrides }: Mapping): Finding[] {
  const findings: Finding[] = [];
  const nameProblem = machineNameProblem(textOf(name) ?? '');
  if (nameProblem !== undefined) {
    const message = `${JSON.stringify(name)} is not a valid host name: ${nameProblem}`;
    findings.push(mistake(['name'], message, 'use a name such as worker-0 or worker-0.example.com'));
  }
  const address = mac === undefined ? undefined : parseMacAddress(textOf(mac) ?? '');
  if (address !== undefined && 'problem' in address) {
    const message = `${JSON.stringify(mac)} is not a valid MAC address: ${address.problem}`;
    findings.push(mistake(['mac'], message, 'use the form "52:54:00:12:34:56"'));
  }
  const { nmstate, networkData } = asMapping(network);
  if (nmstate !== undefined && networkData !== undefined) {
    const message = '"networkData" cannot be combined with "nmstate"';
    findings.push(mistake(['network', 'networkData'], message, 'remove one of them'));
  }
  for (const setting of network === undefined ? [] : networkSettings) {
    if (!Object.hasOwn(asMapping(overrides), setting)) continue;
    const message = `${setting} cannot be combined with "network"`;
    findings.push(mistake(['overrides', setting], message, 'remove one of them'));
  }
  return findings;
}

const networkSettings = ['host.nmstate', 'host.networkData', 'host.keyfiles'] as const;

function mistake(path: Path, message: string, hint: string): Finding {
  return { severity: 'error', rule: 'inventory-host', path, message, hint };
}

/** For the index of each key that is not unique: the indexes of all equal keys. */
export function findTwins(keys: readonly (string | undefined)[]): ReadonlyMap<number, readonly number[]> {
  const indexes = new Map<string, number[]>();
  for (const [index, key] of keys.entries()) {
    if (key === undefined) continue;
    const same = indexes.get(key);
    if (same === undefined) indexes.set(key, [index]);
    else same.push(index);
  }
  const shared = [...indexes.values()].filter(({ length }) => length > 1);
  return new Map(shared.flatMap((same) => same.map((index) => [index, same])));
}

/** The same finding for all hosts that share the value, so that it is reported once, at the first one. */
function reportTwins(
  key: 'name' | 'mac',
  same: readonly number[] | undefined,
  document: InventoryDocument,
): Finding[] {
  const [first] = same ?? [];
  if (same === undefined || first === undefined) return [];
  const lines = same.slice(0, mostLines).map((index) => document.locate(['hosts', index, key])?.line ?? 1);
  const more = same.length > mostLines ? ` and ${same.length - mostLines} more` : '';
  const what = key === 'name' ? 'name' : 'MAC address';
  const message = `${same.length} hosts have the same ${what}: lines ${lines.join(', ')}${more}`;
  const finding = mistake([key], message, `set a unique ${what} for each host; these hosts are skipped`);
  return locate([finding], { document, path: ['hosts', first] });
}

const mostLines = 5;

function normalMac(host: Mapping): string | undefined {
  const text = textOf(host['mac']);
  const address = text === undefined ? undefined : parseMacAddress(text);
  return address !== undefined && 'mac' in address ? address.mac : undefined;
}

function readHostInputs(host: Mapping, { document, path }: Part): Inputs {
  const inputs = readSettings(asMapping(host['overrides']), { document, path: [...path, 'overrides'] });
  if (host['network'] === undefined) return inputs;
  const { nmstate, networkData, keyfiles } = asMapping(host['network']);
  const part = { document, path: [...path, 'network'] };
  return new Map([
    ...inputs,
    ['host.nmstate', readDescription(nmstate, 'nmstate', part)],
    ['host.networkData', readDescription(networkData, 'networkData', part)],
    ['host.keyfiles', readKeyfiles(keyfiles, part)],
  ]);
}

/** The path of a file, or the description itself. */
function readDescription(
  value: unknown,
  key: 'nmstate' | 'networkData',
  { document, path }: Part,
): InputValue[] {
  if (value === undefined) return [];
  const part = { document, path: [...path, key] };
  if (typeof value === 'string') return [inputValue(`host.${key}`, value, part)];
  const inner = {
    name: document.name,
    value,
    locate: (steps: Path) => document.locate([...part.path, ...steps]),
  };
  const text = JSON.stringify(value);
  return [{ ...inputValue(`host.${key}`, text, part), isContent: true, document: inner }];
}

function readKeyfiles(keyfiles: unknown, { document, path }: Part): InputValue[] {
  const pathOf = (key: string | number): Path => [...path, 'keyfiles', key];
  if (Array.isArray(keyfiles)) {
    return keyfiles.map((file, index) =>
      inputValue('host.keyfiles', String(file), { document, path: pathOf(index) }),
    );
  }
  return Object.entries(asMapping(keyfiles)).map(([fileName, text]) => ({
    ...inputValue('host.keyfiles', String(text), { document, path: pathOf(fileName) }),
    isContent: true,
    fileName,
  }));
}

/** The settings in a mapping, by their names. */
function readSettings(mapping: Mapping, { document, path }: Part): Inputs {
  const named = settingTable.filter(({ name }) => Object.hasOwn(mapping, name));
  return new Map(
    named.map(({ name }) => {
      const value = mapping[name];
      const items: readonly unknown[] = Array.isArray(value) ? value : value === null ? [] : [value];
      const pathOf = (index: number): Path => [...path, name, ...(Array.isArray(value) ? [index] : [])];
      const inputOf = (item: unknown, index: number): InputValue =>
        inputValue(name, String(item), { document, path: pathOf(index) });
      return [name, items.map(inputOf)];
    }),
  );
}

function inputValue(name: SettingName, text: string, { document, path }: Part): InputValue {
  const at = { file: document.name, ...(document.locate(path) ?? { line: 1, column: 1 }) };
  return {
    text,
    place: `${formatPlace(at)}: ${name}`,
    source: { at, name },
    origin: 'file',
    isContent: false,
    folder: document.folder,
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

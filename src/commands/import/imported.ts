/** What `import` reads from objects of other programs: the parts of an inventory, and the files that it refers to. */

import { extname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parseMacAddress } from '../../core/macAddress.ts';
import { maskSetting } from '../../core/masking.ts';
import { isMapping, type Mapping, withoutUndefined } from '../../formats/mapping.ts';
import { formatYaml } from '../../formats/yamlText.ts';

export interface ImportedHost {
  /** What describes it, such as `BareMetalHost`. */
  readonly kinds: readonly string[];
  readonly name: string;
  /** Of the object that describes it. */
  readonly namespace?: string | undefined;
  /** In lower case, with colons. */
  readonly macs: readonly string[];
  /** That of the boot interface, if its object states it. */
  readonly bootMac?: string | undefined;
  readonly architecture?: unknown;
  readonly network?: Mapping | undefined;
  readonly deploy?: Mapping | undefined;
  /** The path of the file with the user name and the password of its BMC. */
  readonly credentialsFile?: string | undefined;
  /** What the inventory cannot contain, as clauses. */
  readonly notes: readonly string[];
}

export interface Imported {
  readonly hosts: readonly ImportedHost[];
  readonly agent: Mapping;
  readonly notes: readonly string[];
}

interface ImportedFile {
  /** Relative to the folder of the inventory. */
  readonly path: string;
  readonly content: string;
  /** Undefined for a file without a secret. */
  readonly mode: 0o600 | undefined;
}

/** The files beside the inventory. */
export interface ImportedFiles {
  readonly list: () => readonly ImportedFile[];
  /** @param name with an extension @returns the path of a file that all users may read */
  readonly add: (name: string, content: string) => string;
  /** @param name with an extension @returns the path of a file that only its owner may read */
  readonly addSecret: (name: string, content: string) => string;
}

/** A file with the name of one with another content gets a number. A slash, which is from a document, does not lead out of the folder. */
export function createImportedFiles(folder: string): ImportedFiles {
  const files = new Map<string, ImportedFile>();
  const add = (name: string, content: string, mode: ImportedFile['mode']): string => {
    const wanted = `${folder}/${name.replaceAll('/', '-')}`;
    const extension = extname(wanted);
    let path = wanted;
    for (let number = 2; (files.get(path)?.content ?? content) !== content; number += 1) {
      path = `${wanted.slice(0, -extension.length)}-${number}${extension}`;
    }
    files.set(path, { path, content, mode });
    return path;
  };
  return {
    list: () => [...files.values()],
    add: (name, content) => add(name, content, undefined),
    addSecret: (name, content) => add(name, content, 0o600),
  };
}

/** The path of the file with the login of a BMC. @param name that of the Secret. @param login without a defined member, there is no file */
export function addLogin(files: ImportedFiles, name: string, login: Mapping): string | undefined {
  const given = withoutUndefined(login);
  return Object.keys(given).length === 0 ? undefined : files.addSecret(`${name}.yaml`, formatYaml([given]));
}

/** The text of a scalar, JSON of other values; empty without a value. */
export function asText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A field that nothing takes, as a clause. Of mappings, whose values may be secret, only the names; empty without a value. */
export function unreadField(field: string, value: unknown): string {
  const text = isMapping(value) ? Object.keys(value).join(' ') : asText(value);
  return text === '' || text === '[]' ? '' : `${field} ${maskSetting(text)}`;
}

/** The valid addresses of a list, and those that are not as notes. */
export function macsOf(values: readonly unknown[]): Pick<ImportedHost, 'macs' | 'notes'> {
  const given = values.filter((value) => value !== undefined && value !== '').map(asText);
  const parsed = given.map((text) => ({ text, ...parseMacAddress(text) }));
  return {
    macs: parsed.flatMap((one) => ('mac' in one ? [one.mac] : [])),
    notes: parsed.flatMap((one) => ('mac' in one ? [] : [`${one.text} is not a MAC address`])),
  };
}

/**
 * Hosts with a common MAC address, or else with the same name, are one host: a BareMetalHost and the NMStateConfig with its network.
 * Two of the same kind that contradict each other are two hosts, which `validate` reports. What comes first counts.
 */
export function mergeImported(parts: readonly Partial<Imported>[]): Imported {
  const hosts: ImportedHost[] = [];
  for (const host of parts.flatMap((part) => part.hosts ?? [])) {
    const same =
      hosts.find((known) => haveSameMac(known, host) && !isOtherMachine(known, host)) ??
      hosts.find((known) => known.name === host.name && !isOtherMachine(known, host));
    if (same === undefined) hosts.push(host);
    else hosts[hosts.indexOf(same)] = mergeHosts(same, host);
  }
  const { merged, seconds } = mergeAgents(parts.map(({ agent = {} }) => agent));
  return {
    hosts: hosts.map((host) => {
      const { bootMac = host.macs[0] } = host;
      return { ...host, bootMac, notes: [...host.notes, ...otherMacs({ ...host, bootMac })] };
    }),
    agent: merged,
    notes: [...parts.flatMap((part) => part.notes ?? []), ...seconds],
  };
}

function haveSameMac(one: ImportedHost, other: ImportedHost): boolean {
  return one.macs.some((mac) => other.macs.includes(mac));
}

function isOtherMachine(one: ImportedHost, other: ImportedHost): boolean {
  const isSameKind = one.kinds.some((kind) => other.kinds.includes(kind));
  const isSameSpace =
    one.namespace === undefined || other.namespace === undefined || one.namespace === other.namespace;
  if (!isSameKind) return !isSameSpace && !haveSameMac(one, other);
  const [own, theirs] = [one, other].map(({ macs }) => macs.toSorted().join());
  const isSameMacs = own === '' || theirs === '' || own === theirs;
  return !isSameSpace || !isSameMacs || conflicts(one, other).length > 0;
}

/** The settings that two hosts have with different values; those of the other one. */
function conflicts(one: ImportedHost, other: ImportedHost): readonly (readonly [string, unknown])[] {
  const own = settingsOf(one);
  return Object.entries(settingsOf(other)).filter(
    ([key, value]) => own[key] !== undefined && !isDeepStrictEqual(own[key], value),
  );
}

function settingsOf({ architecture, credentialsFile, deploy, network }: ImportedHost): Mapping {
  return withoutUndefined({ architecture, network, credentialsFile, ...deploy });
}

function mergeHosts(one: ImportedHost, other: ImportedHost): ImportedHost {
  const seconds = conflicts(one, other).map(([key, value]) =>
    key === 'network' ? `a second network, from ${other.name}` : second(key, value),
  );
  return {
    kinds: [...one.kinds, ...other.kinds],
    name: one.name,
    namespace: one.namespace ?? other.namespace,
    macs: [...new Set([...one.macs, ...other.macs])],
    bootMac: one.bootMac ?? other.bootMac,
    architecture: one.architecture ?? other.architecture,
    network: one.network ?? other.network,
    deploy: { ...other.deploy, ...one.deploy },
    credentialsFile: one.credentialsFile ?? other.credentialsFile,
    notes: [
      ...new Set([...one.notes, ...other.notes]),
      ...(one.name === other.name ? [] : [second('name', other.name)]),
      ...seconds,
    ],
  };
}

function second(key: string, value: unknown): string {
  return `a second ${key}: ${maskSetting(asText(value))}`;
}

/** A host of the inventory has one address; others may be in its network. */
function otherMacs({ bootMac, macs, network = {} }: ImportedHost): readonly string[] {
  const described = JSON.stringify(network).toLowerCase();
  const others = macs.filter((mac) => mac !== bootMac && !described.includes(mac));
  return others.map((mac) => `the MAC address ${mac}`);
}

/** Lists have the items of all. */
function mergeAgents(agents: readonly Mapping[]) {
  const merged: Record<string, unknown> = {};
  const seconds: string[] = [];
  for (const [key, value] of agents.flatMap((agent) => Object.entries(agent))) {
    const known = merged[key] ?? value;
    if (Array.isArray(known) && Array.isArray(value)) merged[key] = [...new Set([...known, ...value])];
    else merged[key] = known;
    if (!Array.isArray(value) && known !== value) seconds.push(second(key, value));
  }
  return { merged, seconds };
}

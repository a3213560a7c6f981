/** What `import` reads from objects of other programs: the parts of an inventory, and the files that it refers to. */

import { parseMacAddress } from '../../core/macAddress.ts';
import { type Mapping, withoutUndefined } from '../../formats/mapping.ts';
import { formatYaml } from '../../formats/yamlText.ts';

export interface ImportedHost {
  readonly name: string;
  /** In lower case, with colons; that of the boot interface first. */
  readonly macs: readonly string[];
  readonly architecture?: unknown;
  readonly network?: Mapping | undefined;
  readonly deploy?: Mapping | undefined;
  /** The file with the user name and the password of its BMC. */
  readonly login?: ImportedFile | undefined;
  /** What the inventory cannot contain, as clauses. */
  readonly notes: readonly string[];
}

export interface ImportedFile {
  /** Relative to the folder of the inventory. */
  readonly path: string;
  readonly content: string;
  readonly isSecret: boolean;
}

export interface Imported {
  readonly hosts: readonly ImportedHost[];
  readonly agent: Mapping;
  readonly files: readonly ImportedFile[];
  readonly notes: readonly string[];
}

/** A file in the folder beside the inventory. A slash in the name, which is from a document, does not lead out of the folder. */
export function fileIn(folder: string, name: string, content: string, isSecret: boolean): ImportedFile {
  return { path: `${folder}/${name.replaceAll('/', '-')}`, content, isSecret };
}

/** The file with the login of a BMC. @param name that of the Secret. @param login without a defined member, there is no file */
export function loginIn(folder: string, name: string, login: Mapping): ImportedFile | undefined {
  const given = withoutUndefined(login);
  const isEmpty = Object.keys(given).length === 0;
  return isEmpty ? undefined : fileIn(folder, `${name}.yaml`, formatYaml([given]), true);
}

/** The text of a scalar, JSON of other values; empty without a value. */
export function asText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
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

/** Hosts with a common MAC address, or else with the same name, are one host. What comes first counts. */
export function mergeImported(parts: readonly Partial<Imported>[]): Imported {
  const hosts: ImportedHost[] = [];
  for (const host of parts.flatMap((part) => part.hosts ?? [])) {
    const index = hosts.findIndex(
      ({ macs, name }) => macs.some((mac) => host.macs.includes(mac)) || name === host.name,
    );
    const known = hosts[index];
    if (known === undefined) hosts.push(host);
    else hosts[index] = mergeHosts(known, host);
  }
  const files = new Map<string, ImportedFile>();
  const notes = parts.flatMap((part) => part.notes ?? []);
  const own = parts.flatMap((part) => [
    ...(part.files ?? []),
    ...(part.hosts ?? []).flatMap(({ login }) => login ?? []),
  ]);
  for (const file of own) {
    const known = files.get(file.path);
    if (known === undefined) files.set(file.path, file);
    else if (known.content !== file.content) notes.push(`a second ${file.path} with another content`);
  }
  return {
    hosts,
    agent: Object.fromEntries(parts.toReversed().flatMap(({ agent = {} }) => Object.entries(agent))),
    files: [...files.values()],
    notes,
  };
}

function mergeHosts(one: ImportedHost, other: ImportedHost): ImportedHost {
  const isSecondNetwork = one.network !== undefined && other.network !== undefined;
  return {
    name: one.name,
    macs: [...new Set([...one.macs, ...other.macs])],
    architecture: one.architecture ?? other.architecture,
    network: one.network ?? other.network,
    deploy: { ...other.deploy, ...one.deploy },
    login: one.login ?? other.login,
    notes: [
      ...one.notes,
      ...other.notes,
      ...(isSecondNetwork ? [`a second network, from ${other.name}`] : []),
    ],
  };
}

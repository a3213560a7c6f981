/**
 * The files of a config by settings: those that a setting is written to are read back, of all others the size and the
 * digest count. Comments of files that are read back mean nothing, and are not compared.
 */

import { isUtf8 } from 'node:buffer';
import { FormatError } from '../../core/errors.ts';
import type { File, NodeOwner, Resource } from '../../ignition/config.ts';
import { publicMode } from '../../ignition/dataFile.ts';
import { caPath, confPath } from '../files.ts';
import { hardwareManagerFolder } from '../hardwareManagers.ts';
import { keyfileFolder } from '../hostNetwork.ts';
import { listPullSecrets } from '../lint/pullSecret.ts';
import type { HostFile, LintSubject } from '../lint/subject.ts';
import type { SettingName } from '../settingTable.ts';
import { readConfEntries } from './conf.ts';
import { compareText, type Entry, say } from './entry.ts';
import {
  readCertificates,
  readHostname,
  readKeyfile,
  readPullSecret,
  type ReadText,
  readTimeServers,
} from './fileTexts.ts';
import { createRepeatReader } from './repeats.ts';
import { type ReadContents, readResourceEntries, readTransferEntries } from './resource.ts';

/** The folder whose certificates the host trusts, with its last slash. */
export const anchorFolder = caPath.slice(0, caPath.lastIndexOf('/') + 1);

/**
 * Ordered by path, as Ignition writes files in an order of its own. `ofAgent` is what the agent's unit says: files that
 * repeat it are not told twice.
 */
export function readFileEntries(
  subject: LintSubject,
  ofAgent: readonly Entry[],
  read: ReadContents,
): Entry[] {
  const kinds = findKinds(subject);
  const files = subject.files.toSorted((a, b) => compareText(a.name, b.name));
  const entries = files
    .filter(({ name }) => !repeatingKinds.has(name))
    .flatMap((file) => readFile(file, kinds.get(file.name) ?? findKind(file.name), read));
  const readerOf = createRepeatReader([...ofAgent, ...entries]);
  const repeating = files.flatMap((file) => {
    const kind = repeatingKinds.get(file.name);
    return kind === undefined ? [] : readFile(file, { ...kind, readText: readerOf(kind.setting) }, read);
  });
  return [...entries, ...repeating];
}

/** What a file is for. */
interface FileKind {
  /** Without, the row has the name of the file. */
  readonly setting?: SettingName;
  readonly readText?: ReadText;
}

function findKinds({ confs, ...subject }: LintSubject): ReadonlyMap<string, FileKind> {
  const main = confs.find(({ name }) => name === confPath) ?? confs[0];
  const confKinds = confs.map(({ name }): [string, FileKind] => {
    const prefix = name === main?.name ? '' : `${name}: `;
    return [name, { readText: (text) => readConfEntries(text, prefix) }];
  });
  const secretKinds = listPullSecrets({ confs, ...subject }).map(({ name }): [string, FileKind] => [
    name,
    { setting: 'agent.pullSecret', readText: readPullSecret },
  ]);
  return new Map([...confKinds, ...secretKinds]);
}

const folderKinds: readonly (readonly [folder: string, kind: FileKind])[] = [
  [`${keyfileFolder}/`, { setting: 'host.keyfiles', readText: readKeyfile }],
  [anchorFolder, { setting: 'ironic.caFiles', readText: readCertificates }],
  [`${hardwareManagerFolder}/`, { setting: 'agent.hardwareManagers' }],
  ['/etc/containers/registries.conf.d/', { setting: 'agent.registriesConf' }],
];

const fileKinds: ReadonlyMap<string, FileKind> = new Map<string, FileKind>([
  ['/etc/chrony.conf', { setting: 'host.ntpServers', readText: readTimeServers }],
  ['/etc/containers/registries.conf', { setting: 'agent.registriesConf' }],
  ['/etc/hostname', { setting: 'host.hostname', readText: readHostname }],
]);

/** Written for people and programs from what other parts of the config say. */
const repeatingKinds: ReadonlyMap<string, FileKind> = new Map<string, FileKind>([
  ['/etc/NetworkManager/dispatcher.d/01-hostname', { setting: 'host.hostname' }],
  ['/etc/issue.d/ipa.issue', {}],
  ['/etc/motd.d/ipa.motd', {}],
]);

function findKind(path: string): FileKind {
  const folder = folderKinds.find(([name]) => path.startsWith(name));
  return fileKinds.get(path) ?? folder?.[1] ?? {};
}

function readFile({ name, file }: HostFile, kind: FileKind, read: ReadContents): Entry[] {
  const setting = kind.setting ?? `file ${name}`;
  const place = { setting, start: kind.setting === undefined ? '' : `${name}: ` };
  const resources = listResources(file);
  const understood = readAll(name, resources, { kind, read });
  const contents = resources.flatMap(({ start, resource }) => {
    const part = { setting, start: place.start + start };
    return understood === undefined
      ? readResourceEntries(part, resource, read)
      : readTransferEntries(part, resource);
  });
  return [...(understood ?? []), say(setting, place.start + describeNode(file)), ...contents];
}

interface FilePart {
  readonly start: string;
  readonly resource: Resource;
}

function listResources({ contents, append = [] }: File): FilePart[] {
  return [
    ...(contents === undefined ? [] : [{ start: '', resource: contents }]),
    ...append.map((resource) => ({ start: 'appended: ', resource })),
  ];
}

interface Understanding {
  readonly kind: FileKind;
  readonly read: ReadContents;
}

/** What the file says about its setting, if all of it is there and can be read. */
function readAll(
  path: string,
  parts: readonly FilePart[],
  { kind: { readText }, read }: Understanding,
): Entry[] | undefined {
  if (readText === undefined) return undefined;
  // Go writes an object without a source where there are no contents.
  const sources = parts.filter(({ resource }) => resource.source !== undefined);
  const contents = sources.map(({ resource }) => read(resource));
  if (contents.includes(undefined)) return undefined;
  const bytes = Buffer.concat(contents.filter((part) => part !== undefined));
  if (bytes.length === 0 || !isUtf8(bytes)) return undefined;
  try {
    return readText(bytes.toString(), path);
  } catch (error) {
    if (error instanceof FormatError) return undefined;
    throw error;
  }
}

/** How Ignition writes the file. */
function describeNode({ append = [], contents, group, mode, overwrite = false, user }: File): string {
  const isNew = contents?.source !== undefined;
  // Only a file that Ignition writes anew gets a mode that nobody gave.
  const bits = mode ?? (isNew ? publicMode : undefined);
  const facts = [
    bits === undefined ? 'mode as it is' : `mode ${Number(bits).toString(8).padStart(4, '0')}`,
    ...(isNew ? [] : [append.length > 0 ? 'appended to' : 'no contents']),
    ...(isNew && append.length > 0 ? [`made of ${append.length + 1} parts`] : []),
    ...(overwrite ? ['replaces what is there'] : []),
    ...describeOwner('user', user),
    ...describeOwner('group', group),
  ];
  return facts.join(', ');
}

function describeOwner(what: string, { id, name }: NodeOwner = {}): string[] {
  const owner = [...(id === undefined ? [] : [String(id)]), ...(name === undefined ? [] : [name])];
  return owner.length === 0 ? [] : [`${what} ${owner.join(' ')}`];
}

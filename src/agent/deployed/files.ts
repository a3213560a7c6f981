/**
 * Reads the files of a config back into settings: files of a setting are parsed, all others are described by size and
 * digest. Comments in parsed files are not compared.
 */

import { isUtf8 } from 'node:buffer';
import { X509Certificate } from 'node:crypto';
import { ifWellFormed } from '../../core/errors.ts';
import { groupBy } from '../../core/lists.ts';
import type { File, NodeOwner, Resource } from '../../ignition/config.ts';
import { PUBLIC_MODE } from '../../ignition/dataFile.ts';
import { ANCHOR_FOLDER, CONF_PATH, HARDWARE_MANAGER_FOLDER, KEYFILE_FOLDER } from '../files.ts';
import { listPullSecrets } from '../lint/pullSecret.ts';
import { compareText, type LintedFile, type LintSubject } from '../lint/subject.ts';
import { type SettingName, settingTable } from '../settingTable.ts';
import {
  type Entry,
  type EntryPlace,
  fingerprint,
  type ReadContents,
  readResourceEntries,
  readTransferEntries,
  textEntry,
  hiddenEntry,
  unmaskedEntry,
} from './entries.ts';
import { formatCount } from '../../formats/messageText.ts';
import { normalizeSection, type OsloOption, parseOsloConfig } from '../../formats/osloConfig.ts';
import { parseOsloBoolean } from '../../ipa/confValues.ts';
import { findIpaOption } from '../../ipa/ipaOptions.ts';
import { isSecretName } from '../../core/masking.ts';
import { parseKeyfile } from '../../formats/keyfile.ts';
import { parseCaCertificates } from '../../formats/caCertificates.ts';
import { parsePullSecret } from '../pullSecret.ts';

/**
 * Ordered by path, because Ignition writes files in a different order. `ofAgent` are the entries of the agent's unit; files
 * that repeat them are not shown again.
 */
export function readFileEntries(
  subject: LintSubject,
  ofAgent: readonly Entry[],
  read: ReadContents,
): Entry[] {
  const { confs } = subject;
  const main = confs.find(({ name }) => name === CONF_PATH) ?? confs[0];
  const confKinds = confs.map(({ name }): [string, FileKind] => {
    const prefix = name === main?.name ? '' : `${name}: `;
    return [name, { readText: (text) => readConfEntries(text, prefix) }];
  });
  const secretKind: FileKind = { setting: 'agent.pullSecret', readText: readPullSecret };
  const kinds = new Map([
    ...confKinds,
    ...listPullSecrets(subject).map(({ name }) => [name, secretKind] as const),
  ]);
  const files = subject.files
    .toSorted((a, b) => compareText(a.name, b.name))
    .map((file) => ({ file, kind: kinds.get(file.name) ?? findKind(file.name) }));
  const entries = files.flatMap(({ file, kind }) => (kind.repeats ? [] : readFile(file, kind, read)));
  const readText = createRepeatReader([...ofAgent, ...entries]);
  const repeating = files.flatMap(({ file, kind }) =>
    kind.repeats ? readFile(file, { ...kind, readText }, read) : [],
  );
  return [...entries, ...repeating];
}

/** The type of a file. */
interface FileKind {
  readonly setting?: SettingName;
  readonly readText?: ReadText;
  /** This program generates the file from other parts of the config. */
  readonly repeats?: true;
}

/** Reads the text of the file at `path`; undefined, or FormatError, if only its digest can be compared. */
type ReadText = (text: string, path: string, row: EntryPlace) => Entry[] | undefined;

/** The kinds of files by path, or by folder with a slash at the end. */
const fileKinds: readonly (readonly [place: string, kind: FileKind])[] = [
  ['/etc/chrony.conf', { setting: 'host.ntpServers', readText: readTimeServers }],
  ['/etc/containers/registries.conf', { setting: 'agent.registriesConf' }],
  ['/etc/containers/registries.conf.d/', { setting: 'agent.registriesConf' }],
  ['/etc/hostname', { setting: 'host.hostname', readText: readHostnameFile }],
  [`${KEYFILE_FOLDER}/`, { setting: 'host.keyfiles', readText: readKeyfile }],
  [ANCHOR_FOLDER, { setting: 'ironic.caFiles', readText: readCertificates }],
  [`${HARDWARE_MANAGER_FOLDER}/`, { setting: 'agent.hardwareManagers' }],
  ['/etc/NetworkManager/dispatcher.d/01-hostname', { setting: 'host.hostname', repeats: true }],
  ['/etc/issue.d/ipa.issue', { repeats: true }],
  ['/etc/motd.d/ipa.motd', { repeats: true }],
];

function findKind(path: string): FileKind {
  const isAt = (place: string): boolean => (place.endsWith('/') ? path.startsWith(place) : path === place);
  return fileKinds.find(([place]) => isAt(place))?.[1] ?? {};
}

/** The row of a file has the name of the file if it belongs to no setting. */
function readFile({ name, file }: LintedFile, { setting, readText }: FileKind, read: ReadContents): Entry[] {
  const row =
    setting === undefined ? { setting: `file ${name}`, start: '' } : { setting, start: `${name}: ` };
  const resources = listResources(file);
  const text = readText && readWhole(resources, read);
  const understood =
    readText && text !== undefined ? ifWellFormed(() => readText(text, name, row)) : undefined;
  const contents = resources.flatMap(({ start, resource }) => {
    const part = { ...row, start: row.start + start };
    return understood === undefined
      ? readResourceEntries(part, resource, read)
      : readTransferEntries(part, resource);
  });
  return [...(understood ?? []), textEntry(row.setting, row.start + describeNode(file)), ...contents];
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

/** The text of a file; undefined if a part is unknown, or if it has no contents. */
function readWhole(parts: readonly FilePart[], read: ReadContents): string | undefined {
  // Go prints an object without a source if there are no contents.
  const sources = parts.filter(({ resource }) => resource.source !== undefined);
  const contents = sources.map(({ resource }) => read(resource));
  if (contents.includes(undefined)) return undefined;
  const bytes = Buffer.concat(contents.filter((part) => part !== undefined));
  return bytes.length === 0 || !isUtf8(bytes) ? undefined : bytes.toString();
}

/** How Ignition writes the file. */
function describeNode({ append = [], contents, group, mode, overwrite = false, user }: File): string {
  const isNew = contents?.source !== undefined;
  // Only a file that Ignition creates has a default mode.
  const bits = mode ?? (isNew ? PUBLIC_MODE : undefined);
  const facts = [
    bits === undefined ? 'mode unchanged' : `mode ${Number(bits).toString(8).padStart(4, '0')}`,
    ...(isNew ? [] : [append.length > 0 ? 'appended to' : 'no contents']),
    ...(isNew && append.length > 0 ? [`concatenated from ${append.length + 1} parts`] : []),
    ...(overwrite ? ['replaces an existing file'] : []),
    ...describeOwner('user', user),
    ...describeOwner('group', group),
  ];
  return facts.join(', ');
}

function describeOwner(what: string, { id, name }: NodeOwner = {}): string[] {
  const owner = [...(id === undefined ? [] : [String(id)]), ...(name === undefined ? [] : [name])];
  return owner.length === 0 ? [] : [`${what} ${owner.join(' ')}`];
}

/** The settings by the options of `[DEFAULT]` that they write; the first one if several settings write the option. */
const settingsByOption: ReadonlyMap<string, (typeof settingTable)[number]> = new Map(
  settingTable.toReversed().flatMap((setting) => (setting.options ?? []).map((option) => [option, setting])),
);

/** `prefix` is the prefix of options without a setting, to distinguish several files. */
function readConfEntries(text: string, prefix = ''): Entry[] {
  const { document, problems } = parseOsloConfig(text);
  const options = document.entries.filter((entry) => entry.kind === 'option');
  const entries = effectiveOptions(options).flatMap((option) => {
    const { name, section, value } = option;
    const isDefault = section === 'DEFAULT' && prefix === '';
    const setting = isDefault ? settingsByOption.get(name) : undefined;
    if (setting !== undefined) {
      // The only option of a switch or a list contains the value of the setting; any other is a part of its setting.
      const isOnly = setting.options?.length === 1;
      if (isOnly && setting.kind === 'switch') return [textEntry(setting.name, readSwitch(value))];
      if (isOnly && setting.kind === 'list')
        return value.split(',').map((item) => textEntry(setting.name, item.trim()));
      return [textEntry(setting.name, `${name} = ${value}`)];
    }
    const start = `${prefix}${sectionAndName(option)} = `;
    const known = findIpaOption(section, name)?.option;
    const isSecret = known === undefined ? isSecretName(name) : known.sensitive === true;
    return [
      isSecret ? hiddenEntry('agent.options', start, value) : textEntry('agent.options', start + value),
    ];
  });
  if (problems.length === 0) return entries;
  const broken = `${prefix}unreadable: ${formatCount(problems.length, 'line')} (${fingerprint(text)})`;
  return [...entries, textEntry('agent.options', broken, prefix + text)];
}

/** Of repeated known options, the last one counts. Ordered by name, because their order has no effect. */
function effectiveOptions(options: readonly OsloOption[]): OsloOption[] {
  const byName = [...groupBy(options, sectionAndName)].toSorted(([a], [b]) => compareText(a, b));
  return byName.flatMap(([, own]) => {
    const isKnown = own.some(({ section, name }) => findIpaOption(section, name) !== undefined);
    return own.slice(isKnown ? -1 : -1 - MOST_REPEATS);
  });
}

/** The name of an unknown option; no library reads it. */
const MOST_REPEATS = 100;

function sectionAndName({ section, name }: OsloOption): string {
  return `[${normalizeSection(section)}] ${name}`;
}

function readSwitch(value: string): string {
  const isOn = parseOsloBoolean(value);
  if (isOn === undefined) return value;
  return isOn ? 'yes' : 'no';
}

const repeated: ReadonlySet<string> = new Set([
  'ironic.apiUrls',
  'ironic.inspectionCallbackUrls',
  'agent.image',
  'host.hostname',
]);
/** Limits for banners; comparing a hostile one would take long. */
const MOST_VALUES = 20;
const LONGEST_TEXT = 64 * 1024;

/**
 * The reader of files that repeat settings: banners with the URL of Ironic, the script that sets the host name. They are
 * compared without the repeated values, which would otherwise appear again as a digest. `entries` are the repeated settings.
 */
function createRepeatReader(entries: readonly Entry[]): ReadText {
  const values = entries
    .filter(({ setting }) => repeated.has(setting))
    .slice(0, MOST_VALUES)
    .map(({ setting, meaning }) => [hostOf(meaning), `{${setting}}`] as const)
    .filter(([value]) => value !== '');
  // The first setting with this value: Ironic and its inspector often have the same host.
  const names = new Map(values.toReversed());
  // A host name may be a part of another.
  const longestFirst = [...names.keys()].toSorted((a, b) => b.length - a.length);
  const pattern = new RegExp(`(?<![\\w.-])(?:${longestFirst.map(escapePattern).join('|')})(?![\\w-])`, 'g');
  return (text, path, { setting, start }) => {
    if (names.size === 0 || text.length > LONGEST_TEXT) return undefined;
    const rest = text.replaceAll(pattern, (value) => names.get(value) ?? value);
    const shown = `${start}${formatCount(Buffer.byteLength(text), 'byte')}, ${fingerprint(text)}`;
    return [{ setting, text: shown, meaning: `${path} ${rest}`, whole: `${path} ${text}` }];
  };
}

/** The host of a URL, because ports are added to URLs that the files repeat as given. */
function hostOf(value: string): string {
  return value.includes('://') && URL.canParse(value) ? new URL(value).hostname : value;
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

/** All keys of a connection. The order of sections has no effect. */
function readKeyfile(text: string, path: string): Entry[] {
  const name = path.slice(KEYFILE_FOLDER.length + 1);
  const sections = parseKeyfile(text).toSorted((a, b) => compareText(a.name, b.name));
  return sections.flatMap((section) => {
    const start = `${name}: [${section.name}]`;
    if (section.entries.length === 0) return [textEntry('host.keyfiles', start)];
    return section.entries.map(({ key, value }) => {
      const isSecret =
        section.name === 'vpn-secrets' || isSecretName(key) || /(?:^|-)(?:wep-key\d|mka-cak)$/.test(key);
      return isSecret
        ? hiddenEntry('host.keyfiles', `${start} ${key}=`, value)
        : textEntry('host.keyfiles', `${start} ${key}=${value}`);
    });
  });
}

/** One entry for each certificate. */
function readCertificates(text: string): Entry[] {
  const { pem } = parseCaCertificates(text, new Date(0));
  const end = '-----END CERTIFICATE-----\n';
  const blocks = pem.split(end).slice(0, -1);
  return blocks.map((block) => {
    const { fingerprint256, subject, validTo } = new X509Certificate(block + end);
    const digest = fingerprint256.replaceAll(':', '').toLowerCase();
    const name = subject.replaceAll('\n', ', ');
    const shown = `${name}, sha256:${digest.slice(0, 12)}…, until ${validTo}`;
    return unmaskedEntry('ironic.caFiles', shown, digest);
  });
}

/** The registries with credentials, and a digest of the credentials; the format of the JSON has no effect. */
function readPullSecret(text: string): Entry[] {
  const secret: { readonly auths?: object } = JSON.parse(parsePullSecret(text));
  const canonical = JSON.stringify(secret);
  const names = Object.keys(secret.auths ?? {});
  const registries = names.length > MOST_NAMES ? [...names.slice(0, MOST_NAMES), '…'] : names;
  const shown = `${fingerprint(canonical)} (registries: ${registries.join(', ')})`;
  return [unmaskedEntry('agent.pullSecret', shown, canonical)];
}

/** The configured registries. */
const MOST_NAMES = 10;

/** The servers in the format of `--ntp-server`; other directives unchanged. */
function readTimeServers(text: string): Entry[] {
  const lines = text.split('\n').map((line) => line.trim());
  return lines
    .filter((line) => line !== '' && !/^[#!;%]/.test(line))
    .map((line) =>
      textEntry('host.ntpServers', /^server[ \t]+(\S+)[ \t]+iburst$/.exec(line)?.[1] ?? line, line),
    );
}

function readHostnameFile(text: string): Entry[] | undefined {
  const name = text.trim();
  return /^\S+$/.test(name) ? [textEntry('host.hostname', name)] : undefined;
}

/**
 * Reads any Ignition config that runs the agent back into settings. Parts without a setting are described by their type
 * and name. The description is complete: configs with different effects have different descriptions. Configs that
 * Ignition would fetch and merge are not included.
 */

import { createHash } from 'node:crypto';
import type { Config, IgnitionSection, PasswdUser, Proxy, Resource } from '../../ignition/config.ts';
import { groupBy, withoutThose } from '../../core/lists.ts';
import { compareText, type LintSubject, readSubject } from '../lint/subject.ts';
import { type SettingName, settingTable } from '../settingTable.ts';
import { type AgentUnit, readAgentUnit } from './agentUnit.ts';
import {
  createContentsReader,
  type Entry,
  fingerprint,
  type ReadContents,
  readResourceEntries,
  readUnitEntries,
  textEntry,
  unmaskedEntry,
} from './entries.ts';
import { readFileEntries } from './files.ts';
import { checkSshPublicKey, splitAuthorizedKeys } from '../../formats/sshKey.ts';
import { asMapping, isMapping } from '../../formats/mapping.ts';
import type { Members } from '../../ignition/decode.ts';

/** One row of a description. */
export interface DescribedSetting {
  /** The name of a setting, or a description of the part: `file /etc/motd`, `unit burn-in.service`. */
  readonly setting: string;
  /** At least one. Secrets are masked; control characters are not. */
  readonly values: readonly string[];
}

/** A difference between two configs. */
export interface SettingChange {
  readonly setting: string;
  /** Removed values; empty for a new setting. Secrets are masked. */
  readonly deployed: readonly string[];
  /** Added values. */
  readonly rendered: readonly string[];
}

/** The complete description of a config, in the order of the table of settings, then by name. */
export function describeConfig(config: Config): DescribedSetting[] {
  const groups = readGroups(config);
  return orderSettings(groups.keys()).map((setting) => ({
    setting,
    values: (groups.get(setting) ?? []).map(({ text }) => text),
  }));
}

/** The differences between two configs, in the same order; empty if both have the same effect. */
export function compareConfigs(deployed: Config, rendered: Config): SettingChange[] {
  const before = readGroups(deployed);
  const after = readGroups(rendered);
  const settings = orderSettings(new Set([...before.keys(), ...after.keys()]));
  return settings.flatMap((setting) =>
    compareSetting(setting, before.get(setting) ?? [], after.get(setting) ?? []),
  );
}

/** The entries of a config, grouped by setting. */
function readGroups(config: Config): ReadonlyMap<string, readonly Entry[]> {
  const { ignition = {}, passwd = {}, storage = {}, kernelArguments = {} } = config;
  const subject = readSubject(config);
  const read = createContentsReader();
  const agent = readAgent(subject);
  const entries = [
    ...readIgnition(ignition, read),
    ...readProxyEntries(agent?.proxy ?? new Map(), ignition.proxy),
    ...readPasswdEntries(passwd, read),
    ...readFileEntries(subject, agent?.entries ?? [], read),
    ...readStorageEntries(storage, read),
    ...(agent?.entries ?? []),
    ...subject.units.filter((unit) => unit !== agent?.unit).flatMap(readUnitEntries),
    ...(kernelArguments.shouldExist ?? []).map((text) => textEntry('kernel arguments', text)),
    ...(kernelArguments.shouldNotExist ?? []).map((text) => textEntry('kernel arguments', `without ${text}`)),
  ];
  return groupBy(entries, ({ setting }) => setting);
}

/** If several commands start an agent, none of them is read back into settings. */
function readAgent({ agentUnits, runs }: LintSubject): (AgentUnit & { readonly unit: object }) | undefined {
  const [unit] = agentUnits;
  const [run, ...others] = runs;
  if (run === undefined || unit === undefined || others.length > 0) return undefined;
  return { ...readAgentUnit(unit, run), unit };
}

function readIgnition(
  { proxy: _proxy, version = '', ...others }: IgnitionSection,
  read: ReadContents,
): Entry[] {
  const sections = Object.entries(others).flatMap(([name, members]) =>
    describe(`Ignition ${name}`, '', members, read),
  );
  return [textEntry('Ignition version', version), ...sections];
}

const places: ReadonlyMap<string, number> = new Map(settingTable.map(({ name }, index) => [name, index]));

function orderSettings(settings: Iterable<string>): string[] {
  return [...settings].toSorted((a, b) => placeOf(a) - placeOf(b) || compareText(a, b));
}

function placeOf(setting: string): number {
  return places.get(setting) ?? places.size;
}

function compareSetting(
  setting: string,
  before: readonly Entry[],
  after: readonly Entry[],
): readonly SettingChange[] {
  const isSame = before.length === after.length && before.every((entry, at) => meansSame(entry, after[at]));
  if (isSame) return [];
  const gone = subtract(before, after);
  const added = subtract(after, before);
  if (gone.length === 0 && added.length === 0) {
    return [{ setting, deployed: textsOf(before), rendered: textsOf(after) }]; // in another order
  }
  const seen = new Set(textsOf(gone));
  return [
    { setting, deployed: textsOf(gone), rendered: textsOf(added).map((text) => distinguish(text, seen)) },
  ];
}

function meansSame({ meaning, whole }: Entry, other: Entry | undefined): boolean {
  return meaning === other?.meaning || (whole !== undefined && whole === other?.whole);
}

/** Entries that the other list does not contain, or not as often. */
function subtract(entries: readonly Entry[], others: readonly Entry[]): Entry[] {
  const wholes = new Set(others.map(({ whole }) => whole));
  const missing = withoutThose(entries, others, ({ meaning }) => meaning);
  return missing.filter(({ whole }) => whole === undefined || !wholes.has(whole));
}

function textsOf(entries: readonly Entry[]): string[] {
  return entries.map(({ text }) => text);
}

/** Distinguishes two lines that look the same. */
function distinguish(text: string, seen: ReadonlySet<string>): string {
  return seen.has(text) ? `${text} (another)` : text;
}

/** `environment` contains the variables of the unit by name in capitals. An empty variable counts as missing. */
function readProxyEntries(
  environment: ReadonlyMap<string, string>,
  { httpProxy = '', httpsProxy = '', noProxy = [] }: Proxy = {},
): Entry[] {
  return [
    ...readBoth('proxy.http', listOf(environment.get('HTTP_PROXY')), listOf(httpProxy)),
    ...readBoth('proxy.https', listOf(environment.get('HTTPS_PROXY')), listOf(httpsProxy)),
    ...readBoth('proxy.none', (environment.get('NO_PROXY') ?? '').split(',').flatMap(listOf), noProxy),
  ];
}

function listOf(text = ''): string[] {
  return text === '' ? [] : [text];
}

/** One entry if both values are the same, as in the settings. */
function readBoth(setting: SettingName, unit: readonly string[], ignition: readonly string[]): Entry[] {
  const isSame = unit.length === ignition.length && unit.every((text, index) => text === ignition[index]);
  if (isSame) return unit.map((text) => textEntry(setting, text));
  return [
    ...unit.map((text) => textEntry(setting, `${text} (agent)`)),
    ...ignition.map((text) => textEntry(setting, `${text} (Ignition)`)),
  ];
}

/** Logins: settings for the user `core`, and descriptions of all other users. */
function readPasswdEntries(
  { users = [], groups = [] }: NonNullable<Config['passwd']>,
  read: ReadContents,
): Entry[] {
  return [
    ...users.flatMap((user) => readUser(user, read)),
    ...groups.flatMap((group) => readItem(`group ${group.name ?? ''}`, { ...group }, read)),
  ];
}

function readUser(user: PasswdUser, read: ReadContents): Entry[] {
  const { name = '', passwordHash, sshAuthorizedKeys = [], ...others } = user;
  const isCore = name === 'core';
  const setting = `user ${name}`;
  const keys = [...new Set(sshAuthorizedKeys.flatMap(splitAuthorizedKeys))];
  const entries = [
    ...keys
      .map((key) => sshKeyEntry(isCore ? 'host.sshKeys' : setting, key))
      .toSorted((a, b) => compareText(a.text, b.text)),
    ...(passwordHash === undefined
      ? []
      : [passwordHashEntry(isCore ? 'host.passwordHash' : setting, passwordHash)]),
  ];
  const isNamedAlone = Object.values(others).every((value) => value === undefined);
  // Without other entries, Ignition would still create the user.
  return isNamedAlone && entries.length > 0 ? entries : [...entries, ...readItem(setting, others, read)];
}

/** Type, fingerprint in the format of `ssh-keygen -l`, and comment. */
function sshKeyEntry(setting: string, line: string): Entry {
  const check = checkSshPublicKey(line);
  if (!check.ok) return textEntry(setting, `unreadable SSH key, ${fingerprint(line)}`, line);
  const { comment, options, type } = check.key;
  const [, body = ''] = line.slice(line.indexOf(type, options?.length ?? 0)).split(/[ \t]+/);
  const digest = createHash('sha256').update(Buffer.from(body, 'base64')).digest('base64').replace(/=+$/, '');
  const words = [type, `SHA256:${digest}`, comment, ...(options === undefined ? [] : [`(${options})`])];
  return unmaskedEntry(setting, words.filter((word) => word !== '').join(' '), line);
}

/** The hash method and the start of a digest of the hash. */
function passwordHashEntry(setting: string, hash: string): Entry {
  if (hash === '') return textEntry(setting, 'no password', hash);
  const method = /^\$([A-Za-z0-9]{1,10})\$/.exec(hash)?.[1];
  const how = method === undefined ? 'hash' : `hash $${method}$`;
  return textEntry(setting, `${how}, ${fingerprint(hash)}`, hash);
}

type Storage = NonNullable<Config['storage']>;

/** All lists of `storage` except its files. */
function readStorageEntries({ files: _files, ...others }: Storage, read: ReadContents): Entry[] {
  return Object.entries(others).flatMap(([list, items]: readonly [string, unknown]) => {
    if (!Array.isArray(items)) return [];
    return items.flatMap((item: unknown) => {
      const members = asMapping(item);
      return readItem(`${itemNames.get(list) ?? list} ${itemName(members)}`, members, read);
    });
  });
}

const itemNames: ReadonlyMap<string, string> = new Map([
  ['directories', 'directory'],
  ['disks', 'disk'],
  ['filesystems', 'filesystem'],
  ['links', 'link'],
]);

function itemName({ path, device, name }: Members): string {
  const given = [path, device, name].find((value) => typeof value === 'string' && value !== '');
  return typeof given === 'string' ? given : '(without a name)';
}

/** The members of a list item; one entry even if it has no members. */
function readItem(setting: string, members: Members, read: ReadContents): Entry[] {
  const entries = describe(setting, '', members, read);
  return entries.length === 0 ? [textEntry(setting, 'nothing else')] : entries;
}

/** All non-empty members of an object, or a value in it. A config is as deep as its type, so recursion is bounded. */
function describe(setting: string, name: string, value: unknown, read: ReadContents): Entry[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, index) =>
      describe(setting, join(name, String(index + 1)), item, read),
    );
  }
  if (!isMapping(value)) return [valueEntry(setting, name, value)];
  if (isResource(value)) {
    return readResourceEntries({ setting, start: name === '' ? '' : `${name} ` }, value, read);
  }
  return Object.entries(value).flatMap(([member, inner]) =>
    describe(setting, join(name, member), inner, read),
  );
}

function join(name: string, member: string): string {
  return name === '' ? member : `${name}.${member}`;
}

function isResource(value: Members): value is Members & Resource {
  return ['source', 'compression', 'httpHeaders', 'verification'].some((name) => Object.hasOwn(value, name));
}

function valueEntry(setting: string, name: string, value: unknown): Entry {
  const text = String(value);
  // Password hashes are not shown, because readers of the output could attack them offline.
  if (name.endsWith('passwordHash'))
    return textEntry(setting, `${name} ${fingerprint(text)}`, `${name} ${text}`);
  return textEntry(setting, name === '' ? text : `${name} = ${text}`);
}

/**
 * Reads any Ignition config that runs the agent back into settings. Parts without a setting are described by their type
 * and name. The description is complete: configs with different effects have different descriptions. Configs that
 * Ignition would fetch and merge are not included.
 */

import { createHash } from 'node:crypto';
import type { Config, IgnitionSection, PasswdUser, Proxy, Resource } from '../../ignition/config.ts';
import { groupBy, withoutThose } from '../../core/lists.ts';
import {
  compareText,
  effectiveSettings,
  type LintedUnit,
  type LintSubject,
  readSubject,
  type UnitCommand,
  type UnitSetting,
} from '../lint/subject.ts';
import { type SettingName, settingTable } from '../settingTable.ts';
import {
  createContentsReader,
  type Entry,
  fingerprint,
  hiddenEntry,
  lineEntry,
  type ReadContents,
  readResourceEntries,
  readState,
  readUnitEntries,
  textEntry,
  unmaskedEntry,
} from './entries.ts';
import { readFileEntries } from './files.ts';
import { checkSshPublicKey, splitAuthorizedKeys } from '../../formats/sshKey.ts';
import { asMapping, isMapping } from '../../formats/mapping.ts';
import type { Members } from '../../ignition/decode.ts';
import { ifWellFormed } from '../../core/errors.ts';
import { cutText } from '../../formats/goText.ts';
import { type ExecWord, splitEnvironmentLine, splitExecLine } from '../../formats/systemdQuoting.ts';
import { ANCHOR_FOLDER, HARDWARE_MANAGER_FOLDER } from '../files.ts';
import { optionTable, type PodmanCommand, type PodmanOption } from '../lint/podmanCommand.ts';
import { isSecretName } from '../../core/masking.ts';

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
  const isSame =
    before.length === after.length &&
    before.every((entry, at) => {
      const other = after[at];
      return entry.meaning === other?.meaning || (entry.whole !== undefined && entry.whole === other?.whole);
    });
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

// Reads the unit that starts the agent's container back into settings: its environment and the podman commands are
// parsed, all other lines are reported unchanged.

interface AgentUnit {
  readonly entries: readonly Entry[];
  /** The proxy variables of the unit, by name in capitals. */
  readonly proxy: ReadonlyMap<string, string>;
}

/** Reads the unit with the command `run`, the only one that starts the agent. */
function readAgentUnit({ name, unit, settings, pulls }: LintedUnit, run: UnitCommand): AgentUnit {
  const setting = `unit ${name}`;
  const pull = pulls.length === 1 ? pulls[0] : undefined;
  const understood = [run, ...(pull === undefined ? [] : [pull])].filter(isUnderstood);
  const environment = readEnvironment(setting, settings);
  const lines = settings.flatMap((line) => {
    const command = understood.find((known) => known.setting === line);
    if (command !== undefined) return commandEntries(setting, command);
    if (line.name === 'Environment' && environment !== undefined) return [];
    return [lineEntry(setting, line)];
  });
  const understoodPull = understood.find((command) => command === pull)?.podman;
  const podman = understood.includes(run) ? readPodmanEntries(run.podman, understoodPull) : [];
  return {
    entries: [...podman, ...readState(setting, unit), ...(environment?.entries ?? []), ...lines],
    proxy: environment?.proxy ?? new Map(),
  };
}

/** Whether the line consists of one command that could be parsed completely. */
function isUnderstood({ podman, setting }: UnitCommand): boolean {
  return podman.isSure && splitExecLine(setting.value).length === 1;
}

/** The start of the command; the whole line if escaped and unescaped specifiers can no longer be distinguished. */
function commandEntries(setting: string, { podman, setting: line }: UnitCommand): Entry[] {
  const [words = []] = splitExecLine(line.value);
  const [program] = words;
  const isAmbiguous = words.some(({ expands }) => expands) && /%%|\$\$/.test(line.value);
  if (isAmbiguous || program?.expands === true) return [lineEntry(setting, line)];
  return [textEntry(setting, `[${line.section}] ${line.name}=${program?.text} ${podman.verb} …`)];
}

const proxyNames = new Set(['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY']);

/** Undefined if a line cannot be parsed. */
function readEnvironment(setting: string, settings: readonly UnitSetting[]): AgentUnit | undefined {
  const assignments = effectiveSettings(settings, 'Environment');
  const words = ifWellFormed(() => assignments.flatMap(({ value }) => splitEnvironmentLine(value)));
  if (words === undefined) return undefined;
  const variables = new Map(words.map((word) => [cutText(word.text, '=')[0], word]));
  const proxy = new Map<string, string>();
  const entries: Entry[] = [];
  for (const [name, word] of [...variables].toSorted(([a], [b]) => compareText(a, b))) {
    if (proxyNames.has(name) && !word.expands) proxy.set(name, cutText(word.text, '=')[1]);
    else entries.push(variableEntry(setting, word, 'Environment='));
  }
  return { entries, proxy };
}

/** `pull` is the command that pulls the image first, if any. */
function readPodmanEntries(run: PodmanCommand, pull?: PodmanCommand): Entry[] {
  return [
    ...readImages(run, pull),
    readPullPolicy(run, pull),
    ...run.options.flatMap((option) => readRunOption(option, pull === undefined ? '' : 'podman run ')),
    ...(pull?.options ?? []).map((option) => {
      const { name, value } = option;
      const shared = value === undefined ? undefined : sharedSetting(name, value);
      return shared === undefined
        ? optionEntry('agent.podman.pullArgs', option)
        : optionEntry(shared, option);
    }),
    ...run.operands.slice(1).map((word) => wordEntry('command of the container', word)),
  ];
}

function readImages({ operands }: PodmanCommand, pull?: PodmanCommand): Entry[] {
  const [image] = operands;
  if (image === undefined) return [textEntry('agent.image', 'none')];
  const pulled = pull?.operands ?? [];
  const [first] = pulled;
  if (pulled.length === 0 || (pulled.length === 1 && first?.text === image.text)) {
    return [wordEntry('agent.image', image)];
  }
  return [
    ...pulled.map((word) => wordEntry('agent.image', word)),
    textEntry('agent.image', `run as ${image.text}`),
  ];
}

/** The value of the setting: an image that is pulled first and then never again has the policy `always`. */
function readPullPolicy({ options }: PodmanCommand, pull?: PodmanCommand): Entry {
  const given = options.findLast(({ name }) => name === 'pull');
  const policy = given === undefined ? 'missing' : (given.value?.text ?? 'always');
  const setting = 'agent.pullPolicy' satisfies SettingName;
  if (pull === undefined) return textEntry(setting, policy);
  return textEntry(setting, policy === 'never' ? 'always' : `always, and ${policy} when it starts`);
}

/** `start` is the prefix of registry options; empty if this command pulls the image. */
function readRunOption(option: PodmanOption, start: string): Entry[] {
  // A short option such as `-e` is treated like its long name.
  const name = optionTable('run')?.options.get(option.name)?.name ?? option.name;
  const { value } = option;
  if (value === undefined) return [optionEntry('agent.podman.args', option)];
  if (name === 'pull') return []; // shown as the pull policy
  if (name === 'mount' || name === 'volume') return [readMount(name, value)];
  if (name === 'env') return readVariable(value);
  const shared = sharedSetting(name, value);
  if (shared !== undefined) return [optionEntry(shared, option, start)];
  const isDebug = name === 'log-driver' && value.text === 'journald';
  return [optionEntry(isDebug ? 'agent.debug' : 'agent.podman.args', option)];
}

/** Registry settings that both commands have. */
function sharedSetting(name: string, { text }: ExecWord): SettingName | undefined {
  if (name === 'authfile') return 'agent.pullSecret';
  return name === 'tls-verify' && /^(?:0|f|false)$/i.test(text) ? 'agent.insecureRegistry' : undefined;
}

function readMount(kind: string, word: ExecWord): Entry {
  const { text } = word;
  const source = /(?:^|,)(?:src|source)=([^,]*)/.exec(text)?.[1] ?? text;
  const shown = kind === 'mount' ? '' : `${kind} `;
  if (source.startsWith(ANCHOR_FOLDER)) return wordEntry('ironic.caFiles', word, 'mount ');
  if (`${source}/`.startsWith(`${HARDWARE_MANAGER_FOLDER}/`))
    return wordEntry('agent.hardwareManagers', word, 'mount ');
  return wordEntry('agent.podman.mounts', word, shown);
}

/** Variables of the agent that correspond to a setting; empty ones have no effect. */
const variableSettings: ReadonlyMap<string, SettingName> = new Map([
  ['IPA_COREOS_IP_OPTIONS', 'host.installIpOptions'],
  ['IPA_COREOS_COPY_NETWORK', 'host.copyNetwork'],
  ['IPA_DEFAULT_HOSTNAME', 'host.hostname'],
]);

function readVariable(word: ExecWord): Entry[] {
  const [name, value] = cutText(word.text, '=');
  const setting = variableSettings.get(name);
  if (setting !== undefined) return value === '' ? [] : [wordEntry(setting, { ...word, text: value })];
  const isModulePath = name === 'PYTHONPATH';
  return [variableEntry(isModulePath ? 'agent.hardwareManagers' : 'agent.podman.environment', word)];
}

function optionEntry(setting: SettingName, { name, value }: PodmanOption, start = ''): Entry {
  const dashes = name.length === 1 ? '-' : '--';
  if (value === undefined) return textEntry(setting, `${start}${dashes}${name}`);
  const assignment = `${start}${dashes}${name}${name.length === 1 ? ' ' : '='}`;
  if (isSecretName(name) && name !== 'secret') return hiddenEntry(setting, assignment, value.text);
  return wordEntry(setting, value, assignment);
}

/** The word with the prefix `start`. A word that systemd expands differs from the same text without expansion. */
function wordEntry(setting: string, { text, expands }: ExecWord, start = ''): Entry {
  const whole = start + text;
  return textEntry(setting, whole, expands ? `${whole} (expands)` : whole);
}

/** `NAME=value`; the value is hidden if the name is like that of a secret. */
function variableEntry(setting: string, word: ExecWord, start = ''): Entry {
  const [name, value] = cutText(word.text, '=');
  const isSecret = value !== '' && isSecretName(name);
  return isSecret ? hiddenEntry(setting, `${start}${name}=`, value) : wordEntry(setting, word, start);
}

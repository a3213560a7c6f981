/**
 * Any Ignition config that runs the agent, read back into settings: those of the table of settings where the config says
 * what they would, and everything else by what it is. Nothing is left out, so two configs that do different things are
 * described differently. Left out: what another config that is merged in would say, as nothing is fetched.
 */

import type { Config, IgnitionSection } from '../../ignition/config.ts';
import { type LintSubject, readSubject } from '../lint/subject.ts';
import { settingTable } from '../settingTable.ts';
import { type AgentUnit, readAgentUnit } from './agentUnit.ts';
import { compareText, type Entry, say } from './entry.ts';
import { readFileEntries } from './files.ts';
import { readMembers, readStorageEntries } from './members.ts';
import { readProxyEntries } from './proxy.ts';
import { createContentsReader, type ReadContents } from './resource.ts';
import { readUnitEntries } from './units.ts';
import { readPasswdEntries } from './users.ts';

/** One row of a description. */
export interface DescribedSetting {
  /** A name of the table of settings, or what it is otherwise: `file /etc/motd`, `unit burn-in.service`. */
  readonly setting: string;
  /** At least one. Secrets are masked; control characters are not. */
  readonly values: readonly string[];
}

/** What a change of the config would change. */
export interface SettingChange {
  readonly setting: string;
  /** Only values that go away; none for what is new. Secrets are masked. */
  readonly deployed: readonly string[];
  /** Only values that are new. */
  readonly rendered: readonly string[];
}

/** Everything that a config says, in the order of the table of settings, then by name. */
export function describeConfig(config: Config): DescribedSetting[] {
  const groups = groupEntries(readEntries(config));
  return orderSettings(groups.keys()).map((setting) => ({
    setting,
    values: (groups.get(setting) ?? []).map(({ text }) => text),
  }));
}

/** What is not the same in two configs, in the same order; nothing if they do the same. */
export function compareConfigs(deployed: Config, rendered: Config): SettingChange[] {
  const before = groupEntries(readEntries(deployed));
  const after = groupEntries(readEntries(rendered));
  const settings = orderSettings(new Set([...before.keys(), ...after.keys()]));
  return settings.flatMap((setting) =>
    compareSetting(setting, before.get(setting) ?? [], after.get(setting) ?? []),
  );
}

function readEntries(config: Config): Entry[] {
  const { ignition = {}, passwd = {}, storage = {}, kernelArguments = {} } = config;
  const subject = readSubject(config);
  const read = createContentsReader();
  const agent = readAgent(subject);
  return [
    ...readIgnition(ignition, read),
    ...readProxyEntries(agent?.proxy ?? new Map(), ignition.proxy),
    ...readPasswdEntries(passwd, read),
    ...readFileEntries(subject, agent?.entries ?? [], read),
    ...readStorageEntries(storage, read),
    ...(agent?.entries ?? []),
    ...subject.units.filter((unit) => unit !== agent?.unit).flatMap(readUnitEntries),
    ...(kernelArguments.shouldExist ?? []).map((text) => say('kernel arguments', text)),
    ...(kernelArguments.shouldNotExist ?? []).map((text) => say('kernel arguments', `without ${text}`)),
  ];
}

/** Of several commands that start an agent, none is the one that the settings are about. */
function readAgent({ runs, units }: LintSubject): (AgentUnit & { readonly unit: object }) | undefined {
  const [run, ...others] = runs;
  const unit = units.find(({ commands }) => run !== undefined && commands.includes(run));
  if (run === undefined || unit === undefined || others.length > 0) return undefined;
  return { ...readAgentUnit(unit, run), unit };
}

function readIgnition(
  { proxy: _proxy, version = '', ...others }: IgnitionSection,
  read: ReadContents,
): Entry[] {
  const sections = Object.entries(others).flatMap(([name, members]) => {
    return members === undefined ? [] : readMembers(`Ignition ${name}`, { ...members }, read);
  });
  return [say('Ignition version', version), ...sections];
}

type Groups = ReadonlyMap<string, readonly Entry[]>;

function groupEntries(entries: readonly Entry[]): Groups {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const group = groups.get(entry.setting);
    if (group === undefined) groups.set(entry.setting, [entry]);
    else group.push(entry);
  }
  return groups;
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

/** Entries that the others do not have, or not as often. */
function subtract(entries: readonly Entry[], others: readonly Entry[]): Entry[] {
  const counts = new Map<string, number>();
  for (const { meaning } of others) counts.set(meaning, (counts.get(meaning) ?? 0) + 1);
  const wholes = new Set(others.map(({ whole }) => whole));
  return entries.filter(({ meaning, whole }) => {
    const count = counts.get(meaning) ?? 0;
    counts.set(meaning, count - 1);
    return count <= 0 && (whole === undefined || !wholes.has(whole));
  });
}

function textsOf(entries: readonly Entry[]): string[] {
  return entries.map(({ text }) => text);
}

/** Two lines that look the same would leave the reader wondering. */
function distinguish(text: string, seen: ReadonlySet<string>): string {
  return seen.has(text) ? `${text} (another)` : text;
}

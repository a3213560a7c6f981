/**
 * A keyfile with the values that NetworkManager reads from it: of keys with invalid values, it uses the defaults. Source: the
 * functions `nm_keyfile_read` of libnm and `g_key_file_get_*` of GLib.
 */

import { quoteText } from '../../core/foreignText.ts';
import { groupBy } from '../../core/lists.ts';
import type { Problem } from '../../core/finding.ts';
import type { KeyfileSection, ParsedEntry } from '../../formats/keyfile.ts';
import { INTERNAL_PROPERTY, sectionName, settingInfo, settingName } from './settings.ts';

export interface KeyfileProblem extends Problem {
  /** `error`: NetworkManager ignores the keyfile. `warning`: it ignores a part of it. */
  readonly severity: 'error' | 'warning';
  /** The line of the keyfile; counts from 1. Undefined for what is missing. */
  readonly line: number | undefined;
  /** The name of the setting, which may differ from that of the section: `802-3-ethernet` for `ethernet`. */
  readonly setting?: string | undefined;
  readonly key?: string | undefined;
}

type Value = boolean | number | string | readonly string[];

export interface ProfileSetting {
  /** `802-3-ethernet` for `[ethernet]`. */
  readonly name: string;
  /** The entries of the file; of equal keys the last one. */
  readonly entries: ReadonlyMap<string, ParsedEntry>;
  /** The valid values of properties. */
  readonly values: Map<string, Value>;
}

export interface Profile {
  readonly settings: Map<string, ProfileSetting>;
  readonly problems: KeyfileProblem[];
}

/** Reads the values of all settings, and reports those that NetworkManager ignores. */
export function readProfile(sections: readonly KeyfileSection<ParsedEntry>[]): Profile {
  const profile: Profile = { settings: new Map(), problems: [] };
  for (const [name, same] of groupBy(sections, (section) => settingName(section.name))) {
    // A key of the setting's own name precedes that of an alias.
    const ordered = same.toSorted((a, b) => Number(a.name === name) - Number(b.name === name));
    const entries = new Map(ordered.flatMap((section) => section.entries.map((entry) => [entry.key, entry])));
    profile.settings.set(name, { name, entries, values: new Map() });
  }
  for (const setting of profile.settings.values()) readValues(setting, profile);
  return profile;
}

function readValues(setting: ProfileSetting, profile: Profile): void {
  const { entries, name, values } = setting;
  const { properties = {} } = settingInfo(name) ?? {};
  for (const [key, { value }] of entries) {
    const type = Object.hasOwn(properties, key) ? properties[key] : undefined;
    // These have a syntax of their own, and the setting bond has options instead of properties.
    if (type === undefined || type === 'other' || type === 'bytes' || key === INTERNAL_PROPERTY) continue;
    const [kind = '', ...range] = type.split(' ');
    const read = readValue(value, kind, range);
    if (typeof read === 'object' && 'problem' in read) {
      ignore(profile, setting, key, read.problem, read.hint);
    } else values.set(key, read);
  }
}

/** A value that NetworkManager ignores. */
interface Invalid {
  readonly problem: string;
  readonly hint: string;
}

function readValue(value: string, kind: string, range: readonly string[]): Value | Invalid {
  if (kind === 'string') return hasInvalidEscape(value) ? invalidEscape : unescapeValue(value);
  if (kind === 'list') return readList(value);
  if (kind === 'boolean') {
    const word = value.replace(/[ \t\n\v\f\r]+$/, '');
    if (word === 'true' || word === '1') return true;
    if (word === 'false' || word === '0') return false;
    return { problem: `${quoteText(value)} is not true or false`, hint: 'use true or false' };
  }
  if (kind === 'decimal') {
    if (/^[+-]?\d+$/.test(value)) return Number(value);
    return { problem: `${quoteText(value)} is not a decimal number`, hint: 'use a decimal number' };
  }
  const number = parseKeyfileInteger(value);
  if (number === undefined) {
    return { problem: `${quoteText(value)} is not an integer`, hint: `use ${describeRange(kind, range)}` };
  }
  if (isInRange(number, kind, range)) return Number(number);
  const problem = `${number} is not ${describeRange(kind, range)}`;
  return { problem, hint: `use ${describeRange(kind, range)}` };
}

const invalidEscape: Invalid = {
  problem: 'the value has a backslash that does not begin an escape sequence',
  hint: String.raw`write a backslash as \\`,
};

function isInRange(number: bigint, kind: string, range: readonly string[]): boolean {
  if (kind === 'enum') return range.includes(String(number));
  if (kind === 'flags') return (number & ~BigInt(range[0] ?? 0)) === 0n && number >= 0n;
  const [least, most] = range.length > 0 ? range : (defaultRanges[kind] ?? []);
  return least === undefined || most === undefined || (number >= BigInt(least) && number <= BigInt(most));
}

/** Of newer properties, the range is not known. */
const defaultRanges: Readonly<Record<string, readonly [string, string]>> = {
  int: [String(-(2 ** 31)), String(2 ** 31 - 1)],
  uint: ['0', String(2 ** 32 - 1)],
};

function describeRange(kind: string, range: readonly string[]): string {
  if (kind === 'enum') return `one of ${range.join(', ')}`;
  if (kind === 'flags') return 'a sum of known flags';
  const [least, most] = range.length > 0 ? range : (defaultRanges[kind] ?? []);
  return least === undefined ? 'an integer' : `an integer from ${least} to ${most}`;
}

/** Decimal, `0x…`, or octal with a leading zero, as strtoll(3) with the base 0. */
export function parseKeyfileInteger(text: string): bigint | undefined {
  const [, sign = '', digits = ''] =
    /^[ \t\n\v\f\r]*([+-]?)(0[xX][\da-fA-F]+|0[0-7]*|[1-9]\d*)[ \t\n\v\f\r]*$/.exec(text) ?? [];
  if (digits === '') return undefined;
  const magnitude = BigInt(/^0\d/.test(digits) ? `0o${digits.slice(1)}` : digits);
  return sign === '-' ? -magnitude : magnitude;
}

function hasInvalidEscape(value: string): boolean {
  return !/^(?:[^\\]|\\[sntr\\])*$/.test(value);
}

/** `\s`, `\n`, `\t`, `\r` and `\\`; GLib keeps other escape sequences as they are, and drops a backslash at the end. */
export function unescapeValue(value: string): string {
  return value.replaceAll(/\\(.?)/gs, (both, letter: string) =>
    letter === '' ? '' : (escapes[letter] ?? both),
  );
}

const escapes: Readonly<Record<string, string>> = { s: ' ', n: '\n', t: '\t', r: '\r', '\\': '\\' };

/** Items that end in semicolons; none if an escape sequence is invalid. */
export function readList(value: string): readonly string[] {
  const items = Array.from(value.matchAll(/((?:[^\\;]|\\.)*)(?:;|$)/gs), ([, item = '']) => item);
  // What follows the last semicolon is an item only if there is something.
  if (items.at(-1) === '') items.pop();
  const list = items.map((item) => item.replaceAll(String.raw`\;`, ';'));
  return list.some((item) => hasInvalidEscape(item)) ? [] : list.map((item) => unescapeValue(item));
}

/** Reports a key or an item of its value that NetworkManager ignores. */
export function ignore(
  { problems }: Profile,
  setting: ProfileSetting,
  key: string,
  problem: string,
  hint: string,
): void {
  const place = `${key} in [${sectionName(setting.name)}]`;
  const line = setting.entries.get(key)?.line;
  const message = `NetworkManager ignores ${place}: ${problem}`;
  problems.push({ severity: 'warning', message, hint, line, setting: setting.name, key });
}

/** Reports a value with which NetworkManager ignores the whole keyfile. */
export function reject(
  { problems, settings }: Profile,
  [setting, key]: readonly [setting: string, key: string],
  problem: string,
  hint: string,
): void {
  const line = settings.get(setting)?.entries.get(key)?.line;
  const message = `NetworkManager ignores the keyfile: ${key} in [${sectionName(setting)}]: ${problem}`;
  problems.push({ severity: 'error', message, hint, line, setting, key });
}

// Values by the names of settings and properties.

export function settingText({ settings }: Profile, setting: string, key: string): string | undefined {
  const value = settings.get(setting)?.values.get(key);
  return typeof value === 'string' ? value : undefined;
}

export function settingNumber({ settings }: Profile, setting: string, key: string): number | undefined {
  const value = settings.get(setting)?.values.get(key);
  return typeof value === 'number' ? value : undefined;
}

export function settingFlag({ settings }: Profile, setting: string, key: string): boolean | undefined {
  const value = settings.get(setting)?.values.get(key);
  return typeof value === 'boolean' ? value : undefined;
}

export function settingList({ settings }: Profile, setting: string, key: string): readonly string[] {
  const value = settings.get(setting)?.values.get(key);
  return Array.isArray(value) ? value : [];
}

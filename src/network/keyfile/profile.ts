/**
 * A keyfile with the values that NetworkManager reads from it: of keys with invalid values, it uses the defaults. Source: the
 * functions `nm_keyfile_read` of libnm and `g_key_file_get_*` of GLib.
 */

import { quoteText } from '../../core/foreignText.ts';
import type { Problem } from '../../core/finding.ts';
import type { KeyfileSection, ParsedEntry } from '../../formats/keyfile.ts';
import type { ConnectionEntry } from '../connection.ts';
import { INTERNAL_PROPERTY, sectionInfo, sectionName } from './settings.ts';

export interface KeyfileProblem extends Problem {
  /** `error`: NetworkManager ignores the keyfile. `warning`: it ignores a part of it. */
  readonly severity: 'error' | 'warning';
  /** The line of the keyfile; counts from 1. Undefined for what is missing. */
  readonly line: number | undefined;
  /** The section as users know it: `ethernet` also for `802-3-ethernet`. */
  readonly section?: string | undefined;
  readonly key?: string | undefined;
}

/** `SECTION.KEY`, with the section as users know it: `ipv4.method`, `ethernet.mtu`. */
export type ProfileKey = `${string}.${string}`;

export interface Profile {
  readonly sections: ReadonlySet<string>;
  /**
   * Of equal keys the last one; a key of the section `802-3-ethernet` precedes that of `ethernet`. Keys that have a newer name are
   * under it, which precedes.
   */
  readonly entries: ReadonlyMap<ProfileKey, ConnectionEntry>;
  /** The valid values of properties, and the options of bonds: `true` also for `1`, numbers in decimal, lists as they are written. */
  readonly values: Map<ProfileKey, string>;
  readonly problems: KeyfileProblem[];
}

/** Reads the values of all sections, and reports those that NetworkManager ignores. */
export function readProfile(parsed: readonly KeyfileSection<ParsedEntry>[]): Profile {
  const sections = new Set<string>();
  const entries = new Map<ProfileKey, ConnectionEntry>();
  for (const { entries: own, name } of parsed.toSorted(
    (a, b) => Number(hasOtherName(a)) - Number(hasOtherName(b)),
  )) {
    const section = sectionName(name);
    sections.add(section);
    for (const entry of own) {
      const written: ProfileKey = `${section}.${entry.key}`;
      const place = newerKeys.get(written) ?? written;
      const known = entries.get(place);
      const isReplaced = place !== written && known !== undefined && known.key !== entry.key;
      if (!isReplaced) entries.set(place, { ...entry, section });
    }
  }
  const profile: Profile = { sections, entries, values: new Map(), problems: [] };
  for (const [place, { key, section, value }] of entries) {
    const properties = sectionInfo(section)?.properties ?? {};
    const own = Object.hasOwn(properties, key) ? properties[key] : undefined;
    const type = section === 'bond' && own === undefined ? 'other' : own;
    if (type === undefined || key === INTERNAL_PROPERTY) continue;
    const [kind = '', ...range] = type.split(' ');
    const read = readValue(value, kind, range);
    if (typeof read === 'object') addProblem(profile, place, 'ignores', read);
    else profile.values.set(place, read);
  }
  return profile;
}

const newerKeys: ReadonlyMap<ProfileKey, ProfileKey> = new Map([
  ['connection.master', 'connection.controller'],
  ['connection.slave-type', 'connection.port-type'],
]);

function hasOtherName({ name }: KeyfileSection): boolean {
  return sectionName(name) !== name;
}

/**
 * Adds the problem of a key. With the effect `ignores`, NetworkManager uses its default; with `rejects`, it ignores the whole
 * keyfile.
 */
export function addProblem(
  { entries, problems }: Profile,
  place: ProfileKey,
  effect: 'ignores' | 'rejects',
  { hint, problem }: Invalid,
): void {
  // A key that is missing is one of the tables, whose sections have no dots.
  const [ownSection = '', ownKey = ''] = place.split('.');
  const { key, line, section } = entries.get(place) ?? { key: ownKey, line: undefined, section: ownSection };
  const message =
    effect === 'ignores'
      ? `NetworkManager ignores ${key} in [${section}]: ${problem}`
      : `NetworkManager ignores the keyfile: ${key} in [${section}]: ${problem}`;
  problems.push({ severity: effect === 'ignores' ? 'warning' : 'error', message, hint, line, section, key });
}

interface Invalid {
  readonly problem: string;
  readonly hint: string;
}

function readValue(value: string, kind: string, range: readonly string[]): string | Invalid {
  // The syntax of these is checked elsewhere, if it is.
  if (kind === 'other' || kind === 'bytes' || kind === 'decimal') return unescapeValue(value);
  if (kind === 'string') {
    if (!hasInvalidEscape(value)) return unescapeValue(value);
    const problem = 'the value has a backslash that does not begin an escape sequence';
    return { problem, hint: String.raw`write a backslash as \\` };
  }
  if (kind === 'list') return value;
  if (kind === 'boolean') {
    const word = value.replace(/[ \t\n\v\f\r]+$/, '');
    if (word === 'true' || word === '1') return 'true';
    if (word === 'false' || word === '0') return 'false';
    return { problem: `${quoteText(value)} is not true or false`, hint: 'use true or false' };
  }
  const number = parseKeyfileInteger(value);
  const [least, most] = range.length > 0 ? range : (defaultRanges[kind] ?? []);
  const expected =
    kind === 'enum'
      ? `one of ${range.join(', ')}`
      : kind === 'flags'
        ? 'a sum of known flags'
        : least === undefined
          ? 'an integer'
          : `an integer from ${least} to ${most}`;
  if (number === undefined)
    return { problem: `${quoteText(value)} is not an integer`, hint: `use ${expected}` };
  const isInRange =
    kind === 'enum'
      ? range.includes(String(number))
      : kind === 'flags'
        ? (number & ~BigInt(range[0] ?? 0)) === 0n && number >= 0n
        : least === undefined || most === undefined || (number >= BigInt(least) && number <= BigInt(most));
  return isInRange ? String(number) : { problem: `${number} is not ${expected}`, hint: `use ${expected}` };
}

/** Of newer properties, the range is not known. */
const defaultRanges: Readonly<Record<string, readonly [string, string]>> = {
  int: [String(-(2 ** 31)), String(2 ** 31 - 1)],
  uint: ['0', String(2 ** 32 - 1)],
};

/** Decimal, `0x…`, or octal with a leading zero, as strtoll(3) with the base 0. */
function parseKeyfileInteger(text: string): bigint | undefined {
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

/** The items of a list, which end in semicolons; none if an escape sequence is invalid. */
export function listValue({ values }: Profile, place: ProfileKey): readonly string[] {
  const items = Array.from(
    (values.get(place) ?? '').matchAll(/((?:[^\\;]|\\.)*)(?:;|$)/gs),
    ([, item = '']) => item,
  );
  // What follows the last semicolon is an item only if there is something.
  if (items.at(-1) === '') items.pop();
  const list = items.map((item) => item.replaceAll(String.raw`\;`, ';'));
  return list.some((item) => hasInvalidEscape(item)) ? [] : list.map((item) => unescapeValue(item));
}

/**
 * Reads an nmstate document: a shape defines the keys of an object and a reader for each key. Readers accept the same values
 * as nmstate (numbers and booleans also as strings); all other values are findings.
 */

import { quoteText } from '../core/foreignText.ts';
import { formatKeyfileString } from '../formats/keyfile.ts';
import { isMapping, type Mapping, stringOf } from '../formats/mapping.ts';
import { nearestNames } from '../core/nearestNames.ts';
import type { ConvertedEntries, ConvertedEntry } from './convertedKeyfile.ts';
import {
  addressBits,
  type Family,
  formatAddress,
  type IpAddress,
  parseAddress,
  parseSubnet,
  type Subnet,
} from './ipAddress.ts';
import {
  type DocumentPlace,
  expected,
  isLeftOut,
  refuse,
  refuseTwin,
  refuseUnsupportedValue,
  step,
  USE_NMSTATECTL,
  warn,
} from './documentPlace.ts';

export interface Reader<T> {
  /** Returns undefined after it reported an invalid value. */
  (value: unknown, place: DocumentPlace): T | undefined;
  /** nmstate refuses null as the value of the key; for other readers, the key is left out. */
  readonly refusesNull?: boolean;
}

export type Shape = Readonly<Record<string, Reader<unknown>>>;

export type Shaped<S extends Shape> = {
  readonly [Key in keyof S]?: S[Key] extends Reader<infer T> ? T | undefined : never;
};

type WithKeys<S extends Shape, Key extends keyof S> = [Key] extends [never]
  ? Shaped<S>
  : Shaped<S> & { readonly [Name in Key]: NonNullable<Shaped<S>[Name]> };

/**
 * An object with only the keys of a shape.
 * @param required keys that it must have
 * @param examples complete the hints for keys that are missing
 */
export function object<S extends Shape, Key extends string & keyof S = never>(
  shape: S,
  required?: readonly Key[],
  examples?: Readonly<Record<string, string>>,
): Reader<WithKeys<S, Key>>;
export function object(
  shape: Shape,
  required: readonly string[] = [],
  examples: Readonly<Record<string, string>> = {},
): Reader<Mapping> {
  const readers = new Map(Object.entries(shape));
  return (value, place) => {
    if (!isMapping(value)) return refuse(place, expected('a mapping', value));
    const result: Record<string, unknown> = {};
    for (const key of Object.keys(value)) {
      const at = step(place, key);
      const read = readers.get(key);
      if (isLeftOut(value[key], place)) continue;
      if (read === undefined)
        refuseKey(
          at,
          key,
          Object.keys(shape).filter((one) => !(one in value)),
        );
      else if (value[key] !== null || read.refusesNull === true || required.includes(key))
        result[key] = read(value[key], at);
    }
    for (const key of required) {
      if (Object.hasOwn(value, key) && !isLeftOut(value[key], place)) continue;
      const hint = examples[key] === undefined ? undefined : `add "${key}", for example ${examples[key]}`;
      refuse(place, `"${key}" is missing`, hint);
    }
    return required.every((key) => result[key] !== undefined) ? result : undefined;
  };
}

function refuseKey(place: DocumentPlace, key: string, others: readonly string[]): undefined {
  if (place.format !== undefined) {
    const shown = quoteText(key);
    warn(place, `the key ${shown} is not used`, `fix the spelling of ${shown}, or remove it`);
    return undefined;
  }
  // nmstate 2.2 has removed it (its CHANGELOG).
  if (key === 'slaves' && others.includes('port')) {
    return refuse(place, `nmstate no longer supports ${quoteText(key)}`, 'use "port"');
  }
  const [nearest] = nearestNames(key, others);
  const hint = nearest === undefined ? undefined : `use "${nearest}"; otherwise, ${USE_NMSTATECTL}`;
  return refuseUnsupportedValue(place, quoteText(key), hint);
}

/** An object with its place in the document, for what is reported about it later. */
export function placed<T extends object>(read: Reader<T>): Reader<T & { readonly place: DocumentPlace }> {
  return mapped(read, (fields, place) => ({ ...fields, place }));
}

/** For a key that must not be null, as nmstate has a default for it, or converts its value. */
export function present<T>(read: Reader<T>): Reader<T> {
  return Object.assign((value: unknown, place: DocumentPlace) => read(value, place), { refusesNull: true });
}

/** For values that mean nothing here. */
export const anything: Reader<unknown> = (value) => value;

export function list<T>(read: Reader<T>): Reader<readonly T[]> {
  return (value, place) => {
    if (!Array.isArray(value)) return refuse(place, expected('a list', value));
    const items: T[] = [];
    for (const [index, item] of value.entries()) {
      const result = read(item, step(place, index));
      if (result !== undefined) items.push(result);
    }
    return items;
  };
}

type Scalar = boolean | number | string;

/**
 * A key of a section of a keyfile: how its value is read, and the key in the keyfile if it has another name there. Empty if it
 * is only checked.
 */
export type EntryRow = Reader<Scalar> | readonly [Reader<Scalar>, key: string];

/** The keys of a document that become keys of one section of a keyfile; mappings in it are read alike. */
export interface Rows {
  readonly [key: string]: EntryRow | Rows;
}

export function section(rows: Rows): Reader<ConvertedEntries> {
  const readFields = object(
    Object.fromEntries(
      Object.entries(rows).map(([key, row]): [string, Reader<ConvertedEntries>] => {
        if (typeof row === 'function') return [key, entryReader(row, key)];
        return [key, isPair(row) ? entryReader(row[0], row[1]) : section(row)];
      }),
    ),
  );
  return (value, place) => {
    const entries: Record<string, ConvertedEntry | undefined> = {};
    for (const [key, own = {}] of Object.entries(readFields(value, place) ?? {})) {
      for (const [name, entry] of Object.entries(own)) {
        const before = entries[name];
        if (before !== undefined) refuseTwin(step(place, key), String(before.from.at(-1)));
        entries[name] = entry;
      }
    }
    return isMapping(value) ? entries : undefined;
  };
}

function entryReader(read: Reader<Scalar>, key: string): Reader<ConvertedEntries> {
  const readEntry = (value: unknown, place: DocumentPlace): ConvertedEntries => {
    const entry = entryAt(place, read(value, place));
    return key === '' || entry === undefined ? {} : { [key]: entry };
  };
  return Object.assign(readEntry, { refusesNull: read.refusesNull ?? false });
}

function isPair(row: EntryRow | Rows): row is readonly [Reader<Scalar>, key: string] {
  return Array.isArray(row);
}

/** The entry of a value that is in the document; undefined without a value. */
export function entryAt({ path }: DocumentPlace, value: Scalar | undefined): ConvertedEntry | undefined {
  return value === undefined ? undefined : { value: String(value), from: path };
}

/** Makes entries of the values of a mapping; values that it does not have come from the mapping itself. */
export function entryMaker(fields: Mapping, place: DocumentPlace) {
  return (key: string, ...converted: readonly (Scalar | undefined)[]): ConvertedEntry | undefined => {
    const own = fields[key];
    const isScalar = typeof own === 'string' || typeof own === 'number' || typeof own === 'boolean';
    const [value] = converted.length === 0 && isScalar ? [own] : converted;
    return entryAt(own === undefined ? place : step(place, key), value);
  };
}

/** Names with values, in their order; those without a value are left out. */
export function formatOptions(
  options: readonly (readonly [name: string, value: Scalar | undefined])[],
  between: string,
  separator: string,
): string {
  return options
    .flatMap(([name, value]) => (value === undefined ? [] : `${name}${between}${String(value)}`))
    .join(separator);
}

/** Converts the values of another reader, or reports those that are invalid. */
export function mapped<T, U>(
  read: Reader<T>,
  convert: (value: T, place: DocumentPlace) => U | undefined,
): Reader<U> {
  const readConverted = (value: unknown, place: DocumentPlace): U | undefined => {
    const result = read(value, place);
    return result === undefined ? undefined : convert(result, place);
  };
  return Object.assign(readConverted, { refusesNull: read.refusesNull ?? false });
}

/** A boolean of nmstate, also as a word or a number. */
export const flag: Reader<boolean> = present((value, place) => {
  if (typeof value === 'boolean') return value;
  const meaning = typeof value === 'string' ? flagWords.get(value.toLowerCase()) : flagWords.get(value);
  return meaning ?? refuse(place, expected('true or false', value));
});

export function formatBit(value: boolean | undefined): '0' | '1' | undefined {
  return value === undefined ? undefined : value ? '1' : '0';
}

const flagWords: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ...['1', 'true', 'yes', 'on', 'y', 1].map((word) => [word, true] as const),
  ...['0', 'false', 'no', 'off', 'n', 0].map((word) => [word, false] as const),
]);

/** A boolean for which nmstate accepts no words. */
export const strictFlag: Reader<boolean> = (value, place) =>
  typeof value === 'boolean' ? value : refuse(place, expected('true or false', value));

/** An integer from `least` to `most`, also as a string in decimal or as `0x…`. */
export function integer(least: number, most: number): Reader<number> {
  return present((value, place) => {
    const isInteger = typeof value === 'string' && /^(?:-?[0-9]+|0x[0-9a-fA-F]+)$/.test(value);
    const number = isInteger ? Number(value) : value;
    if (typeof number === 'number' && Number.isSafeInteger(number) && number >= least && number <= most) {
      return number;
    }
    return refuse(place, expected(`an integer from ${least} to ${most}`, value));
  });
}

export const uint8 = integer(0, 2 ** 8 - 1);
export const uint16 = integer(0, 2 ** 16 - 1);
export const uint32 = integer(0, 2 ** 32 - 1);
/** nmstate supports 64 bits; larger numbers than the exact integers of JavaScript have no meaning in the kernel. */
export const uint64 = integer(0, Number.MAX_SAFE_INTEGER);

/** For numbers that nmstate does not accept as strings. */
export function strictly<T>(read: Reader<T>): Reader<T> {
  return (value, place) =>
    typeof value === 'string'
      ? refuse(place, expected('a number without quotes', value))
      : read(value, place);
}

/** One of the words; an alternative spelling is converted to the word. */
export function oneOf<Word extends string>(
  words: readonly Word[],
  others: Readonly<Record<string, Word>> = {},
): Reader<Word> {
  const meanings = new Map<unknown, Word>([
    ...words.map((word) => [word, word] as const),
    ...Object.entries(others),
  ]);
  return (value, place) =>
    meanings.get(value) ?? refuse(place, expected(`one of ${words.join(', ')}`, value));
}

/** The protocol of a VLAN, as NetworkManager spells it: `802.1Q`, `802.1ad`. */
export const vlanProtocol = mapped(oneOf(['802.1q', '802.1ad']), (word) => word.replace('q', 'Q'));

/** One of the words, or its number in the kernel: `1` and `"1"` are the second word. */
export function numbered<Word extends string>(
  words: readonly Word[],
  others: Readonly<Record<string, Word>> = {},
): Reader<Word> {
  const indexes = Object.fromEntries(words.map((word, index) => [String(index), word]));
  const read = oneOf(words, { ...indexes, ...others });
  return present((value, place) => {
    const isIndex = typeof value === 'number' && Number.isInteger(value) && words[value] !== undefined;
    return read(isIndex ? String(value) : value, place);
  });
}

/**
 * A string of one line. nmstate writes it unchanged to the keyfile, so characters that NetworkManager would read differently
 * are refused.
 */
export const text: Reader<string> = (value, place) => {
  if (typeof value !== 'string') return refuse(place, expected('a string', value));
  if (value === '') return refuse(place, 'the string is empty', `remove "${String(place.path.at(-1))}"`);
  if (/\p{Cc}|\p{Cs}/u.test(value)) return refuse(place, 'the string contains control characters');
  return formatKeyfileString(value) === value && value.trim() === value
    ? value
    : refuse(place, 'the string contains a backslash, or a space at its beginning or end');
};

export const textOrEmpty: Reader<string> = (value, place) => (value === '' ? '' : text(value, place));

/** A string for a list in a keyfile, where `;` separates items. */
export const listItem: Reader<string> = (value, place) => {
  const item = text(value, place);
  if (item === undefined || !/[;\s]/u.test(item)) return item;
  return refuse(place, 'the string contains a semicolon or a space');
};

/** An address of the family; without a family, of either one. */
export function ipAddress(family?: Family, hint?: string): Reader<IpAddress> {
  const what = family === undefined ? 'an IP address' : `an IPv${family} address`;
  return (value, place) => {
    const written = stringOf(value) ?? '';
    const parsed = parseAddress(written);
    if (parsed !== undefined && parsed.family === (family ?? parsed.family)) return parsed;
    const [, bare] = /^([0-9a-fA-F.:]+)\/\d+$/.exec(written) ?? [];
    const shorter = bare && `use ${bare}, without the prefix length`;
    return refuse(place, expected(what, value), shorter ?? hint);
  };
}

export function address(family?: Family): Reader<string> {
  return mapped(ipAddress(family), formatAddress);
}

/** A network, or an address in place of the network of it alone. */
export const network: Reader<Subnet> = (value, place) => {
  const subnet = typeof value === 'string' ? parseSubnet(value) : undefined;
  return subnet ?? refuse(place, 'expected a network, for example 192.0.2.0/24');
};

export function prefixLength(family: Family): Reader<number> {
  return integer(0, addressBits(family));
}

/** Upper case, as nmstate writes it. */
export const macAddress: Reader<string> = (value, place) =>
  typeof value === 'string' && /^[0-9a-f]{2}(?::[0-9a-f]{2}){5}$/i.test(value)
    ? value.toUpperCase()
    : refuse(place, expected('a MAC address like 52:54:00:12:34:56', value));

/** The name of an interface or a profile. It must not be a path, because profiles are stored in files with their names. */
export const linkName: Reader<string> = (value, place) => {
  const name = text(value, place);
  if (name === undefined || /^(?![.])[ -.0-~]{1,200}$/.test(name)) return name;
  const hint = 'use ASCII characters, without slashes and without a leading dot';
  return refuse(place, 'invalid interface name', hint);
};

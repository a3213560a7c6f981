/**
 * Reading an nmstate document: a shape says which keys an object may have and how each is read. Values are taken as
 * nmstate takes them (numbers and switches also as texts); whatever else there is becomes a finding, never a default.
 */

import { formatKeyfileString } from '../formats/keyfile.ts';
import { isMapping } from '../formats/mapping.ts';
import type { Finding, Path } from '../core/finding.ts';
import { addressBits, type Family, formatAddress, parseAddress } from './ipAddress.ts';

/** Where a value stands, and where to put what is wrong with it. */
export interface DocumentPlace {
  readonly path: Path;
  readonly findings: Finding[];
}

/** Undefined after it has reported why the value cannot be taken. */
export type Reader<T> = (value: unknown, place: DocumentPlace) => T | undefined;

export type Shape = Readonly<Record<string, Reader<unknown>>>;

export type Shaped<S extends Shape> = {
  readonly [Key in keyof S]?: S[Key] extends Reader<infer T> ? T : never;
};

export type WithKeys<S extends Shape, Key extends keyof S> = Shaped<S> & Required<Pick<Shaped<S>, Key>>;

/** What to do about a network that is not covered here. */
const installNmstate = 'install nmstate, whose nmstatectl converts every nmstate document, or take this out';

/** A value that nmstate refuses too, or that makes no sense. `message` is a sentence without a full stop. */
export function refuse(place: DocumentPlace, message: string, hint?: string): undefined {
  const finding = { severity: 'error', rule: 'nmstate-value', path: place.path, message } as const;
  place.findings.push(hint === undefined ? finding : { ...finding, hint });
}

/** A value that nmstate may take, but this conversion does not. */
export function notCovered(place: DocumentPlace, what: string): undefined {
  const message = `${what} is not covered by the built-in nmstate conversion`;
  const { path } = place;
  place.findings.push({
    severity: 'error',
    rule: 'nmstate-not-covered',
    path,
    message,
    hint: installNmstate,
  });
}

/** What nmstate takes and leaves out of the keyfiles. */
export function warn(place: DocumentPlace, message: string, hint: string): void {
  place.findings.push({ severity: 'warning', rule: 'nmstate-dropped', path: place.path, message, hint });
}

export function step(place: DocumentPlace, ...steps: Path): DocumentPlace {
  return { path: [...place.path, ...steps], findings: place.findings };
}

type AnyObject = Readonly<Record<string, unknown>>;

/** An object with the keys of a shape and no others. */
export function object<S extends Shape>(shape: S): Reader<Shaped<S>>;
export function object(shape: Shape): Reader<AnyObject> {
  return (value, place) => {
    if (!isMapping(value)) return refuse(place, expected('a mapping of keys to values', value));
    const result: Record<string, unknown> = {};
    for (const [key, member] of Object.entries(value)) {
      const at = step(place, key);
      const read = Object.hasOwn(shape, key) ? shape[key] : undefined;
      if (read === undefined) notCovered(at, JSON.stringify(key.slice(0, 60)));
      else result[key] = read(member, at);
    }
    return result;
  };
}

/** An object that has to have some of its keys; without them it is not taken. */
export function objectWith<S extends Shape, Key extends string & keyof S>(
  shape: S,
  keys: readonly Key[],
): Reader<WithKeys<S, Key>>;
export function objectWith(shape: Shape, keys: readonly string[]): Reader<AnyObject> {
  const read: Reader<AnyObject> = object(shape);
  return (value, place) => {
    const result = read(value, place);
    if (result === undefined || !isMapping(value)) return undefined;
    for (const key of keys) if (!Object.hasOwn(value, key)) refuse(place, `"${key}" is missing`);
    return keys.every((key) => result[key] !== undefined) ? result : undefined;
  };
}

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

/** nmstate's switches: also the words and numbers that mean one. */
export const flag: Reader<boolean> = (value, place) => {
  if (typeof value === 'boolean') return value;
  const meaning = typeof value === 'string' ? flagWords.get(value.toLowerCase()) : flagWords.get(value);
  return meaning ?? refuse(place, expected('true or false', value));
};

const flagWords: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ...['1', 'true', 'yes', 'on', 'y', 1].map((word) => [word, true] as const),
  ...['0', 'false', 'no', 'off', 'n', 0].map((word) => [word, false] as const),
]);

/** The switches for which nmstate takes no words. */
export const strictFlag: Reader<boolean> = (value, place) =>
  typeof value === 'boolean' ? value : refuse(place, expected('true or false', value));

/** A whole number from `least` to `most`, also as a text, there in decimal or as `0x…`. */
export function integer(least: number, most: number): Reader<number> {
  return (value, place) => {
    const number = typeof value === 'string' ? parseInteger(value) : value;
    if (typeof number === 'number' && Number.isSafeInteger(number) && number >= least && number <= most) {
      return number;
    }
    return refuse(place, expected(`a whole number from ${least} to ${most}`, value));
  };
}

function parseInteger(text: string): number | undefined {
  return /^(?:-?[0-9]+|0x[0-9a-fA-F]+)$/.test(text) ? Number(text) : undefined;
}

export const uint8 = integer(0, 2 ** 8 - 1);
export const uint16 = integer(0, 2 ** 16 - 1);
export const uint32 = integer(0, 2 ** 32 - 1);
/** nmstate has 64 bits for it; numbers beyond what is exact here mean nothing to any kernel. */
export const uint64 = integer(0, Number.MAX_SAFE_INTEGER);

/** For the numbers that nmstate does not take as texts. */
export function strictly<T>(read: Reader<T>): Reader<T> {
  return (value, place) =>
    typeof value === 'string'
      ? refuse(place, expected('a number without quotes', value))
      : read(value, place);
}

/** One of some words; the result is the word of the first form. */
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

/** One of some words, which the kernel numbers from 0: `1` and `"1"` are the second. */
export function numbered<Word extends string>(
  words: readonly Word[],
  others: Readonly<Record<string, Word>> = {},
): Reader<Word> {
  const indexes = Object.fromEntries(words.map((word, index) => [String(index), word]));
  const read = oneOf(words, { ...indexes, ...others });
  return (value, place) => {
    const isIndex = typeof value === 'number' && Number.isInteger(value) && words[value] !== undefined;
    return read(isIndex ? String(value) : value, place);
  };
}

/**
 * A text on one line. nmstate writes it into the keyfile as it is, so what NetworkManager would read differently from
 * there is refused.
 */
export const text: Reader<string> = (value, place) => {
  if (typeof value !== 'string') return refuse(place, expected('a text', value));
  if (value === '') return refuse(place, 'the text is empty', 'leave the key out');
  if (/\p{Cc}|\p{Cs}/u.test(value)) return refuse(place, 'the text has control characters in it');
  return formatKeyfileString(value) === value && value.trim() === value
    ? value
    : refuse(place, 'the text has a backslash in it, or a blank at its beginning or end');
};

/** As `text`, but empty is a value as well. */
export const textOrEmpty: Reader<string> = (value, place) => (value === '' ? '' : text(value, place));

/** A text for a list in a keyfile, where `;` ends an item. */
export const listItem: Reader<string> = (value, place) => {
  const item = text(value, place);
  if (item === undefined || !/[;\s]/u.test(item)) return item;
  return refuse(place, 'the text has a semicolon or a blank in it');
};

/** An address in its canonical form. */
export function address(family: Family): Reader<string> {
  return (value, place) => {
    const parsed = typeof value === 'string' ? parseAddress(value) : undefined;
    if (parsed?.family === family) return formatAddress(parsed);
    return refuse(place, expected(`an IPv${family} address`, value));
  };
}

export function prefixLength(family: Family): Reader<number> {
  return integer(0, addressBits(family));
}

/** Upper case, as nmstate writes it. */
export const macAddress: Reader<string> = (value, place) =>
  typeof value === 'string' && /^[0-9a-f]{2}(?::[0-9a-f]{2}){5}$/i.test(value)
    ? value.toUpperCase()
    : refuse(place, expected('a MAC address like 52:54:00:12:34:56', value));

/** The name of an interface or a profile. Profiles are stored as files under their names, so it cannot be a path. */
export const linkName: Reader<string> = (value, place) => {
  const name = text(value, place);
  if (name === undefined || /^(?![.])[ -.0-~]{1,200}$/.test(name)) return name;
  return refuse(
    place,
    'this is no name for an interface',
    'it has to be ASCII, without a slash and a dot before it',
  );
};

/** What Linux takes as the name of an interface. */
export function isKernelName(name: string): boolean {
  return /^(?![.])[!-.0-9;-~]{1,15}$/.test(name);
}

/** Secrets are none of the values here, but a long text does not belong into a message. */
function expected(what: string, value: unknown): string {
  return `${what} is expected, not ${describe(value)}`;
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 60));
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : typeof value;
}

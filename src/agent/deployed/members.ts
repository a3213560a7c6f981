/** Parts of a config that no setting stands for, one entry for each value, named by the members that lead to it. */

import { isMapping } from '../../formats/mapping.ts';
import type { Config, Resource } from '../../ignition/config.ts';
import type { Members } from '../../ignition/decode.ts';
import { type Entry, fingerprint, say } from './entry.ts';
import { type ReadContents, readResourceEntries } from './resource.ts';

type Storage = NonNullable<Config['storage']>;

/** Everything of `storage` but its files. */
export function readStorageEntries({ files: _files, ...others }: Storage, read: ReadContents): Entry[] {
  return Object.entries(others).flatMap(([list, items]: readonly [string, unknown]) => {
    if (!Array.isArray(items)) return [];
    return items.flatMap((item: unknown) => {
      const members = isMapping(item) ? item : {};
      return readItem(`${itemNames.get(list) ?? list} ${nameOf(members)}`, members, read);
    });
  });
}

const itemNames: ReadonlyMap<string, string> = new Map([
  ['directories', 'directory'],
  ['disks', 'disk'],
  ['filesystems', 'filesystem'],
  ['links', 'link'],
]);

function nameOf({ path, device, name }: Members): string {
  const given = [path, device, name].find((value) => typeof value === 'string' && value !== '');
  return typeof given === 'string' ? given : '(without a name)';
}

/** All that an item of a list says; it is there, even if it says nothing. */
export function readItem(setting: string, members: Members, read: ReadContents): Entry[] {
  const entries = readMembers(setting, members, read);
  return entries.length === 0 ? [say(setting, 'nothing else')] : entries;
}

/** All members of an object that say something. */
export function readMembers(setting: string, members: Members, read: ReadContents): Entry[] {
  return describe({ setting, read }, '', members);
}

interface Place {
  readonly setting: string;
  readonly read: ReadContents;
}

/** A config is as deep as its type, so recursion is bounded. */
function describe(place: Place, name: string, value: unknown): Entry[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, index) => describe(place, join(name, String(index + 1)), item));
  }
  if (!isMapping(value)) return [sayValue(place.setting, name, value)];
  if (isResource(value)) {
    return readResourceEntries(
      { setting: place.setting, start: name === '' ? '' : `${name} ` },
      value,
      place.read,
    );
  }
  return Object.entries(value).flatMap(([member, inner]) => describe(place, join(name, member), inner));
}

function join(name: string, member: string): string {
  return name === '' ? member : `${name}.${member}`;
}

function isResource(value: Members): value is Members & Resource {
  return ['source', 'compression', 'httpHeaders', 'verification'].some((name) => Object.hasOwn(value, name));
}

function sayValue(setting: string, name: string, value: unknown): Entry {
  const text = typeof value === 'string' ? value : String(value);
  // A hash of a password is not to be tried out by whoever reads the output.
  if (name.endsWith('passwordHash')) return say(setting, `${name} ${fingerprint(text)}`, `${name} ${text}`);
  return say(setting, name === '' ? text : `${name} = ${text}`);
}

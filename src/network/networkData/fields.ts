/**
 * Reading the mappings of network data. Writers leave a key out in three ways: without the key, with null (Nova's `mtu`)
 * and with an empty text (the `gateway` of Metal3's routes), so all three are the same here.
 */

import { quoteText } from '../../core/foreignText.ts';
import { isMapping, type Mapping } from '../../formats/mapping.ts';
import type { Family, IpAddress } from '../ipAddress.ts';
import { type DocumentPlace, expected, refuse, step, warn } from '../documentPlace.ts';
import { ipAddress, macAddress, type Reader } from '../readers.ts';

/** A mapping of the document, and where it is. */
export interface DataFields {
  readonly value: Mapping;
  readonly place: DocumentPlace;
}

/** The items of a list, each a mapping. */
export function readMappings(value: unknown, place: DocumentPlace): DataFields[] {
  if (!Array.isArray(value)) {
    refuse(place, expected('a list', value), 'write it as [ … ], with a mapping for each item');
    return [];
  }
  return value.flatMap((item: unknown, index) => {
    const at = step(place, index);
    if (isMapping(item)) return [{ value: item, place: at }];
    refuse(at, expected('a mapping', item), 'write it as { "id": …, "type": … }');
    return [];
  });
}

export function optionalList(fields: DataFields, key: string): DataFields[] {
  return has(fields, key) ? readMappings(fields.value[key], step(fields.place, key)) : [];
}

export function has({ value }: DataFields, key: string): boolean {
  const member = Object.hasOwn(value, key) ? value[key] : undefined;
  return member !== undefined && member !== null && member !== '';
}

export function optional<T>(fields: DataFields, key: string, read: Reader<T>): T | undefined {
  return has(fields, key) ? read(fields.value[key], step(fields.place, key)) : undefined;
}

/** `example` completes the hint. */
export function required<T>(
  fields: DataFields,
  key: string,
  example: string,
  read: Reader<T>,
): T | undefined {
  if (has(fields, key)) return read(fields.value[key], step(fields.place, key));
  return refuse(fields.place, `"${key}" is missing`, `add "${key}", for example ${example}`);
}

/** A key that is misspelled would otherwise have no effect without a word. */
export function warnUnused({ value, place }: DataFields, isKnown: (key: string) => boolean): void {
  for (const key of Object.keys(value)) {
    if (isKnown(key)) continue;
    const shown = quoteText(key);
    warn(step(place, key), `the key ${shown} is not used`, `fix the spelling of ${shown}, or remove it`);
  }
}

/** The id of a link or network: any text. */
export const anyId: Reader<string> = (value, place) =>
  typeof value === 'string' ? value : refuse(place, expected('a string', value), 'put the value in quotes');

/** Upper case, with colons; Ironic takes dashes too. */
export const anyMacAddress: Reader<string> = (value, place) =>
  macAddress(typeof value === 'string' ? value.replaceAll('-', ':') : value, place);

/** An address of the family; without a family, of either one. */
export function addressOf(family?: Family): Reader<IpAddress> {
  return ipAddress(family, `use an ${family === undefined ? 'IPv4 or IPv6' : `IPv${family}`} address`);
}

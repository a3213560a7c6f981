/** Addresses with netmasks, as network data writes them: dotted, as IPv6 address, as prefix length or behind a slash. */

import { addressBits, type Family, type IpAddress, parseAddress } from '../ipAddress.ts';
import { refuse, type Reader, step } from '../readers.ts';
import { addressOf, type DataFields, has, optional, quoteText, required } from './fields.ts';

export interface AddressWithPrefix {
  readonly address: IpAddress;
  /** Undefined where the document has none. */
  readonly prefixLength: number | undefined;
}

/** `key` is the key of the address, which may have a prefix length; the other place of a mask is the key `netmask`. */
export function readAddressWithMask(
  fields: DataFields,
  { key, example, family }: { readonly key: string; readonly example: string; readonly family: Family },
): AddressWithPrefix | undefined {
  const own = required(fields, { key, example }, withSlash(family));
  const beside = optional(fields, 'netmask', netmask(family));
  if (own === undefined) return undefined;
  const { address, prefixLength } = own;
  if (prefixLength !== undefined && beside !== undefined && prefixLength !== beside) {
    const message = `the netmask (/${beside}) differs from the one in "${key}" (/${prefixLength})`;
    return refuse(step(fields.place, 'netmask'), message, 'remove one of them');
  }
  // A netmask that was refused is not a missing one.
  if (prefixLength === undefined && beside === undefined && has(fields, 'netmask')) return undefined;
  return { address, prefixLength: prefixLength ?? beside };
}

function withSlash(family: Family): Reader<AddressWithPrefix> {
  return (value, place) => {
    const [written, mask, ...more] = typeof value === 'string' ? value.split('/') : [value];
    const address = addressOf(family)(more.length > 0 ? value : written, place);
    const prefixLength = mask === undefined ? undefined : netmask(family)(mask, place);
    if (address === undefined || (mask !== undefined && prefixLength === undefined)) return undefined;
    return { address, prefixLength };
  };
}

function netmask(family: Family): Reader<number> {
  return (value, place) => {
    const prefixLength = parseNetmask(value, family);
    if (prefixLength !== undefined) return prefixLength;
    const example = family === 4 ? '255.255.255.0 or 24' : 'ffff:ffff:ffff:ffff:: or 64';
    const shown =
      typeof value === 'string' || typeof value === 'number' ? `: ${quoteText(String(value))}` : '';
    return refuse(place, `the netmask is invalid${shown}`, `write it like ${example}`);
  };
}

function parseNetmask(value: unknown, family: Family): number | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') return undefined;
  if (/^[0-9]{1,3}$/.test(text)) return Number(text) <= addressBits(family) ? Number(text) : undefined;
  const parsed = parseAddress(text);
  return parsed?.family === family ? countLeadingOnes(parsed) : undefined;
}

/** Undefined where ones follow zeros. */
function countLeadingOnes({ family, groups }: IpAddress): number | undefined {
  const width = family === 4 ? 8 : 16;
  const bits = groups.map((group) => group.toString(2).padStart(width, '0')).join('');
  const [ones = ''] = /^1*/.exec(bits) ?? [];
  return bits.slice(ones.length).includes('1') ? undefined : ones.length;
}

export function isMulticast({ family, groups: [first = 0] }: IpAddress): boolean {
  return family === 4 ? first >= 224 : first >= 0xff00;
}

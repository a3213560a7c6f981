/** Parses and formats IP addresses and networks like nmstate (`std::net` of Rust, RFC 5952). */

import { isIpv4, parseIpv6 } from '../formats/hostName.ts';
import { urlHost } from '../formats/url.ts';

export type Family = 4 | 6;

export interface IpAddress {
  readonly family: Family;
  /** IPv4: four bytes. IPv6: eight groups of 16 bits. */
  readonly groups: readonly number[];
}

/** Number of bits of an address. */
export function addressBits(family: Family): 32 | 128 {
  return family === 4 ? 32 : 128;
}

/** Undefined for an invalid address; zones (`%eth0`) are not supported. */
export function parseAddress(text: string): IpAddress | undefined {
  if (isIpv4(text)) return { family: 4, groups: text.split('.').map(Number) };
  if (text.includes('%') || parseIpv6(text) === undefined) return undefined;
  const [head = '', tail = ''] = urlHost(`http://[${text}]`).split('::');
  const before = parseGroups(head);
  const after = parseGroups(tail);
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return { family: 6, groups: [...before, ...zeros, ...after] };
}

function parseGroups(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}

/** `URL` writes IPv6 addresses as RFC 5952 recommends, except that the last groups are never an IPv4 address. */
export function formatAddress({ family, groups }: IpAddress): string {
  if (family === 4) return groups.join('.');
  const text = urlHost(`http://[${groups.map((group) => group.toString(16)).join(':')}]`);
  if (!/^::ffff:[^:]+:[^:]+$/.test(text)) return text;
  const bytes = groups.slice(6).flatMap((group) => [group >> 8, group & 0xff]);
  return `::ffff:${bytes.join('.')}`;
}

/** Clears the bits after the prefix. */
export function maskAddress({ family, groups }: IpAddress, prefixLength: number): IpAddress {
  const width = family === 4 ? 8 : 16;
  const masked = groups.map((group, index) => {
    const cleared = Math.min(width, Math.max(0, (index + 1) * width - prefixLength));
    return (group >> cleared) << cleared;
  });
  return { family, groups: masked };
}

/** A prefix length, or the bits of a mask, in which all ones precede all zeros. */
export function parseNetmask(text: string, family: Family): number | undefined {
  if (/^[0-9]{1,3}$/.test(text)) return Number(text) <= addressBits(family) ? Number(text) : undefined;
  const mask = parseAddress(text);
  if (mask?.family !== family) return undefined;
  const width = family === 4 ? 8 : 16;
  const bits = mask.groups.map((group) => group.toString(2).padStart(width, '0')).join('');
  return /^1*0*$/.test(bits) ? bits.replace(/0*$/, '').length : undefined;
}

/** An address, and the length of its subnet's prefix. */
export interface Subnet {
  readonly address: IpAddress;
  readonly prefixLength: number;
}

/** `192.0.2.0/24`; an address alone is the network of it alone. */
export function parseSubnet(text: string): Subnet | undefined {
  const [base = '', length, ...more] = text.split('/');
  const address = parseAddress(base);
  if (address === undefined || more.length > 0 || !/^\d{1,3}$/.test(length ?? '0')) return undefined;
  const bits = addressBits(address.family);
  const prefixLength = Number(length ?? bits);
  return prefixLength <= bits ? { address, prefixLength } : undefined;
}

/** `192.0.2.0/24`: the bits after the prefix are cleared. */
export function formatSubnet({ address, prefixLength }: Subnet): string {
  return `${formatAddress(maskAddress(address, prefixLength))}/${prefixLength}`;
}

/** False for an address of the other family. */
export function isInSubnet(address: IpAddress, subnet: Subnet): boolean {
  const { prefixLength } = subnet;
  return (
    address.family === subnet.address.family &&
    formatSubnet({ address, prefixLength }) === formatSubnet(subnet)
  );
}

/** `0.0.0.0` and `::`. */
export function isUnspecified({ groups }: IpAddress): boolean {
  return groups.every((group) => group === 0);
}

/** `fe80::/10`. */
export function isLinkLocal({ family, groups }: IpAddress): boolean {
  return family === 6 && ((groups[0] ?? 0) & 0xffc0) === 0xfe80;
}

/** Parses and formats IP addresses and networks like nmstate (`std::net` of Rust, RFC 5952). */

import { isIpv4, parseIpv6 } from '../formats/hostName.ts';
import { urlHost } from '../formats/url.ts';

export type Family = 4 | 6;

export interface IpAddress {
  readonly family: Family;
  /** Of 32 or 128 bits. */
  readonly number: bigint;
}

export function addressBits(family: Family): 32 | 128 {
  return family === 4 ? 32 : 128;
}

/** Undefined for an invalid address; zones (`%eth0`) are not supported. */
export function parseAddress(text: string): IpAddress | undefined {
  if (isIpv4(text)) return { family: 4, number: numberOf(text.split('.').map(Number), 8n) };
  if (text.includes('%') || parseIpv6(text) === undefined) return undefined;
  const [before = [], after = []] = urlHost(`http://[${text}]`)
    .split('::')
    .map((part) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))));
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return { family: 6, number: numberOf([...before, ...zeros, ...after], 16n) };
}

/** @param width of each group, in bits */
function numberOf(groups: readonly number[], width: bigint): bigint {
  return groups.reduce((number, group) => (number << width) | BigInt(group), 0n);
}

/** `URL` writes IPv6 addresses as RFC 5952 recommends, except that the last groups are never an IPv4 address. */
export function formatAddress({ family, number }: IpAddress): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 0xffn).join('.');
  const digits = number.toString(16).padStart(32, '0');
  const text = urlHost(`http://[${digits.replaceAll(/.{4}(?!$)/g, '$&:')}]`);
  if (!/^::ffff:[^:]+:[^:]+$/.test(text)) return text;
  return `::ffff:${formatAddress({ family: 4, number: number & 0xffff_ffffn })}`;
}

/** Clears the bits after the prefix. */
export function maskAddress({ family, number }: IpAddress, prefixLength: number): IpAddress {
  const cleared = BigInt(addressBits(family) - prefixLength);
  return { family, number: (number >> cleared) << cleared };
}

/** A prefix length, or the bits of a mask, in which all ones precede all zeros. */
export function parseNetmask(text: string, family: Family): number | undefined {
  if (/^[0-9]{1,3}$/.test(text)) return Number(text) <= addressBits(family) ? Number(text) : undefined;
  const mask = parseAddress(text);
  if (mask?.family !== family) return undefined;
  const bits = mask.number.toString(2).padStart(addressBits(family), '0');
  return /^1*0*$/.test(bits) ? bits.replace(/0*$/, '').length : undefined;
}

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
  const { address: base, prefixLength } = subnet;
  return (
    address.family === base.family &&
    maskAddress(address, prefixLength).number === maskAddress(base, prefixLength).number
  );
}

/** The same for an address and a network as texts; false for other texts. */
export function isInNetwork(host: string, network: string): boolean {
  const address = parseAddress(host);
  const subnet = parseSubnet(network);
  return address !== undefined && subnet !== undefined && isInSubnet(address, subnet);
}

/** `0.0.0.0` and `::`. */
export function isUnspecified({ number }: IpAddress): boolean {
  return number === 0n;
}

/** `fe80::/10`. */
export function isLinkLocal({ family, number }: IpAddress): boolean {
  return family === 6 && number >> 118n === 0xfe80n >> 6n;
}

/**
 * Host names (RFC 1123), IPv4 literals (four decimal numbers) and IPv6 literals (RFC 4291, with zones as in RFC 4007).
 * Not supported: internationalised names, except in their ASCII form, and short forms of IPv4 addresses, which programs
 * read differently.
 */

import { quoteText } from '../core/foreignText.ts';
import { isIPv4, isIPv6 } from 'node:net';
import { withoutBrackets } from './url.ts';

/** Of a name in the DNS, without a final dot. */
const MAX_NAME_LENGTH = 253;
/** The limit of Linux for the name of a machine (HOST_NAME_MAX). */
const MAX_MACHINE_NAME_LENGTH = 64;

export type Host =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'ipv4'; readonly address: string }
  | { readonly kind: 'ipv6'; readonly address: string; readonly zone?: string }
  /** `problem` is a clause: `it contains a space`. */
  | { readonly kind: 'invalid'; readonly problem: string };

/** Parses a host without brackets and without a port. */
export function parseHost(text: string): Host {
  if (isIpv4(text)) return { kind: 'ipv4', address: text };
  if (text.includes(':')) return parseIpv6(text) ?? { kind: 'invalid', problem: 'it is not an IPv6 address' };
  const problem = hostNameProblem(text);
  return problem === undefined ? { kind: 'name', name: text } : { kind: 'invalid', problem };
}

/** Four numbers from 0 to 255 without leading zeros. */
export function isIpv4(text: string): boolean {
  return isIPv4(text) && !text.includes('\0');
}

/** An IPv6 address, with an optional `%ZONE`; undefined for any other text. */
export function parseIpv6(text: string): Extract<Host, { kind: 'ipv6' }> | undefined {
  const percent = text.indexOf('%');
  const address = percent < 0 ? text : text.slice(0, percent);
  if (!isIPv6(address) || address.includes('\0')) return undefined;
  if (percent < 0) return { kind: 'ipv6', address };
  const zone = text.slice(percent + 1);
  return /^[A-Za-z0-9._~-]+$/.test(zone) ? { kind: 'ipv6', address, zone } : undefined;
}

/** Why a text is not a host name: a clause; undefined for a host name. A final dot is not supported. */
export function hostNameProblem(text: string): string | undefined {
  if (text === '') return 'it is empty';
  if (text.length > MAX_NAME_LENGTH) return `it is longer than ${MAX_NAME_LENGTH} characters`;
  const strange = /[^A-Za-z0-9.-]/u.exec(text)?.[0];
  if (strange !== undefined) {
    if (/\s/u.test(strange)) return 'it contains a space';
    if (strange === '_') return 'it contains an underscore';
    return `the character ${quoteText(strange)} is not allowed`;
  }
  const labels = text.split('.');
  if (labels.includes('')) return 'it contains an empty part before, after or between dots';
  if (/[^.]{64}/.test(text)) return 'a part between dots is longer than 63 characters';
  if (/(?:^|\.)-|-(?:\.|$)/.test(text)) return 'a part between dots starts or ends with a dash';
  // Programs interpret such a name as an address.
  return /^(?:0x[0-9a-f]*|[0-9]+)$/i.test(labels.at(-1) ?? '')
    ? 'it ends in a number, but is not an IPv4 address'
    : undefined;
}

/** Like `hostNameProblem`, for the host name of a Linux machine. */
export function machineNameProblem(text: string): string | undefined {
  if (text.length > MAX_MACHINE_NAME_LENGTH) {
    return `it is longer than ${MAX_MACHINE_NAME_LENGTH} characters, the limit on Linux`;
  }
  return hostNameProblem(text);
}

/** Whether only programs of the same machine reach the host: `localhost`, or a loopback address, also in brackets. */
export function isLoopbackHost(text: string): boolean {
  const host = withoutBrackets(text);
  return host === 'localhost' || host === '::1' || (host.startsWith('127.') && isIpv4(host));
}

/** A host as a URL has it: IPv6 in brackets, with the `%` of a zone escaped (RFC 6874). */
export function formatUrlHost(host: Exclude<Host, { kind: 'invalid' }>): string {
  if (host.kind === 'name') return host.name;
  if (host.kind === 'ipv4') return host.address;
  return `[${host.address}${host.zone === undefined ? '' : `%25${host.zone}`}]`;
}

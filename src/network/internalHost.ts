/** Hosts that exist only inside an organization, so that no public CA issues certificates for them. */

import { type Host, parseHost } from '../formats/hostName.ts';
import { parseUrl, urlHost } from '../formats/url.ts';
import { parseAddress } from './ipAddress.ts';

/** Names of the loopback address (RFC 6761, and /etc/hosts of Fedora and Debian). */
export const LOOPBACK_NAME =
  /^(?:(?:.+\.)?localhost|localhost[46]?(?:\.localdomain[46]?)?|ip6-(?:localhost|loopback))$/i;

/** Names without a domain, and domains that organizations use internally (RFC 6762 appendix G; ICANN, `.internal`). */
const INTERNAL_NAME = /^[^.]+$|\.(?:local|localdomain|internal|intranet|private|lan|home|corp)$/i;

/**
 * Whether no public CA issues certificates for the host: a private address (RFC 1918, 4193, 6598), or an internal name.
 * Source: CA/Browser Forum, Baseline Requirements, "Reserved IP Address" and "Internal Name". Addresses and names for
 * documentation and of the machine itself are left out.
 */
export function isInternalHost(host: Host): boolean {
  if (host.kind === 'invalid') return false;
  if (host.kind === 'name') return INTERNAL_NAME.test(host.name) && !LOOPBACK_NAME.test(host.name);
  const { family, groups: [first = 0, second = 0] = [] } = parseAddress(host.address) ?? {};
  if (family === 6) return (first & 0xfe00) === 0xfc00;
  return (
    first === 10 ||
    (first === 172 && second >> 4 === 1) ||
    (first === 192 && second === 168) ||
    (first === 100 && second >> 6 === 1)
  );
}

/** The host of an https URL if no public CA issues certificates for it; undefined for other texts. */
export function findInternalTlsHost(url: string): string | undefined {
  const parsed = parseUrl(url);
  if (parsed?.protocol !== 'https:') return undefined;
  return isInternalHost(parseHost(urlHost(parsed))) ? parsed.hostname : undefined;
}

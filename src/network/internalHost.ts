/** Hosts that exist only inside an organization, so that no public CA issues certificates for them. */

import { type Host, parseHost } from '../formats/hostName.ts';
import { parseUrl, urlHost } from '../formats/url.ts';
import { isInNetwork } from './ipAddress.ts';

/** Names of the loopback address (RFC 6761, and /etc/hosts of Fedora and Debian). */
export const LOOPBACK_NAME =
  /^(?:(?:.+\.)?localhost|localhost[46]?(?:\.localdomain[46]?)?|ip6-(?:localhost|loopback))$/i;

/** Names without a domain, and domains that organizations use internally (RFC 6762 appendix G; ICANN, `.internal`). */
const INTERNAL_NAME = /^[^.]+$|\.(?:local|localdomain|internal|intranet|private|lan|home|corp)$/i;

/** RFC 1918, 4193, 6598. */
const internalNetworks = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7'];

/**
 * Whether no public CA issues certificates for the host: a private address, or an internal name.
 * Source: CA/Browser Forum, Baseline Requirements, "Reserved IP Address" and "Internal Name". Addresses and names for
 * documentation and of the machine itself are left out.
 */
export function isInternalHost(host: Host): boolean {
  if (host.kind === 'invalid') return false;
  if (host.kind === 'name') return INTERNAL_NAME.test(host.name) && !LOOPBACK_NAME.test(host.name);
  return internalNetworks.some((network) => isInNetwork(host.address, network));
}

/** The host of an https URL if no public CA issues certificates for it; undefined for other texts. */
export function findInternalTlsHost(url: string): string | undefined {
  const parsed = parseUrl(url);
  if (parsed?.protocol !== 'https:') return undefined;
  return isInternalHost(parseHost(urlHost(parsed))) ? parsed.hostname : undefined;
}

/**
 * The network of an emulated machine, in which QEMU lets us choose the address of its host. So a config with the Ironic address
 * 192.0.2.1 reaches the mock Ironic at this address, without any change. QEMU supports only IPv4 for this.
 */

import { UsageError } from '../../core/errors.ts';
import { quoteText } from '../../core/foreignText.ts';
import { parseHost } from '../../formats/hostName.ts';
import { type ApiPort, urlsAtPort } from '../api/apiEndpoint.ts';

/**
 * The address of this machine in the emulated network with which a URL of the config reaches the mock Ironic; undefined if
 * no URL has the scheme and the port of the mock Ironic and a suitable address.
 */
export function guestHostFor(urls: readonly string[], endpoint: ApiPort): string | undefined {
  const hosts = urlsAtPort(urls, endpoint).map(({ hostname }) => hostname);
  return hosts.find((host) => guestHostProblem(host) === undefined);
}

/** IPv4 addresses of a network with 254 hosts. */
export type GuestNetwork = Readonly<ReturnType<typeof guestNetwork>>;

/** QEMU's default address of its host. */
export const DEFAULT_GUEST_HOST = '10.0.2.2';

/** Number of DHCP addresses. */
const LEASES = 16;

/** @throws UsageError if it cannot be the address of the QEMU host */
export function guestNetwork(host: string) {
  const problem = guestHostProblem(host);
  if (problem !== undefined) {
    throw new UsageError(`--guest-host ${quoteText(host)}: ${problem}`, {
      hint: 'use the IPv4 address in the Ironic URL of the configs, for example 192.0.2.1',
    });
  }
  const parts = host.split('.').map(Number);
  const last = parts[3] ?? 0;
  const at = (number: number): string => [...parts.slice(0, 3), number].join('.');
  const defaultLease = 15;
  const isTaken = last >= defaultLease && last < defaultLease + LEASES;
  return {
    /** `10.0.2.0/24` */
    net: `${at(0)}/24`,
    /** Address of the QEMU host. */
    host,
    dns: at(last === 3 ? 4 : 3),
    /** The first address for guests. */
    firstLease: at(isTaken ? 100 : defaultLease),
  };
}

/** Why QEMU cannot use an address for its host; undefined if it can. */
export function guestHostProblem(host: string): string | undefined {
  if (parseHost(host).kind !== 'ipv4') return 'not an IPv4 address';
  const [first = 0, , , last = 0] = host.split('.').map(Number);
  if (first === 0 || first === 127 || first >= 224) return 'not the address of a host';
  return last === 0 || last === 255 ? 'a network or broadcast address' : undefined;
}

/**
 * Addresses of machines and of the mock Ironic: whether the Ironic that a config names is this one, and the network of an
 * emulated machine. That network has one address for the machine that it runs on, which can be chosen: a config that names
 * Ironic at 192.0.2.1 finds this one there without a change of a byte. Left out: IPv6 and names, for which QEMU has no such
 * choice.
 */

import { UsageError } from '../../core/errors.ts';
import { parseHost } from '../../formats/hostName.ts';

/** Where the API is played. */
export interface ApiPlace {
  readonly scheme: 'http' | 'https';
  readonly port: number;
  /** Addresses by which machines may reach it; names are never compared, as others resolve them. */
  readonly addresses: readonly string[];
}

/** Whether one of the URLs that the agent tries may lead here. A name may be anybody's, so it may. */
export function mayLeadHere(urls: readonly string[], place: ApiPlace): boolean {
  return urls.some((text) => {
    const url = urlOf(text);
    if (url === undefined || !isSamePort(url, place)) return false;
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (/(?:^|\.)localhost$/.test(host)) return loopback.some((address) => place.addresses.includes(address));
    return !isAddress(host) || place.addresses.includes(host);
  });
}

/** Whether it has the scheme and the port of this place, wherever it leads. */
export function hasPortOf(text: string, place: Pick<ApiPlace, 'scheme' | 'port'>): boolean {
  const url = urlOf(text);
  return url !== undefined && isSamePort(url, place);
}

/**
 * The address that this machine needs to have in the network of an emulated one, so that a URL of its config leads here;
 * undefined where no address would do.
 */
export function guestHostFor(
  urls: readonly string[],
  place: Pick<ApiPlace, 'scheme' | 'port'>,
): string | undefined {
  for (const text of urls) {
    const url = urlOf(text);
    if (url === undefined || !isSamePort(url, place)) continue;
    if (guestHostProblem(url.hostname) === undefined) return url.hostname;
  }
  return undefined;
}

/** To a machine, these are the machine itself. */
const loopback = ['127.0.0.1', '::1'];

function urlOf(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

function isSamePort({ port, protocol }: URL, place: Pick<ApiPlace, 'scheme' | 'port'>): boolean {
  const own = port === '' ? usualPorts[place.scheme] : Number(port);
  return protocol === `${place.scheme}:` && own === place.port;
}

const usualPorts = { http: 80, https: 443 } as const;

function isAddress(host: string): boolean {
  return host.includes(':') || /^[0-9.]+$/.test(host);
}

/** IPv4 addresses of a network of 254. */
export interface GuestNetwork {
  /** `10.0.2.0/24` */
  readonly net: string;
  /** By which the guest reaches the machine that it runs on. */
  readonly host: string;
  readonly dns: string;
  /** The first address for guests. */
  readonly firstLease: string;
}

/** The address that QEMU gives to the machine it runs on. */
export const USUAL_HOST = '10.0.2.2';

/** Guests get one of so many addresses from the first one on. */
const LEASES = 16;

/**
 * @param host for the machine that it runs on
 * @param option that names it, for messages
 * @throws UsageError
 */
export function guestNetwork(host: string, option: string): GuestNetwork {
  const problem = guestHostProblem(host);
  if (problem !== undefined) {
    throw new UsageError(`${option} ${JSON.stringify(host)}: ${problem}`, {
      hint: 'give an IPv4 address as the configs have it, e.g. 192.0.2.1',
    });
  }
  const parts = host.split('.').map(Number);
  const last = parts[3] ?? 0;
  const at = (number: number): string => [...parts.slice(0, 3), number].join('.');
  const usualLease = 15;
  const isTaken = last >= usualLease && last < usualLease + LEASES;
  return {
    net: `${at(0)}/24`,
    host,
    dns: at(last === 3 ? 4 : 3),
    firstLease: at(isTaken ? 100 : usualLease),
  };
}

/** Why an emulated machine cannot reach this machine at an address; undefined where it can. */
export function guestHostProblem(host: string): string | undefined {
  if (parseHost(host).kind !== 'ipv4') return 'it is no IPv4 address';
  const [first = 0, , , last = 0] = host.split('.').map(Number);
  if (first === 0 || first === 127 || first >= 224) return 'no machine in a network has it';
  return last === 0 || last === 255 ? 'it is the address of a whole network' : undefined;
}

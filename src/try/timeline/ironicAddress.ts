/** Whether the Ironic that a config names is the one that is played here. */

import { guestHostProblem } from './guestNetwork.ts';

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

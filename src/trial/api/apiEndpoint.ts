/** The address of the mock Ironic, and whether the Ironic URL of a config is that of the mock Ironic. */

import { parseUrl, portOf, urlHost } from '../../formats/url.ts';

export interface ApiPort {
  readonly scheme: 'http' | 'https';
  readonly port: number;
}

export interface ApiEndpoint extends ApiPort {
  /** Addresses at which machines may reach it. Names are never compared, because machines resolve them. */
  readonly addresses: readonly string[];
}

/** Whether one of the URLs may be the one of the mock Ironic. This is always possible for a host name. */
export function mayReachApi(urls: readonly string[], endpoint: ApiEndpoint): boolean {
  return urlsAtPort(urls, endpoint).some((url) => {
    const host = urlHost(url);
    if (/(?:^|\.)localhost$/.test(host))
      return loopback.some((address) => endpoint.addresses.includes(address));
    const isAddress = host.includes(':') || /^[0-9.]+$/.test(host);
    return !isAddress || endpoint.addresses.includes(host);
  });
}

/** Whether the URL has the scheme and the port of the mock Ironic, with any host. */
export function hasPortOf(text: string, endpoint: ApiPort): boolean {
  return urlsAtPort([text], endpoint).length > 0;
}

/** On each machine, the addresses of the machine itself. */
const loopback = ['127.0.0.1', '::1'];

export function urlsAtPort(urls: readonly string[], { port, scheme }: ApiPort): readonly URL[] {
  return urls
    .flatMap((text) => parseUrl(text) ?? [])
    .filter((url) => url.protocol === `${scheme}:` && portOf(url) === port);
}

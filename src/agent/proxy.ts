/**
 * HTTP proxies: validation, the environment of the unit for podman and the agent, and the proxy section of Ignition. The
 * agent must always reach Ironic without a proxy, so the Ironic hosts are always added to the hosts without proxy.
 */

import { quoteText } from '../core/foreignText.ts';
import { FormatError } from '../core/errors.ts';
import { isUriText, urlHost } from '../formats/url.ts';
import type { Proxy } from '../ignition/config.ts';
import type { AgentSettings } from './settings.ts';

const DIRECT_HOST = /^[A-Za-z0-9.\-_*:/[\]]+$/;

/** Returns the URL of a proxy unchanged. Throws FormatError without a subject and without a password. */
export function parseProxyUrl(text: string): string {
  const hint = 'use a URL such as http://proxy.example.com:3128, and write other characters as %XX';
  if (!isUriText(text) || !URL.canParse(text)) throw new FormatError('is not a URL', { hint });
  if (!['http:', 'https:'].includes(new URL(text).protocol)) {
    throw new FormatError('is neither an http:// nor an https:// URL', { hint });
  }
  return text;
}

/** Splits a list like `localhost,.example.com,192.0.2.0/24`. Throws FormatError without a subject. */
export function parseNoProxy(text: string): string[] {
  const hosts = splitList(text);
  const invalid = hosts.find((host) => !DIRECT_HOST.test(host));
  if (invalid !== undefined) {
    throw new FormatError(`contains ${quoteText(invalid)}, which is not a host, domain or network`, {
      hint: 'use a list such as localhost,.example.com,192.0.2.0/24',
    });
  }
  return hosts;
}

/** The section `proxy` of an Ignition config, supported since spec 3.1.0. */
export function renderIgnitionProxy(settings: AgentSettings): Proxy | undefined {
  const { http, https } = settings.proxy;
  if (http === undefined && https === undefined) return undefined;
  return {
    ...(http === undefined ? {} : { httpProxy: http }),
    ...(https === undefined ? {} : { httpsProxy: https }),
    noProxy: directHosts(settings),
  };
}

/**
 * The hosts of the user, then those of Ironic, which must always be reached without a proxy; IPv6 without brackets, the only form that
 * both Go and Python support. For Python, `*` means all hosts only
 * if it is alone.
 */
export function directHosts(settings: Pick<AgentSettings, 'apiUrls' | 'callbackUrls' | 'proxy'>): string[] {
  const [first, ...others] = settings.proxy.noProxy;
  if (first === '*' && others.length === 0) return ['*'];
  const ironic = [...settings.apiUrls, ...settings.callbackUrls]
    .filter((url) => URL.canParse(url)) // `mdns` names no host
    .map(urlHost);
  return [...new Set([...settings.proxy.noProxy, ...ironic])];
}

/** Items between commas, trimmed, without empty ones. */
export function splitList(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

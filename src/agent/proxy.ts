/**
 * The way out through HTTP proxies: checked, and given to podman and the agent (environment of the unit) and to
 * Ignition (its own section). A proxy must never come between the agent and Ironic, so Ironic's hosts are always among
 * those reached directly.
 */

import { FormatError } from '../core/errors.ts';
import type { Proxy } from '../ignition/config.ts';
import type { AgentSettings } from './settings.ts';

type ProxiedSettings = Pick<AgentSettings, 'apiUrls' | 'callbackUrls' | 'proxy'>;

/** RFC 3986: the only characters of a URI. WHATWG's parser would silently repair the others. */
const uriCharacters = /^(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$/;
// Ignition takes lines of a unit up to 2048 bytes; quoting may double a `%`, and the Ironic hosts join a list.
const maxUrlLength = 1000;
const maxListLength = 1500;
const directHost = /^[A-Za-z0-9.\-_*:/[\]]+$/;

/** Returns the URL of a proxy as given. Throws a FormatError whose message has no subject and no password. */
export function parseProxyUrl(text: string): string {
  const hint = 'a proxy is a URL like http://proxy.example.com:3128; other characters are written as %XX';
  if (text.length > maxUrlLength)
    throw new FormatError(`is longer than ${maxUrlLength} characters`, { hint });
  if (!uriCharacters.test(text)) throw new FormatError('is not a URL', { hint });
  if (!URL.canParse(text)) throw new FormatError('is not a URL', { hint });
  if (!['http:', 'https:'].includes(new URL(text).protocol)) {
    throw new FormatError('is neither an http:// nor an https:// URL', { hint });
  }
  return text;
}

/** Splits a list like `localhost,.example.com,192.0.2.0/24`. Throws a FormatError whose message has no subject. */
export function parseNoProxy(text: string): string[] {
  if (text.length > maxListLength) {
    throw new FormatError(`is longer than ${maxListLength} characters, which no unit can hold`, {
      hint: 'use domains such as .example.com and networks such as 192.0.2.0/24 instead of single hosts',
    });
  }
  const hosts = splitList(text);
  const wrong = hosts.find((host) => !directHost.test(host));
  if (wrong !== undefined) {
    throw new FormatError(`holds ${JSON.stringify(wrong)}, which is no host, domain or network`, {
      hint: 'write it like localhost,.example.com,192.0.2.0/24',
    });
  }
  return hosts;
}

/** The variables that podman reads, and hands on to its containers. */
export function proxyEnvironment(settings: AgentSettings): [name: string, value: string][] {
  const { http, https } = settings.proxy;
  if (http === undefined && https === undefined) return [];
  return [
    ...(http === undefined ? [] : [['HTTP_PROXY', http] satisfies [string, string]]),
    ...(https === undefined ? [] : [['HTTPS_PROXY', https] satisfies [string, string]]),
    ['NO_PROXY', directHosts(settings).join(',')],
  ];
}

/** The section `proxy` of an Ignition config, which is there from spec 3.1.0 on. */
export function renderIgnitionProxy(settings: AgentSettings): Proxy | undefined {
  const { http, https } = settings.proxy;
  if (http === undefined && https === undefined) return undefined;
  return {
    ...(http === undefined ? {} : { httpProxy: http }),
    ...(https === undefined ? {} : { httpsProxy: https }),
    noProxy: directHosts(settings),
  };
}

/** Ironic's hosts that the given list leaves to the proxy. Networks in it are not compared: nothing is said then. */
export function findProxiedHosts(settings: AgentSettings): string[] {
  const { http, https, noProxy } = settings.proxy;
  if (http === undefined && https === undefined) return [];
  if (noProxy.some((entry) => entry.includes('/') || entry === '*')) return [];
  return ironicHosts(settings).filter(
    (host) => !noProxy.some((entry) => host === entry || (entry.startsWith('.') && host.endsWith(entry))),
  );
}

/** The hosts of the user, then those of Ironic: what goes by a proxy must not come between the agent and Ironic. */
export function directHosts(settings: ProxiedSettings): string[] {
  return [...new Set([...settings.proxy.noProxy, ...ironicHosts(settings)])];
}

/** IPv6 without brackets, the one form that Go and Python both take. */
function ironicHosts({ apiUrls, callbackUrls }: ProxiedSettings): string[] {
  const hosts = [...apiUrls, ...callbackUrls].flatMap((url) => {
    return URL.canParse(url) ? [new URL(url).hostname.replace(/^\[|\]$/g, '')] : []; // `mdns` names no host
  });
  return [...new Set(hosts)];
}

/** Items between commas, trimmed, without empty ones. */
export function splitList(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

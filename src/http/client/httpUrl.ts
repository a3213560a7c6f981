/**
 * URLs of servers: detection, output without secrets, and credentials. Proxies come from the environment variables that curl
 * and coreos-installer support.
 */

import { UsageError } from '../../core/errors.ts';
import { decodePercent, parseUrl } from '../../formats/url.ts';
import type { Io } from '../../io/io.ts';

export function isRemote(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

/** The target of a request. User names, passwords and queries are secrets: only `name` may be shown. */
export function parseHttpUrl(text: string) {
  const url = parseUrl(text);
  const login = url === undefined ? undefined : readLogin(url);
  if (url === undefined || login === undefined) {
    throw new UsageError('invalid URL', {
      hint: 'use a URL like https://192.0.2.1/ironic-agent.ign, with special characters as %XX',
    });
  }
  url.username = '';
  url.password = '';
  const authorization = login === ':' ? undefined : `Basic ${Buffer.from(login).toString('base64')}`;
  return { name: shownUrl(url), url, authorization };
}

/** A URL as it may be shown: without user, password and query. */
export function shownUrl({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}

/** `user:password`; undefined for invalid escapes. */
function readLogin({ username, password }: URL): string | undefined {
  const [user, secret] = [decodePercent(username), decodePercent(password)];
  return user === undefined || secret === undefined ? undefined : `${user}:${secret}`;
}

/** Proxy URLs; empty means no proxy. */
export interface HttpProxies {
  readonly http: string;
  readonly https: string;
  /** The hosts without proxy, as listed in NO_PROXY. */
  readonly except: string;
}

export function parseProxies(env: Io['env']): HttpProxies {
  const find = (name: string): string | undefined => env[name] ?? env[name.toUpperCase()];
  const all = find('all_proxy');
  return {
    http: parseProxy(find('http_proxy') ?? all),
    https: parseProxy(find('https_proxy') ?? all),
    except: find('no_proxy') ?? '',
  };
}

function parseProxy(proxy = ''): string {
  if (proxy === '') return '';
  const url = proxy.includes('://') ? proxy : `http://${proxy}`;
  if (isProxyUrl(url)) return url;
  throw new UsageError('Invalid proxy URL in the environment', {
    hint: 'set http_proxy and https_proxy to a URL like http://192.0.2.1:3128',
  });
}

export function isProxyUrl(text: string): boolean {
  return URL.canParse(text) && /^(?:https?|socks5?):\/\//i.test(text);
}

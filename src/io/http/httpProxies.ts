/** The proxies that the environment names, by the variables that curl and coreos-installer know. */

import { UsageError } from '../../core/errors.ts';
import type { Io } from '../io.ts';

/** URLs; empty stands for none. */
export interface HttpProxies {
  /** For `http://`. */
  readonly http: string;
  /** For `https://`. */
  readonly https: string;
  /** The hosts that are asked directly, as NO_PROXY lists them. */
  readonly except: string;
}

/** @throws UsageError where one is no URL */
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
  if (URL.canParse(url) && /^(?:https?|socks5?):/i.test(url)) return url;
  throw new UsageError('The environment names a proxy that is no URL', {
    hint: 'write http_proxy and https_proxy like http://192.0.2.1:3128',
  });
}

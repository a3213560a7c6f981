import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/core/errors.ts';
import { parseProxies } from '../../../src/http/client/httpUrl.ts';

const none = { http: '', https: '', except: '' };

describe('parseProxies', () => {
  it.each<[env: Record<string, string>, proxies: object]>([
    [{}, none],
    [{ http_proxy: 'http://a:1' }, { ...none, http: 'http://a:1' }],
    [{ HTTP_PROXY: 'http://a:1' }, { ...none, http: 'http://a:1' }],
    [{ https_proxy: 'http://a:1' }, { ...none, https: 'http://a:1' }],
    [{ HTTPS_PROXY: 'https://a:1' }, { ...none, https: 'https://a:1' }],
    [{ all_proxy: 'http://a:1' }, { ...none, http: 'http://a:1', https: 'http://a:1' }],
    [
      { ALL_PROXY: 'http://a:1', https_proxy: 'http://b:2' },
      { ...none, http: 'http://a:1', https: 'http://b:2' },
    ],
    [
      { ALL_PROXY: 'http://a:1', https_proxy: '' },
      { ...none, http: 'http://a:1' },
    ],
    [
      { http_proxy: 'http://a:1', HTTP_PROXY: 'http://b:2' },
      { ...none, http: 'http://a:1' },
    ],
    [{ http_proxy: '192.0.2.1:3128' }, { ...none, http: 'http://192.0.2.1:3128' }],
    [{ NO_PROXY: 'a,.b' }, { ...none, except: 'a,.b' }],
  ])('%j', (env, proxies) => {
    expect(parseProxies(env)).toEqual(proxies);
  });

  it.each(['http://[', 'ftp://a:1', 'file:///etc/passwd'])('refuses %s', (proxy) => {
    expect(() => parseProxies({ https_proxy: proxy })).toThrow(UsageError);
  });
});

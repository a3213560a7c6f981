import { describe, expect, it } from 'vitest';
import { brokenRules } from '../../support/brokenRules.ts';

describe('proxies', () => {
  it.each([
    [{}, []],
    [{ httpProxy: 'http://p:3128', httpsProxy: 'https://p:3129' }, []],
    [{ httpProxy: 'https://p' }, []],
    [{ httpsProxy: 'http://p' }, ['proxy-insecure at httpsProxy']],
    [{ httpProxy: '' }, ['proxy-scheme at httpProxy']],
    [
      { httpProxy: 'socks5://p', httpsProxy: 'p' },
      ['proxy-scheme at httpProxy', 'proxy-scheme at httpsProxy'],
    ],
    [
      { httpProxy: 'http://[', httpsProxy: 'p:%' },
      ['url-unparsable at httpProxy', 'proxy-scheme at httpsProxy'],
    ],
    [{ noProxy: ['', 'x'] }, []],
  ])('%j breaks %j', (proxy, rules) => {
    expect(brokenRules('Proxy', proxy)).toEqual(rules);
  });
});

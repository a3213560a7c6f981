import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkUrl, parseBootUrl } from '../../src/kargs/urlArgument.ts';
import { urlQuery, webUrl } from '../support/arbitraryText.ts';

const rulesOf = (text: string): string[] => checkUrl(text, ['http', 'https', 's3']).map(({ rule }) => rule);

describe('checkUrl', () => {
  it.each([
    'http://h/x',
    'https://h:8443/x?a=1&b=2',
    'http://192.0.2.1:6180/images/ironic-python-agent.rootfs',
    'http://[2001:db8::1]:80/x',
    's3://bucket/key',
    'http://h',
    'https://h/x?from=http://192.0.2.1/y',
  ])('accepts %s', (text) => {
    expect(rulesOf(text)).toEqual([]);
  });

  it.each([
    ['', 'boot-url-scheme'],
    ['/images/x', 'boot-url-scheme'],
    ['h/x', 'boot-url-scheme'],
    ['ftp://h/x', 'boot-url-scheme'],
    ['HTTP://h/x', 'boot-url-scheme'],
    ['javascript:alert(1)', 'boot-url-scheme'],
    ['http:', 'boot-url-host'],
    ['http:/h/x', 'boot-url-host'],
    ['http:///x', 'boot-url-host'],
    ['http://:80/x', 'boot-url-host'],
    ['http://user@/x', 'boot-url-host'],
    ['http://2001:db8::1/x', 'boot-url-host'],
    ['http://[2001:db8::1/x', 'boot-url-host'],
    ['http://[2001:zz::1]/x', 'boot-url-host'],
    ['http://300.0.0.1/x', 'boot-url-host'],
    ['http://h:http/x', 'boot-url-host'],
    ['http://h:65536/x', 'boot-url-host'],
    ['http://u:p@h/x', 'boot-url-credentials'],
    ['http://h/a//x?b=c', 'boot-url-slashes'],
  ])('%j breaks %s', (text, rule) => {
    expect(rulesOf(text)).toEqual([rule]);
  });
});

describe('parseBootUrl', () => {
  it('puts the parts of any accepted URL together again', () => {
    fc.assert(
      fc.property(webUrl({ port: fc.nat(65_535), query: urlQuery }), (text) => {
        const url = parseBootUrl(text);
        if (url === undefined) return;
        const port = url.port === '' ? '' : `:${url.port}`;
        expect(`${url.scheme}://${url.host}${port}${url.path}`).toBe(text);
      }),
    );
  });

  it('answers any text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(checkUrl(`http://${text}`, ['http']).length).toBeLessThan(2);
      }),
    );
  });
});

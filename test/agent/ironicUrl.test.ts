import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkApiUrls,
  checkCallbackUrl,
  findUrlProblem,
  ironicHostUrl,
  parseIronicUrl,
} from '../../src/agent/ironicUrl.ts';
import { UsageError } from '../../src/errors.ts';

/** Message and hint of the UsageError, or the result as JSON. */
function outcome(call: () => unknown): string {
  try {
    return JSON.stringify(call());
  } catch (error) {
    if (error instanceof UsageError) return `${error.message} | ${error.hint}`;
    throw error;
  }
}

describe('ironicHostUrl', () => {
  const target = { scheme: 'https', port: 6385, flag: '--host' } as const;

  it.each([
    ['192.0.2.1', 'https://192.0.2.1:6385'],
    ['ironic.example.com', 'https://ironic.example.com:6385'],
    ['2001:db8::1', 'https://[2001:db8::1]:6385'],
    ['[2001:db8::1]', 'https://[2001:db8::1]:6385'],
    ['fe80::1%eno1', 'https://[fe80::1%25eno1]:6385'],
  ])('%s', (host, expected) => {
    expect(ironicHostUrl(host, target)).toBe(expected);
  });

  it.each([
    ['', 'it is empty'],
    ['192.0.2.1:6385', 'there is a port in it | Give the whole URL with --api-url'],
    ['[::1]:6385', 'there is a port in it'],
    ['http://192.0.2.1', 'this is a URL'],
    ['a b', 'there is a blank or a comma in it'],
    ['a,b', '--api-url takes several'],
    ['a/b', 'there is a path in it'],
    ['user:secret@h', 'this has a user name in it'],
    ['[192.0.2.1]', 'brackets are for IPv6 addresses'],
    ['2001:db8::g', 'it is not an IPv6 address'],
    ['not_a_host', 'it has an underscore in it'],
    ['300.0.0.1', 'it ends in a number, but is not an IPv4 address'],
  ])('refuses %j', (host, reason) => {
    const text = outcome(() => ironicHostUrl(host, target));
    expect(text).toContain('--host needs a host name or address; ');
    expect(text).toContain(reason);
    expect(text).not.toContain('secret');
  });
});

describe('checkApiUrls', () => {
  it.each([
    ['https://192.0.2.1,https://[2001:db8::1]', ['https://192.0.2.1:6385', 'https://[2001:db8::1]:6385']],
    ['https://h:443', ['https://h:443']],
    [' https://a , http://b:80/x/ ', ['https://a:6385', 'http://b:80/x/']],
    ['mdns', ['mdns']],
    ['HTTPS://h', ['https://h:6385']],
    ['http://[fe80::1%25eth0]:1', ['http://[fe80::1%25eth0]:1']],
  ])('%s', (text, expected) => {
    expect(checkApiUrls(text, { flag: '--api-url', defaultPort: 6385 })).toEqual(expected);
  });

  it.each([
    ['', 'a URL is empty'],
    ['https://a,', 'a URL is empty'],
    [
      '192.0.2.1',
      'the URL "192.0.2.1" does not start with http:// or https:// | Write https://192.0.2.1:6385',
    ],
    ['ironic.example.com:6385', 'Write https://ironic.example.com:6385'],
    ['2001:db8::1', 'Write https://[2001:db8::1]:6385'],
    ['mdns,http://a', '"mdns" stands beside URLs'],
    ['http://[::1,http://ok', 'the host and port of the URL cannot be read'],
    ['https://2001:db8::1', 'the IPv6 address in the URL has no brackets | write [2001:db8::1]'],
    ['https://[192.0.2.1]', 'brackets are for IPv6 addresses'],
    ['https://[fe80::1%eth0]', 'the "%" before a zone is written "%25" in a URL'],
    ['https://h:0', 'the port of the URL is not a number from 1 to 65535'],
    ['https://h:65536', 'the port of the URL'],
    ['https://h:', 'the port of the URL'],
    ['https://:80', 'there is no host in the URL'],
    ['https://', 'there is no host in the URL'],
    ['ftp://h', 'the agent does not speak "ftp"'],
    ['https://user:secret@h', 'there is a user name in the URL'],
    ['user:secret@h', 'does not start with http://'],
    ['https://h?a', 'there is a query or fragment in the URL'],
    ['https://h/a b', 'there is a blank in the URL'],
    ['https://h_h', 'it has an underscore in it'],
    ['https://h\\x', 'is not allowed'],
  ])('refuses %j', (text, reason) => {
    const shown = outcome(() => checkApiUrls(text, { flag: '--api-url' }));
    expect(shown).toMatch(/^--api-url: /);
    expect(shown).toContain(reason);
    expect(shown).not.toContain('secret');
  });

  it('adds no port unless it is told which', () => {
    expect(checkApiUrls('http://h', { flag: 'x' })).toEqual(['http://h']);
    expect(checkCallbackUrl('http://h:5050/v1/continue', 'x')).toEqual(['http://h:5050/v1/continue']);
  });

  it('gives URLs that are read back, by others too', () => {
    const host = fc.oneof(
      fc.domain(),
      fc.ipV4(),
      fc.ipV6().map((text) => `[${text}]`),
    );
    const port = fc.option(fc.integer({ min: 1, max: 65535 }), { nil: undefined });
    fc.assert(
      fc.property(fc.constantFrom('http', 'https'), host, port, (scheme, place, number) => {
        const text = `${scheme}://${place}${number === undefined ? '' : `:${number}`}`;
        expect(checkApiUrls(text, { flag: 'x' })).toEqual([text]);
        expect(new URL(text).protocol).toBe(`${scheme}:`);
      }),
    );
  });

  it('takes apart any text or says why not', () => {
    const nearly = fc.string({
      unit: fc.constantFrom('http', 's', '://', '[', ']', ':', '1', '.', 'a', '%', '@', '/', ','),
    });
    fc.assert(
      fc.property(fc.oneof(nearly, fc.string()), (text) => {
        const url = parseIronicUrl(text);
        expect('message' in url || URL.canParse(text) || text.includes('%25')).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('findUrlProblem', () => {
  it.each([
    ['mdns', undefined],
    ['http://a,http://b', undefined],
    ['http://a,', undefined],
    ['http://a, http://b', 'there is a blank beside a comma'],
    ['http://a,\nhttp://b', 'there is a blank beside a comma'],
    ['mdnsx', 'the URL "mdnsx" does not start with http:// or https://'],
  ])('%j', (list, message) => {
    expect(findUrlProblem(list)?.message).toBe(message);
  });
});

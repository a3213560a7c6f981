import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkApiUrls,
  checkCallbackUrl,
  findUrlListAddress,
  findUrlProblem,
  ironicHostUrl,
  parseInspectorUrls,
  parseIronicUrl,
} from '../../src/agent/ironicUrl.ts';
import { findUrlAddressProblem } from '../../src/agent/machineAddress.ts';
import { UsageError } from '../../src/core/errors.ts';

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
    ['192.0.2.1:6385', 'it is not an IPv6 address'],
    ['http://192.0.2.1', 'or a whole URL with --api-url'],
    ['a b', 'it contains a space'],
    ['a/b', 'is not allowed'],
    ['user:secret@h', 'the value is invalid'],
    ['[192.0.2.1]', 'brackets are valid only for IPv6 addresses'],
    ['2001:db8::g', 'it is not an IPv6 address'],
    ['not_a_host', 'it contains an underscore'],
    ['300.0.0.1', 'it ends in a number, but is not an IPv4 address'],
  ])('refuses %j', (host, reason) => {
    const text = outcome(() => ironicHostUrl(host, target));
    expect(text).toContain('--host requires a host name or address; ');
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
    ['192.0.2.1', 'the URL "192.0.2.1" does not start with http:// or https:// | use a URL'],
    ['2001:db8::1', 'or https://[2001:db8::1]:6385'],
    ['mdns,http://a', '"mdns" is combined with URLs'],
    ['http://[::1,http://ok', 'the URL has an invalid host or port'],
    ['https://2001:db8::1', 'the URL has an invalid host or port | use a URL such as'],
    ['https://[192.0.2.1]', 'brackets are valid only for IPv6 addresses'],
    ['https://[fe80::1%eth0]', 'the "%" before a zone must be written as "%25" in a URL'],
    ['https://h:0', 'the port of the URL is not a number from 1 to 65535'],
    ['https://h:65536', 'the port of the URL'],
    ['https://h:', 'the port of the URL'],
    ['https://:80', 'the URL contains no host'],
    ['https://', 'the URL contains no host'],
    ['ftp://h', 'the agent does not support the scheme "ftp"'],
    ['https://user:secret@h', 'the URL contains a user name'],
    ['user:secret@h', 'does not start with http://'],
    ['/v1', 'the URL "/v1" does not start with http:// or https:// | use a URL such as'],
    ['https://h?a', 'the URL contains a query or fragment'],
    ['https://h/a b', 'the URL contains whitespace'],
    ['https://h_h', 'it contains an underscore'],
    ['https://h\\x', 'is not allowed'],
  ])('refuses %j', (text, reason) => {
    const shown = outcome(() => checkApiUrls(text, { flag: '--api-url' }));
    expect(shown).toMatch(/^--api-url: /);
    expect(shown).toContain(reason);
    expect(shown).not.toContain('secret');
  });

  it.each([
    ['https://cloud/v1', 'https://cloud'],
    ['https://192.0.2.1:6385/v1/', 'https://192.0.2.1:6385'],
    ['http://cloud/baremetal//v1//', 'http://cloud/baremetal'],
    ['http://cloud:80/baremetal/v1/nodes', 'http://cloud:80/baremetal'],
    ['https://h/v1/continue_inspection', 'https://h'],
  ])('refuses %s, to which the agent would append the path again', (text, base) => {
    expect(outcome(() => checkApiUrls(text, { flag: '--api-url' }))).toBe(
      `--api-url: the URL contains the path /v1, which the agent appends | use ${base}`,
    );
  });

  it.each(['https://h/v1.82', 'https://h/v1/site', 'https://h/dev1', 'https://h/v1x'])(
    'takes the path of %s',
    (url) => {
      expect(checkApiUrls(url, { flag: 'x' })).toEqual([url]);
    },
  );

  it.each([
    'http://0.0.0.0',
    'https://[::]:6385',
    'https://[fe80::1]',
    'https://[febf::1]/x',
    'https://[::ffff:0.0.0.0]',
    'http://255.255.255.255',
    'http://[ff02::1]',
    'http://ok,http://0.1.2.3',
  ])('refuses %s, at which there is no machine', (text) => {
    const shown = outcome(() => checkApiUrls(text, { flag: '--api-url', defaultPort: 6385 }));
    expect(shown).toMatch(/^--api-url: \S+ is .* \| use an address/);
  });

  it.each([
    ['https://cloud/baremetal', 'https://cloud/baremetal'],
    ['https://cloud/', 'https://cloud:6385/'],
    ['https://cloud:6385/baremetal', 'https://cloud:6385/baremetal'],
  ])('adds the default port to %s only where the URL is a host', (text, expected) => {
    expect(checkApiUrls(text, { flag: 'x', defaultPort: 6385 })).toEqual([expected]);
  });

  it('adds a port that was chosen to every URL', () => {
    const source = { flag: 'x', defaultPort: 6388, isPortChosen: true };
    expect(checkApiUrls('https://a/b,https://c:1/d', source)).toEqual(['https://a:6388/b', 'https://c:1/d']);
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
        fc.pre(findUrlAddressProblem(text)?.severity !== 'error');
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

describe('parseInspectorUrls', () => {
  it.each([
    ['https://i', 'https://i:5050/v1/continue'],
    ['https://i/', 'https://i:5050/v1/continue'],
    ['https://i/v1/continue', 'https://i:5050/v1/continue'],
    ['https://i:6385/v1/continue_inspection', 'https://i:6385/v1/continue_inspection'],
    ['https://cloud/inspection', 'https://cloud/inspection/v1/continue'],
    ['https://cloud/inspection/v1/continue', 'https://cloud/inspection/v1/continue'],
    ['mdns', 'mdns'],
  ])('%s', (text, expected) => {
    expect(parseInspectorUrls(text, { flag: 'x', defaultPort: 5050 })).toEqual([expected]);
  });

  it('refuses the path of the API and addresses of no machine', () => {
    const source = { flag: '--inspector-url', defaultPort: 5050 };
    expect(outcome(() => parseInspectorUrls('https://i:5050/v1', source))).toContain('| use https://i:5050');
    expect(outcome(() => parseInspectorUrls('https://[::]', source))).toContain(
      ':: is an address to listen on',
    );
    expect(outcome(() => checkCallbackUrl('http://0.0.0.0/v1/continue', 'x'))).toContain('to listen on');
  });
});

describe('findUrlListAddress', () => {
  it.each([
    ['http://localhost:6385', 'localhost is the booted machine itself'],
    ['http://a,https://127.8.9.1', '127.8.9.1 is the booted machine itself'],
    ['https://[::1]:6385', '::1 is the booted machine itself'],
    ['https://[::ffff:127.0.0.1]', '::ffff:127.0.0.1 is the booted machine itself'],
    ['https://API.localhost', 'API.localhost is the booted machine itself'],
    ['https://localhost.localdomain', 'localhost.localdomain is the booted machine itself'],
    ['http://169.254.1.1', '169.254.1.1 is link-local'],
  ])('%s', (list, message) => {
    expect(findUrlListAddress(list)?.message).toContain(message);
  });

  it.each([
    'mdns',
    'http://localhost.example.com',
    'http://128.0.0.1',
    'http://[fe80::1%25eth0]',
    'http://10.0.0.1',
  ])('nothing about %s', (list) => {
    expect(findUrlListAddress(list)).toBeUndefined();
  });
});

describe('findUrlProblem', () => {
  it.each([
    ['mdns', undefined],
    ['http://a,http://b', undefined],
    ['http://a,', undefined],
    ['http://a, http://b', 'there is whitespace next to a comma'],
    ['http://a,\nhttp://b', 'there is whitespace next to a comma'],
    ['mdnsx', 'the URL "mdnsx" does not start with http:// or https://'],
  ])('%j', (list, message) => {
    expect(findUrlProblem(list, 'api_url')?.message).toBe(message);
  });

  it.each([
    ['http://h:5050', 'http://h:5050/v1/continue_inspection'],
    ['http://h:6385/', 'http://h:6385/v1/continue_inspection'],
    ['http://h/x/v1/', 'http://h/x/v1/continue_inspection'],
  ])('names the path that %s lacks for inspection data', (url, expected) => {
    expect(findUrlProblem(url, 'inspection_callback_url')?.hint).toContain(`use ${expected}, or `);
  });

  it.each(['http://h/v1/continue', 'http://h/v1/continue_inspection', 'http://h/cgi/receive'])(
    'takes %s for inspection data',
    (url) => {
      expect(findUrlProblem(url, 'inspection_callback_url')).toBeUndefined();
    },
  );
});

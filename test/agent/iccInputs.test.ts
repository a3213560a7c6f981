/** Inputs of ICC that no recorded run has: URLs, and values in places without quotes. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkIccHostname,
  checkIccImage,
  checkIccValue,
  iccVlanInterfaces,
  parseIccApiUrls,
  parseIccInspectorUrls,
} from '../../src/agent/profiles/icc.ts';
import { FormatError, UsageError } from '../../src/core/errors.ts';
import { splitExecLine } from '../../src/formats/systemdQuoting.ts';

const api = { flag: 'IRONIC_BASE_URL', defaultPort: 6385 };
const inspector = { flag: 'IRONIC_INSPECTOR_BASE_URL', defaultPort: 5050 };

describe('parseIccApiUrls', () => {
  it.each([
    ['http://h', 'http://h:6385'],
    ['HTTPS://h', 'https://h:6385'],
    ['https://h/', 'https://h:6385/'],
    ['https://[fe80::1%25eth0]', 'https://[fe80::1%25eth0]:6385'],
    [',https://a,,http://b:1/x,', 'https://a:6385,http://b:1/x'],
    ['https://u:p%40ss@h?a=b#c', 'https://u:p%40ss@h:6385?a=b#c'],
    ['https://h#', 'https://h:6385'],
  ])('%s', (text, urls) => expect(parseIccApiUrls(text, api).join(',')).toBe(urls));

  it.each([
    ['mdns', 'does not support mDNS'],
    ['https://a, https://b', 'whitespace next to a comma'],
    ['https://a,b:6385', 'does not start with http'],
    [',', 'contains no URL'],
    ['https://2001:db8::1', 'invalid host or port'],
    ['https://h/ä', 'written as %XX'],
    ['https://h:', 'port'],
    ['ftp://h', 'does not support the scheme "ftp"'],
  ])('refuses %s', (text, message) => {
    expect(() => parseIccApiUrls(text, api)).toThrow(UsageError);
    expect(() => parseIccApiUrls(text, api)).toThrow(message);
  });
});

describe('parseIccInspectorUrls', () => {
  it.each([
    ['http://h', 'http://h:5050/v1/continue'],
    ['http://h/a?b', 'http://h:5050/a/v1/continue?b'],
    ['http://h:1/v1/continue,http://i', 'http://h:1/v1/continue,http://i:5050/v1/continue'],
  ])('%s', (text, urls) => expect(parseIccInspectorUrls(text, inspector).join(',')).toBe(urls));

  it.each(['http://h/', 'http://h/a/', 'http://h:6385/v1/continue_inspection', 'mdns'])(
    'refuses %s',
    (text) => expect(() => parseIccInspectorUrls(text, inspector)).toThrow(UsageError),
  );
});

function takes(check: (text: string) => string, text: string): boolean {
  try {
    return check(text) === text;
  } catch (error) {
    if (error instanceof FormatError) return false;
    throw error;
  }
}

describe('values in the unit of ICC', () => {
  const printable = fc.string({
    unit: fc.oneof(
      fc.constantFrom('%', '$', '"', "'", '\\', '{', '}', ';', '=', ' ', '\n'),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    ),
  });

  it('arrive as they are wherever they are taken', () => {
    const property = fc.property(printable, (text) => {
      const written = [
        takes(checkIccValue, text) ? `"${text}"` : undefined,
        takes(checkIccImage, text) ? text : undefined,
        takes((name) => checkIccHostname(name, { warn: () => undefined }), text) ? text : undefined,
      ].filter((word) => word !== undefined);
      const read = written.map((word) => splitExecLine(word));
      expect(read).toEqual(written.map(() => [[{ text, expands: false }]]));
    });
    expect(() => fc.assert(property, { numRuns: 1000 })).not.toThrow();
  });

  it.each([
    ['always', false, 'all'],
    ['ALWAYS', true, 'all'],
    ['Never', false, ''],
    ['eth0.100', false, 'all'],
    ['auto', true, ''],
  ])('VLAN mode %s, with a network: %s', (mode, hasNetwork, value) =>
    expect(iccVlanInterfaces(mode, { hasNetwork })).toBe(value),
  );
});

import { isIPv6 } from 'node:net';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatAddress, isLinkLocal, maskAddress, parseAddress } from '../../src/network/ipAddress.ts';

/** The canonical form, or undefined. */
function canonical(text: string): string | undefined {
  const parsed = parseAddress(text);
  return parsed === undefined ? undefined : formatAddress(parsed);
}

describe('addresses', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::', '::'],
    ['::1', '::1'],
    ['2001:0DB8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['1:0:0:0:0:0:0:0', '1::'],
    ['::ffff:c000:0201', '::ffff:192.0.2.1'],
    ['::192.0.2.1', '::c000:201'],
    ['64:ff9b::192.0.2.33', '64:ff9b::c000:221'],
  ])('%s is %s', (text, formatted) => {
    expect(canonical(text)).toBe(formatted);
  });

  it.each([
    '',
    'x',
    '192.0.2',
    '192.0.2.01',
    '192.0.2.256',
    ':::',
    '1::2::3',
    'fe80::1%eth0',
    '1:2:3:4:5:6:7:8:9',
  ])('%j is none', (text) => {
    expect(canonical(text)).toBeUndefined();
  });

  it('come back from their canonical form, which Node takes too', () => {
    fc.assert(
      fc.property(fc.ipV6(), (text) => {
        const formatted = canonical(text) ?? '';
        expect(isIPv6(formatted)).toBe(true);
        expect(parseAddress(formatted)).toEqual(parseAddress(text));
      }),
    );
  });

  it.each([
    ['192.0.2.255', 24, '192.0.2.0'],
    ['192.0.2.255', 0, '0.0.0.0'],
    ['192.0.2.255', 31, '192.0.2.254'],
    ['2001:db8:ffff::1', 33, '2001:db8:8000::'],
    ['2001:db8::1', 128, '2001:db8::1'],
  ])('%s/%i is in %s', (text, prefixLength, network) => {
    const parsed = parseAddress(text);
    expect(parsed && formatAddress(maskAddress(parsed, prefixLength))).toBe(network);
  });

  it.each([
    ['fe80::1', true],
    ['febf::1', true],
    ['fec0::1', false],
    ['254.128.0.1', false],
  ])('%s is link-local: %s', (text, expected) => {
    const parsed = parseAddress(text);
    expect(parsed && isLinkLocal(parsed)).toBe(expected);
  });
});

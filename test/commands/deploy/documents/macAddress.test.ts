import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseMacAddress } from '../../../../src/core/macAddress.ts';

describe('parseMacAddress', () => {
  it.each([
    ['colons', '52:54:00:12:34:56', '52:54:00:12:34:56'],
    ['dashes', '52-54-00-12-34-56', '52:54:00:12:34:56'],
    ['upper case', 'A2:B4:C0:D2:E4:F6', 'a2:b4:c0:d2:e4:f6'],
  ])('reads %s', (_title, text, mac) => {
    expect(parseMacAddress(text)).toEqual({ mac });
  });

  it.each([
    ['nothing', ''],
    ['five octets', '52:54:00:12:34'],
    ['eight octets', '52:54:00:12:34:56:78:9a'],
    ['mixed separators', '52:54-00:12:34:56'],
    ['no separators', '525400123456'],
    ['Cisco dots', '5254.0012.3456'],
    ['one digit', '5:54:00:12:34:56'],
    ['a letter beyond f', '52:54:00:12:34:5g'],
    ['a blank behind it', '52:54:00:12:34:56 '],
    ['a line break behind it', '52:54:00:12:34:56\n'],
    ['zeros', '00:00:00:00:00:00'],
    ['broadcast', 'ff:ff:ff:ff:ff:ff'],
    ['a group', '01:00:5e:00:00:01'],
  ])('refuses %s', (_title, text) => {
    expect(parseMacAddress(text)).toHaveProperty('problem');
  });

  it('reads what it has written, and nothing else makes it throw', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9a-fA-F:-]{17}$/)), (text) => {
        const read = parseMacAddress(text);
        expect('mac' in read ? parseMacAddress(read.mac) : read).toEqual(read);
      }),
    );
  });

  it('reads every address of an interface', () => {
    const octet = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(fc.tuple(octet, octet, octet, octet, octet, fc.integer({ min: 1, max: 255 })), (octets) => {
        const [first, ...rest] = octets;
        const mac = [first & 0xfe, ...rest].map((value) => value.toString(16).padStart(2, '0')).join(':');
        expect(parseMacAddress(mac.toUpperCase())).toEqual({ mac });
      }),
    );
  });
});

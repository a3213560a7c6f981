import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { isHexDigit, unescapeInPlace } from '../../src/formats/goUrl.ts';

it('knows the hexadecimal digits', () => {
  const digits = Array.from({ length: 0x100 }, (_, code) => code).filter(isHexDigit);
  expect(String.fromCharCode(...digits)).toBe('0123456789ABCDEFabcdef');
  expect(isHexDigit(Number.NaN)).toBe(false);
});

it('gives back the bytes that were escaped', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.boolean(), (bytes, inUpperCase) => {
      const escaped = Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('x');
      const text = inUpperCase ? escaped.toUpperCase().replaceAll('X', 'x') : escaped;
      const separated = [...bytes].flatMap((byte, index) => (index === 0 ? [byte] : [0x78, byte]));
      expect([...unescapeInPlace(Buffer.from(text))]).toEqual(separated);
    }),
  );
});

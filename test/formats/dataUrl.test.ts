import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../src/core/errors.ts';
import { checkDataUrl, decodeDataUrl } from '../../src/formats/dataUrl.ts';

const textOf = (source: string): string => Buffer.from(decodeDataUrl(source)).toString();

function decodes(source: string): boolean {
  try {
    decodeDataUrl(source);
    return true;
  } catch (error) {
    if (error instanceof FormatError) return false;
    throw error;
  }
}

describe('decodeDataUrl', () => {
  it.each([
    ['data:,', ''],
    ['data:,a%20b', 'a b'],
    ['data:;base64,QQ==', 'A'],
    ['data:;base64,QR==', 'A'],
    ['data:image/png,x', 'x'],
    ['data:text/,x', 'x'],
    ['data:x-any/thing,x', 'x'],
    ['data:textual/plain,x', 'x'],
    ['data:;charset=utf-8;base64,QUI=', 'AB'],
    ['data:;a="b;,\\u00e9",x', 'x'],
    ['data:;a="";b=%zz,x', 'x'],
    ['data:,?', '?'],
    ['data:X-a/b,x', 'x'],
    ['data:text/plain;a="\\101\\x41\\t\\"\\\\";b=c,x', 'x'],
    ['data:text/plain;a="\\U0010ffff\\ue000",x', 'x'],
    ['data:text/plain;a="b%zz",x', 'x'],
    ['data:text/pla%7fin,x', 'x'],
    ['data:;a="#";base64,QU\nI=\n', 'AB'],
  ])('reads %j', (source, text) => {
    expect(checkDataUrl(source)).toBeUndefined();
    expect(textOf(source)).toBe(text);
  });

  it('gives back what was encoded', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (data) => {
        const escaped = Array.from(data, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
        const encoded = Buffer.from(data).toString('base64');
        for (const source of [`data:,${escaped}`, `data:;base64,${encoded}`]) {
          expect([...decodeDataUrl(source)]).toEqual([...data]);
        }
      }),
    );
  });

  it('refuses what the check refuses, and nothing else', () => {
    const piece = fc.constantFrom(
      'data:',
      'text/plain',
      'x-',
      '/',
      ';',
      'a=b',
      '="',
      '"',
      '\\',
      'base64',
      ',',
      'QQ',
      '=',
      '%4',
      '1',
      'é',
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const source = pieces.join('');
        expect(decodes(source)).toBe(checkDataUrl(source) === undefined);
      }),
    );
  });

  it('reads many megabytes', () => {
    const data = Buffer.alloc(12_000_000, 'ab');
    expect(decodeDataUrl(`data:;base64,${data.toString('base64')}`).length).toBe(data.length);
    expect(decodeDataUrl(`data:,${'a%20'.repeat(2_000_000)}`).length).toBe(4_000_000);
  });
});

describe('checkDataUrl', () => {
  it.each([
    ['DATA:,x', 'missing data prefix'],
    ['data:', 'missing comma before data'],
    ['data:(', 'invalid character after data prefix'],
    ['data:base64,QQ==', 'invalid character for media type'],
    ['data:text', 'missing media type slash'],
    ['data:x,abc', 'missing media type slash'],
    ['data:x😀', 'missing media type slash'],
    ['data:font/woff,x', 'invalid media type'],
    ['data:Text/plain,x', 'invalid media type'],
    ['data:Xtext/b,x', 'invalid media type'],
    ['data:xx/b,x', 'invalid media type'],
    ['data:qtext/b,x', 'invalid media type'],
    ['data:q-text/b,x', 'invalid media type'],
    ['data:te\u007fxt/b,x', 'invalid character for media type'],
    ['data:te\u001fxt/b,x', 'invalid character for media type'],
    ['data:text/x=,x', 'invalid character for media subtype'],
    ['data:;a=b/,x', 'invalid character for parameter value'],
    ['data:;a="b"', 'missing comma before data'],
    ['data:;a="\\xA",x', 'invalid syntax'],
    ['data:;a="\\x4g",x', 'invalid syntax'],
    ['data:;a="\\41",x', 'invalid syntax'],
    ['data:;a="\\399",x', 'invalid syntax'],
    ['data:;a="\\u12g4",x', 'invalid syntax'],
    ['data:;a="\\U0000000g",x', 'invalid syntax'],
    ['data:;a="\\udfff",x', 'invalid syntax'],
    ['data:;a="";b="\\q",x', 'invalid syntax'],
    ['data:;a="c";b=%zz,x', 'rfc2396: invalid char 0x25 in unescape sequence'],
    ['data:,%g4', 'rfc2396: invalid char 0x25 in unescape sequence'],
    ['data:text/plain', 'incomplete media type'],
    ['data:text/a b,x', 'invalid character for media subtype'],
    ['data:;', 'unterminated parameter sequence'],
    ['data:;,x', 'unterminated parameter sequence'],
    ['data:;a', 'unterminated parameter sequence'],
    ['data:;;,x', 'invalid character for parameter attribute'],
    ['data:;base64;a=b,x', 'invalid character for parameter attribute'],
    ['data:;BASE64,QQ==', 'expected base64, got BASE64'],
    ['data:;a=,x', 'invalid character for parameter value'],
    ['data:;a=b', 'missing comma before data'],
    ['data:;a=%4,x', 'rfc2396: unexpected end of unescape sequence'],
    ['data:;a="b', 'unclosed quoted string'],
    ['data:;a="b\\', 'unclosed quoted string'],
    ['data:;a="é",x', 'invalid character for parameter value'],
    ['data:;a="\\é",x', 'invalid escaped character'],
    ['data:;a="b"c,x', 'expected semicolon or comma'],
    ['data:;a="\\q",x', 'invalid syntax'],
    ['data:;a="\\400",x', 'invalid syntax'],
    ['data:;a="\\ud800",x', 'invalid syntax'],
    ['data:;a="\\U00110000",x', 'invalid syntax'],
    ['data:;a="\n",x', 'invalid syntax'],
    ['data:,a b', 'invalid data character'],
    ['data:,%zz é', 'invalid data character'],
    ['data:,%zz', 'rfc2396: invalid char 0x25 in unescape sequence'],
    ['data:,%4', 'rfc2396: unexpected end of unescape sequence'],
    ['data:,%4z', 'rfc2396: invalid char 0x25 in unescape sequence'],
    ['data:;base64,QQ%3D%3D', 'invalid data character'],
    ['data:;base64,-_', 'invalid data character'],
    ['data:;base64,Q', 'illegal base64 data at input byte 0'],
    ['data:;base64,QUJDQQ', 'illegal base64 data at input byte 4'],
    ['data:;base64,QQ=', 'illegal base64 data at input byte 3'],
    ['data:;base64,QQ=A', 'illegal base64 data at input byte 2'],
    ['data:;base64,QQ==A', 'illegal base64 data at input byte 4'],
    ['data:;base64,=', 'illegal base64 data at input byte 0'],
    ['data:;base64,QUJD=', 'illegal base64 data at input byte 4'],
  ])('says of %j: %s', (source, problem) => {
    expect(checkDataUrl(source)).toBe(problem);
    const error = {
      message: `not a valid data URL: ${problem}`,
      hint: expect.stringMatching(/^use data:/),
    };
    expect(() => decodeDataUrl(source)).toThrow(expect.objectContaining(error));
  });
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseGoUrl, queryParameter } from '../../src/formats/goUrl.ts';
import { escapeProblem, unescapeInPlace } from '../../src/formats/percentEscapes.ts';
import { codePoint } from '../support/arbitraryText.ts';

describe('parseGoUrl', () => {
  it.each([
    ['HTTPS://h/p?q=1#f', { scheme: 'https', opaque: '', query: 'q=1' }],
    ['data:,x?y#z', { scheme: 'data', opaque: ',x', query: 'y' }],
    ['arn:aws:s3:::b/k', { scheme: 'arn', opaque: 'aws:s3:::b/k', query: '' }],
    ['http:', { scheme: 'http', opaque: '', query: '' }],
    ['', { scheme: '', opaque: '', query: '' }],
    ['*', { scheme: '', opaque: '', query: '' }],
    ['/a/b', { scheme: '', opaque: '', query: '' }],
    ['1http://h', undefined],
    ['a_b/c:d', { scheme: '', opaque: '', query: '' }],
  ])('reads %j', (text, url) => {
    const read = parseGoUrl(text);
    expect('problem' in read ? undefined : read).toEqual(url);
  });

  it.each([
    ['a blank in the path', 'http://h/a b'],
    ['anything in the query', 'http://h/?%zz <>'],
    ['anything in an opaque part', 'data:%zz <>'],
    ['several colons in the host', 'http://a:80:90/'],
    ['an empty port', 'http://h:/'],
    ['a port out of range', 'http://h:99999999/'],
    ['letters outside ASCII in the host', 'http://é/'],
    ['escaped bytes outside ASCII in the host', 'http://%c3%a9/'],
    ['several at signs', 'http://u@v:w@h/'],
    ['an IPv6 address', 'http://[fe80::1]:80/'],
    ['an IPv6 address with an IPv4 tail', 'http://[::ffff:1.2.3.4]/'],
    ['an IPv6 zone', 'http://[fe80::1%25en0]/'],
    ['an escaped blank in a zone', 'http://[fe80::1%25a%20b]/'],
    ['control characters in the fragment', 'http://h/#\n'],
    ['three slashes and no scheme', '///%41'],
  ])('accepts %s', (_title, text) => {
    expect(parseGoUrl(text)).not.toHaveProperty('problem');
  });

  it.each([
    ['a control character', 'http://h/\n', 'it contains a control character'],
    ['a missing scheme', '://h', 'its scheme is missing'],
    ['a colon without a scheme', 'a_b:c/d', 'it has an invalid scheme'],
    ['a bad escape in the path', 'http://h/%zz', 'a percent sign is not followed'],
    ['a cut-off escape in the fragment', 'http://h/#%4', 'a percent sign is not followed'],
    ['a port that is no number', 'http://h:a/', 'its port is not a number'],
    ['a blank in the host', 'http://a b/', 'its host contains an invalid character'],
    ['an escaped letter in the host', 'http://%41/', 'its host contains an invalid escape'],
    ['a bracket inside the host', 'http://a[b/', 'its host contains a bracket'],
    ['a bracket that is not closed', 'http://[::1/', 'is not closed'],
    ['an IPv4 address in brackets', 'http://[1.2.3.4]/', 'not an IPv6 address'],
    ['an IPv6 address of nine groups', 'http://[1:2:3:4:5:6:7:8:9]/', 'not an IPv6 address'],
    ['an ellipsis for nothing', 'http://[1:2:3:4::5:6:7:8]/', 'not an IPv6 address'],
    ['an octet with a leading zero', 'http://[::1.2.3.04]/', 'not an IPv6 address'],
    ['an empty zone', 'http://[fe80::1%25]/', 'not an IPv6 address'],
    ['an escaped question mark in a zone', 'http://[fe80::1%25%3f]/', 'its host contains an invalid escape'],
    ['a blank in the user', 'http://u v@h/', 'its user or password'],
    ['a bad escape in the password', 'http://u:%4@h/', 'a percent sign is not followed'],
  ])('refuses %s', (_title, text, problem) => {
    expect(parseGoUrl(text)).toEqual({ problem: expect.stringContaining(problem) });
  });

  it('reads any text without throwing', () => {
    const piece = fc.constantFrom(
      'http:',
      '//',
      '/',
      '[',
      ']',
      ':',
      '@',
      '%',
      '%25',
      '4',
      '?',
      '#',
      ' ',
      'é',
      '::1',
      '\n',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: codePoint }),
          fc.array(piece).map((pieces) => pieces.join('')),
        ),
        (text) => {
          const url = parseGoUrl(text);
          expect('problem' in url ? '' : url.scheme).toMatch(/^(?:[a-z][a-z0-9+.-]*)?$/);
        },
      ),
    );
  });

  it('takes no longer than reading, however long a part is', () => {
    const long = 'a:'.repeat(2_000_000);
    for (const text of [
      long,
      `http://${long}`,
      `http://[${long}]`,
      `http://${long}@h`,
      `http://h/#${long}`,
    ]) {
      expect(parseGoUrl(text)).toBeTypeOf('object');
    }
    expect(queryParameter('a&'.repeat(2_000_000), 'a')).toBe('');
  });
});

/** Each of these has been given to Go's url.Parse, too. */
describe('parseGoUrl, of all kinds of texts', () => {
  it.each([
    'a+b-c.1://h/',
    'h2://h/',
    '//h/p',
    'http:///p',
    'http://h?x#y',
    'http://h',
    'http://h:80',
    'http://a]b/',
    'http://a%25b/',
    'http://%80/',
    'http://hÿ/',
    'http://!$&\'()*+,;=<>"~_-.h/',
    "http://a-_.~!$&'()*+,;=:%41@h/",
    'http://@h/',
    'http://u:@/',
    'http://[::]/',
    'http://[::]',
    'http://[1:2:3:4:5:6:7:8]/',
    'http://[1:2:3:4:5:6:7::]/',
    'http://[::2:3:4:5:6:7:8]/',
    'http://[1::8]/',
    'http://[1:2:3:4:5:6:1.2.3.4]/',
    'http://[1:2:3:4:5::1.2.3.4]/',
    'http://[::6:7:1.2.3.4]/',
    'http://[::1.2.3.255]/',
    'http://[::0.0.0.0]/',
    'http://[0fFf::]/',
    'http://[::1]:/',
    'http://[::1%25a%25b]/',
    'http://[::1%25%41]/',
    'http://[::1%25%20]/',
    'http://[::1%25é]/',
    'http://[::ffff:255.255.255.255]/',
    'http://[0000:0000:0000:0000:0000:ffff:255.255.255.255]/',
    'http://[1:2:3:4:5:6:7:8%25en0]/',
    'a:b',
    'a:',
    'a:?q',
    'a:b?q#f',
    '?q',
    'http://h/\u0080',
    'http://h/ ',
  ])('accepts %j', (text) => {
    expect(parseGoUrl(text)).not.toHaveProperty('problem');
  });

  it.each([
    ['it has an invalid scheme', ['a_b://h/', '+a://h/', 'é:x', 'aé:x']],
    [
      'a percent sign is not followed by two hexadecimal digits (write %25 for the sign itself)',
      [
        'http:/p%zz',
        '/p%zz',
        '///a b%zz',
        'http:///%zz',
        'http://h#%zz',
        'http://h%/',
        'http://h%4/',
        'http://h%2x/',
        'http://u%zz@h/',
        'http://[::1%25%zz]/',
        'http://[::1%2]/',
        'http://[::1%en0]/',
        'x%zz',
        'a/b:c%zz',
        'a:/b%zz',
        'a://%zz',
        '#%zz',
      ],
    ],
    [
      'its port is not a number',
      ['//h:x/p', 'http://h:8x/', 'http://h:x8/', 'http://h:%38/', 'http://[::1]x/', 'http://[::1]:8x/'],
    ],
    [
      'its host contains an invalid character',
      [
        '//a b',
        'http://h\\/',
        'http://h^/',
        'http://h`/',
        'http://h{/',
        'http://[::1%25a b]/',
        'http://[::1%25a^]/',
      ],
    ],
    [
      'its host contains an invalid escape',
      [
        'http://a%5bb/',
        'http://%7f/',
        'http://a%c3%a9%41/',
        'http://u@h%41/',
        'http://[::1%25%2f]/',
        'http://[%31::]/',
      ],
    ],
    [
      'its user or password contains a character that must be escaped',
      ['http://u[@h/', 'http://u]@h/', 'http://u"@h/', 'http://ué@h/'],
    ],
    [
      'its host is not an IPv6 address',
      [
        'http://[1:2:3:4:5:6:7]/',
        'http://[1:2:3:4:5:6:7::8]/',
        'http://[1:2:3:4:5:6:7:1.2.3.4]/',
        'http://[1:2:3:4:5:6::1.2.3.4]/',
        'http://[1:2:3:4:5:1.2.3.4]/',
        'http://[1.2.3.4::]/',
        'http://[::1.2.3.4:5]/',
        'http://[::1.2.3]/',
        'http://[::1.2.3.256]/',
        'http://[::1.2.3.4.5]/',
        'http://[::1.2.3.]/',
        'http://[::1.2.3.1000]/',
        'http://[::x1.2.3.4]/',
        'http://[::1.2.3.4x]/',
        'http://[12345::]/',
        'http://[g::]/',
        'http://[1g::]/',
        'http://[:::]/',
        'http://[1:::2]/',
        'http://[:1::2]/',
        'http://[1::2:]/',
        'http://[::1::]/',
        'http://[]/',
        'http://[%25en0]/',
        'http://[::1%c3%a9]/',
        'http://[0000:0000:0000:0000:0000:0ffff:255.255.255.255]/',
      ],
    ],
    ['its host contains a bracket', ['http://[[::1]]/']],
    ['its scheme is missing', [':']],
    ['it contains a control character', ['http://h/?\u0001', 'http://h/\u007f']],
  ])('says %j', (problem, texts) => {
    expect(texts.map((text) => [text, parseGoUrl(text)])).toEqual(texts.map((text) => [text, { problem }]));
  });
});

describe('queryParameter', () => {
  it.each([
    ['the first of several', 'v=1&v=2', '1'],
    ['an empty value', 'v=', ''],
    ['no equals sign', 'v', ''],
    ['an escaped name', '%76=1', '1'],
    ['an escaped value', 'v=%41+b', 'A b'],
    ['not another case', 'V=1', undefined],
    ['not with a semicolon', 'v=1;w=2', undefined],
    ['not with a bad escape', 'v=%zz&v=2', '2'],
    ['not of an empty query', '', undefined],
    ['behind 9,999 others', `${'a&'.repeat(9_999)}v=1`, '1'],
  ])('finds %s', (_title, query, value) => {
    expect(queryParameter(query, 'v')).toBe(value);
  });
});

it('knows the hexadecimal digits', () => {
  const characters = Array.from({ length: 0x100 }, (_, code) => String.fromCharCode(code));
  for (const escapeWith of [(digit: string) => `%${digit}0`, (digit: string) => `%0${digit}`]) {
    const digits = characters.filter((character) => escapeProblem(escapeWith(character)) === undefined);
    expect(digits.join('')).toBe('0123456789ABCDEFabcdef');
  }
  expect(['%', '%0'].filter((text) => escapeProblem(text) === undefined)).toEqual([]);
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

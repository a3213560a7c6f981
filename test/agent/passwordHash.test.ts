import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePasswordHash } from '../../src/agent/login.ts';
import { FormatError } from '../../src/core/errors.ts';

const sha512 =
  '$6$CNAouiRbBHWXbxpk$7kVpvjzuSg/GpFxb9DaNUAQWghqZI.EtnyG7ZXmLo4PhXZBnrzak09s5JGSAw6oN0S4jtZQI6Yr9jPoA7wOo81';

describe('parsePasswordHash', () => {
  it.each([
    ['SHA-512', sha512],
    ['SHA-512 with rounds', sha512.replace('$6$', '$6$rounds=656000$')],
    ['SHA-256', '$5$ELC/YWo6ZVyM3iGa$ssQJsWlHEcGRrI85ogRZVDCw7jrKf/bxQ/rxcWFr1n9'],
    ['yescrypt', '$y$j9T$F5Jx5fExrKuPp53xLKQ..1$X3DX6M94c7o.9agCG9G317fhZg9SqC.5i5rd.RhAtQ7'],
    ['bcrypt', '$2b$05$abcdefghijklmnopqrstuuIHkIUcEvW9QfW3X8Wq6lVn0mVn9b7.S'],
  ])('takes %s', (_title, hash) => expect(parsePasswordHash(` ${hash}\n`)).toBe(hash));

  it.each([
    ['a password', 'hunter2'],
    ['nothing', ''],
    ['MD5', '$1$abcdefgh$0123456789012345678901'],
    ['DES', 'ab0123456789.'],
    ['a locked account', '!'],
    ['a hash that is cut off', sha512.slice(0, -1)],
    ['two hashes', `${sha512}\n${sha512}`],
    ['a line of /etc/shadow', `core:${sha512}:19000:0:99999:7:::`],
  ])('refuses %s, and does not quote it', (_title, text) => {
    expect(() => parsePasswordHash(text)).toThrow(FormatError);
    expect(() => parsePasswordHash(text)).toThrow(/^is (?!.*hunter2)/);
  });

  it('returns hashes of any salt without the blanks around them, and refuses them with a character too many', () => {
    const salt = fc.stringMatching(/^[./0-9A-Za-z]{1,16}$/);
    const blanks = fc.stringMatching(/^[ \t\n]{0,3}$/);
    const digest = fc.stringMatching(/^[./0-9A-Za-z]{86}$/);
    fc.assert(
      fc.property(salt, digest, blanks, fc.constantFrom(':', '$', 'ä', 'a', '\n.', ' .'), (...values) => {
        const [chosen, text, around, more] = values;
        const hash = `$6$${chosen}$${text}`;
        expect(parsePasswordHash(`${around}${hash}${around}`)).toBe(hash);
        expect(() => parsePasswordHash(`${hash}${more}`)).toThrow(FormatError);
      }),
    );
  });

  it('refuses any other text with a FormatError', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), (text) => {
        expect(() => parsePasswordHash(text)).toThrow(FormatError);
      }),
    );
  });
});

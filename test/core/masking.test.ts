/** Secrets in texts: every encoding, secrets that are too short, and texts that are made to take long. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskConfSecrets, maskSecrets } from '../../src/agent/lint/secrets.ts';
import {
  createMasker,
  hidden,
  maskLine,
  maskText,
  secretsOfRequest,
  secretsOfUrl,
} from '../../src/core/masking.ts';
import { bashWord, encodingsOf, hardLogin } from '../support/encodedSecrets.ts';

const { password, username } = hardLogin;
const mask = createMasker([password, `${username}:${password}`]);

describe('a secret', () => {
  it.each(Object.entries(encodingsOf(password, username)))('%s is masked', (_, encoded) => {
    expect(mask(`the request <${encoded}> is invalid`)).toBe(`the request <${hidden}> is invalid`);
  });

  it.skipIf(bashWord('x') === undefined)('is masked as bash writes it', () => {
    expect(mask(`run x ${bashWord(password)} now`)).toBe(`run x ${hidden} now`);
  });

  it('is masked in every encoding, whatever it is', () => {
    const secret = fc
      .string({ minLength: 6, maxLength: 40, unit: 'grapheme' })
      .filter((text) => text.trim().length > 5);
    fc.assert(
      fc.property(secret, fc.string(), fc.nat(), (text, before, choice) => {
        const encodings = Object.values(encodingsOf(text));
        const encoded = encodings[choice % encodings.length] ?? '';
        const around = before.replaceAll(/[\\%&'+]|[A-Za-z0-9/=_-]$/g, ' ');
        expect(createMasker([text, `user:${text}`])(`${around} ${encoded} after`)).toContain(hidden);
      }),
    );
  });

  it('with fewer than four characters hides nothing', () => {
    const short = createMasker(['a', '', 'abc', 'admin:a']);
    expect(short('a banana at abc')).toBe('a banana at abc');
    expect(short(`Basic ${Buffer.from('admin:a').toString('base64')}`)).toBe(`Basic ${hidden}`);
  });

  it('does not hide other texts', () => {
    const text =
      'The action VirtualMedia.InsertMedia requires TransferProtocolType: 100 % of 3 + 4 \\ "x" &amp; <b>';
    expect(mask(text)).toBe(text);
  });
});

describe('secrets of URLs', () => {
  it('are passwords, tokens without a password, values of the query and long folders', () => {
    const url = 'https://us%40er:p%40ss@192.0.2.1/h.d29ya2VyLTA.c2lnbmF0dXJl/worker-0.iso?sig=abcdef';
    expect(secretsOfUrl(new URL(url))).toEqual([
      'p%40ss',
      'p@ss',
      'us%40er:p%40ss',
      'us@er:p@ss',
      'abcdef',
      'h.d29ya2VyLTA.c2lnbmF0dXJl',
    ]);
    expect(secretsOfUrl(new URL('https://ghp_0123@192.0.2.1/isos/a.iso'))).toContain('ghp_0123');
    const body = { Boot: { HttpBootUri: url }, other: ['http://192.0.2.1/'] };
    expect(createMasker(secretsOfRequest(body))('GET /h.d29ya2VyLTA.c2lnbmF0dXJl/worker-0.iso')).toBe(
      `GET /${hidden}/worker-0.iso`,
    );
  });

  it.each([
    ['http://u:p@ss@host/x', 'http://(secret)@host/x'],
    ['http://u:p/q@host/x', 'http://(secret)@host/x'],
    ['http://host:80/a@b', 'http://host:80/a@b'],
    ['http://host/ me@example.com', 'http://host/ me@example.com'],
    ['a ://u:p@h ://v:q@i', 'a ://(secret)@h ://(secret)@i'],
  ])('%s', (text, expected) => {
    expect(maskText(text)).toBe(expected);
    expect(maskLine(text)).toBe(expected);
  });
});

describe('time', () => {
  const units = {
    blanks: ' ',
    'queries with keys': '&key=',
    assignments: 'key=a',
    'quoted assignments': `token="a`,
    'open quotes': `token='`,
    options: ' --token',
    words: 'a',
    'users in URLs': '://a:b',
    schemes: '://',
    escapes: '\\',
    percent: '%41',
    base64: 'cGE1',
    'private keys': '-----BEGIN A',
    'data URLs': 'data:,',
    'curl -u': 'curl -u a:',
  };
  const maskers: Readonly<Record<string, (text: string) => unknown>> = {
    createMasker: mask,
    maskLine,
    maskText,
    'maskSecrets of a document': (text) =>
      maskSecrets(
        Buffer.from(JSON.stringify({ systemd: { units: [{ contents: `Environment=${text}x` }] } })),
      ),
    'maskSecrets of other text': (text) => maskSecrets(Buffer.from(`Environment=${text}x`)),
    maskConfSecrets: (text) => maskConfSecrets(Buffer.from(text)),
  };

  it.each(Object.keys(maskers))('%s is linear', (name) => {
    for (const [title, unit] of Object.entries(units)) {
      const timeOf = (size: number): number => {
        const text = `${unit.repeat(size / unit.length)}@`;
        const start = performance.now();
        maskers[name]?.(text);
        return performance.now() - start;
      };
      timeOf(10_000); // compiles the code
      // A quadratic algorithm takes a hundred times as long. Times below a few milliseconds are noise.
      expect([title, timeOf(1_000_000) < 50 * Math.max(timeOf(100_000), 10)]).toEqual([title, true]);
    }
  });
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMasker, secretsInUrls } from '../../src/core/knownSecrets.ts';
import { HIDDEN } from '../../src/core/masking.ts';
import { encodingsOf, hardLogin } from '../support/encodedSecrets.ts';

const { password, username } = hardLogin;
const mask = createMasker([password, `${username}:${password}`]);

describe('a secret', () => {
  it.each(Object.entries(encodingsOf(password, username)))('%s is masked', (_, encoded) => {
    expect(mask(`the request <${encoded}> is invalid`)).toBe(`the request <${HIDDEN}> is invalid`);
  });

  it('is masked in every encoding, whatever it is', () => {
    const secret = fc
      .string({ minLength: 6, maxLength: 40, unit: 'grapheme' })
      .filter((text) => text.trim().length > 5);
    fc.assert(
      fc.property(secret, fc.string(), fc.nat(), (text, before, choice) => {
        const encodings = Object.values(encodingsOf(text));
        const encoded = encodings[choice % encodings.length] ?? '';
        expect(createMasker([text, `user:${text}`])(`${before} ${encoded} after`)).toContain(HIDDEN);
      }),
    );
  });

  it('with fewer than four characters hides nothing', () => {
    const short = createMasker(['a', '', 'abc', 'admin:a']);
    expect(short('a banana at abc')).toBe('a banana at abc');
    expect(short(`Basic ${Buffer.from('admin:a').toString('base64')}`)).toBe(`Basic ${HIDDEN}`);
  });

  it('is masked in the base64 of a whole config', () => {
    const config = Buffer.from(JSON.stringify({ auths: { 'registry.example.com': { auth: password } } }));
    expect(mask(`source: data:;base64,${config.toString('base64')}`)).toBe(`source: data:;base64,${HIDDEN}`);
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
    const body = { Boot: { HttpBootUri: url }, other: ['http://192.0.2.1/', 'http://'] };
    expect(secretsInUrls(body)).toEqual([
      'p%40ss',
      'p@ss',
      'us%40er:p%40ss',
      'us@er:p@ss',
      'abcdef',
      'h.d29ya2VyLTA.c2lnbmF0dXJl',
      '',
      '',
    ]);
    expect(secretsInUrls('https://ghp_0123@192.0.2.1/isos/a.iso')).toContain('ghp_0123');
    expect(createMasker(secretsInUrls(body))('GET /h.d29ya2VyLTA.c2lnbmF0dXJl/worker-0.iso')).toBe(
      `GET /${HIDDEN}/worker-0.iso`,
    );
  });
});

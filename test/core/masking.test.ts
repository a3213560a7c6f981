/** Secrets in texts: every encoding, and secrets that are too short. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createMasker,
  HIDDEN,
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
    expect(mask(`the request <${encoded}> is invalid`)).toBe(`the request <${HIDDEN}> is invalid`);
  });

  it.skipIf(bashWord('x') === undefined)('is masked as bash writes it', () => {
    expect(mask(`run x ${bashWord(password)} now`)).toBe(`run x ${HIDDEN} now`);
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
        expect(createMasker([text, `user:${text}`])(`${around} ${encoded} after`)).toContain(HIDDEN);
      }),
    );
  });

  it('with fewer than four characters hides nothing', () => {
    const short = createMasker(['a', '', 'abc', 'admin:a']);
    expect(short('a banana at abc')).toBe('a banana at abc');
    expect(short(`Basic ${Buffer.from('admin:a').toString('base64')}`)).toBe(`Basic ${HIDDEN}`);
  });

  it('is masked wherever it stands, more often than a call of a function takes arguments', () => {
    const text = 'hunter2 '.repeat(300_000);
    expect(createMasker(['hunter2'])(text)).toBe(text.replaceAll('hunter2', HIDDEN));
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
      `GET /${HIDDEN}/worker-0.iso`,
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

describe('the value behind a name that speaks of a secret', () => {
  it.each([
    ['A_PASSPHRASE=x y', 'A_PASSPHRASE=(secret)'],
    ['--env WIFI_PSK=x', '--env WIFI_PSK=(secret)'],
    ['agent_token = x', 'agent_token = (secret)'],
    ['MY_KEY=x', 'MY_KEY=(secret)'],
    ['first=1 pin=1234 PASSWORD=y', 'first=1 pin=(secret)'],
    [
      'sshkey="ssh-ed25519 AAAA" KEY_FILE=/a monkey=1 pinned=1',
      'sshkey="ssh-ed25519 AAAA" KEY_FILE=/a monkey=1 pinned=1',
    ],
  ])('%s', (text, expected) => {
    expect(maskText(text)).toBe(expected);
  });
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createSigner,
  parseSignedPath,
  type SignedGrant,
} from '../../../../src/http/server/answer/signedPath.ts';

const signer = createSigner(Buffer.alloc(32, 'k'));
const now = new Date('2026-11-21T12:00:00Z');
const worker: SignedGrant = { kind: 'host', host: 'worker-0' };

describe('createSigner', () => {
  it.each<[title: string, grant: SignedGrant, expires: Date | undefined, token: RegExp]>([
    ['a host', worker, undefined, /^h\.worker-0\.-\.[A-Za-z0-9_-]{22}$/],
    ['a host with dots', { kind: 'host', host: 'a.b.c' }, undefined, /^h\.a\.b\.c\.-\.[A-Za-z0-9_-]{22}$/],
    ['a host with an expiry', worker, new Date('2027-01-01'), /^h\.worker-0\.tqxpc0\.[A-Za-z0-9_-]{22}$/],
    ['the network', { kind: 'boot' }, undefined, /^b\.-\.[A-Za-z0-9_-]{22}$/],
    ['a name from a file', { kind: 'host', host: 'w ~/ü' }, undefined, /^h\.w~20~7E~2F~C3~BC\.-\./],
  ])('%s', (_title, grant, expires, token) => {
    expect(signer.sign(grant, expires)).toMatch(token);
    expect(signer.verify(signer.sign(grant, expires), now)).toEqual(grant);
  });

  it('gives the same token with the same key, another with another', () => {
    expect(createSigner(Buffer.alloc(32, 'k')).sign(worker)).toBe(signer.sign(worker));
    expect(createSigner(Buffer.alloc(32, 'l')).sign(worker)).not.toBe(signer.sign(worker));
    expect(signer.verify(createSigner(Buffer.alloc(32, 'l')).sign(worker), now)).toBeUndefined();
  });

  it('stays the same in later versions: URLs are written into BMCs', () => {
    expect(signer.sign(worker)).toBe('h.worker-0.-.LxpGhH1LUYl6FSOrbumVcQ');
  });

  it('expires on time, not before', () => {
    const token = signer.sign(worker, new Date('2026-11-21T12:00:00.500Z'));
    expect(signer.verify(token, new Date('2026-11-21T12:00:00.999Z'))).toEqual(worker);
    expect(signer.verify(token, new Date('2026-11-21T12:00:01Z'))).toBeUndefined();
  });

  it.each([
    ['another host', (token: string) => token.replace('worker-0', 'worker-1')],
    ['another kind', (token: string) => token.replace('h.worker-0', 'b')],
    ['an expiry taken off', (token: string) => token.replace(/\.[0-9a-z]+\.(?=[^.]*$)/, '.-.')],
    ['an expiry put off', (token: string) => token.replace(/\.[0-9a-z]+\.(?=[^.]*$)/, '.zzzzzz.')],
    ['a dot moved', (token: string) => token.replace('h.worker-0.', 'h.worker-0..')],
    ['small letters', (token: string) => token.toLowerCase()],
    ['a signature that is cut', (token: string) => token.slice(0, -1)],
    ['no signature', (token: string) => token.slice(0, token.lastIndexOf('.') + 1)],
    ['more after it', (token: string) => `${token}A`],
    ['a character that is no ASCII', (token: string) => `${token.slice(0, -1)}ü`],
    ['nothing', () => ''],
  ])('refuses %s', (_title, change) => {
    const token = signer.sign(worker, new Date('2026-12-01'));
    expect(change(token)).not.toBe(token);
    expect(signer.verify(change(token), now)).toBeUndefined();
  });

  it('takes one text of a signature only, though others decode to the same bytes', () => {
    const token = signer.sign(worker);
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'.split('');
    const good = letters.filter((last) => signer.verify(token.slice(0, -1) + last, now) !== undefined);
    expect(good).toEqual([token.slice(-1)]);
  });

  it('refuses short keys, and does not show them', () => {
    expect(() => createSigner(Buffer.from('secret-key'))).toThrow(/too short: 10 bytes/);
  });

  it('any host comes back, and stands in one segment of unreserved characters', () => {
    const names = fc.string({ minLength: 1, unit: 'grapheme' });
    const dates = fc.option(fc.date({ min: now, max: new Date('2100-01-01'), noInvalidDate: true }), {
      nil: undefined,
    });
    fc.assert(
      fc.property(names, dates, (host, expires) => {
        const token = signer.sign({ kind: 'host', host }, expires);
        expect(token).toMatch(/^[A-Za-z0-9._~-]+$/);
        expect(signer.verify(token, new Date(now.getTime() - 1))).toEqual({ kind: 'host', host });
        expect(parseSignedPath(`${token}/a/b`)).toEqual({ token, path: 'a/b' });
      }),
    );
  });

  it('any other text is refused', () => {
    const texts = fc.oneof(fc.string(), fc.stringMatching(/^[hb]\.[a-z0-9.~]{0,20}\.[A-Za-z0-9_-]{20,24}$/));
    fc.assert(
      fc.property(texts, (text) => {
        expect(signer.verify(text, now)).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  it('fits into what BMCs take, with the longest name of a machine', () => {
    const host = 'x'.repeat(64);
    const url = `https://images.provisioning.example.com:8443/${signer.sign({ kind: 'host', host }, now)}/${host}.iso`;
    expect(url.length).toBeLessThan(255);
  });
});

describe('parseSignedPath', () => {
  it.each([
    ['a name', 'worker-0.iso'],
    ['folders', 'images/0123/kernel'],
    ['a token alone', signer.sign(worker)],
    ['a name like a token', 'h.example.com.iso'],
    ['a token further down', `images/${signer.sign(worker)}/x`],
  ])('%s has none', (_title, path) => {
    expect(parseSignedPath(path)).toBeUndefined();
  });
});

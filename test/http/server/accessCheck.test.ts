import { describe, expect, it } from 'vitest';
import { createAccessCheck, createTokenCheck, parseTokens } from '../../../src/http/server/accessCheck.ts';
import { createSigner } from '../../../src/http/server/answer/signedPath.ts';

const signer = createSigner(Buffer.alloc(32, 'k'));
const tokens = ['first-token-0123456789', 'second-token-012345678'];
const [first = '', second = ''] = tokens;
const now = new Date('2026-11-21T12:00:00Z');
const hostToken = signer.sign({ kind: 'host', host: 'worker-0' });
const bootToken = signer.sign({ kind: 'boot' });
const oldToken = signer.sign({ kind: 'boot' }, new Date('2026-11-21T11:00:00Z'));
const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

const stranger = { kind: 'unauthenticated' };
const all = { kind: 'granted', grant: { kind: 'all' }, path: 'worker-0.iso' };

interface Shown {
  readonly path?: string;
  readonly authorization?: string | undefined;
  readonly isCertified?: boolean;
}

function admit({ path = 'worker-0.iso', authorization, isCertified = false }: Shown, rules = {}): unknown {
  const check = createAccessCheck({ signer, tokens, isOpen: false, ...rules }, () => now);
  return check.admit(path, authorization, isCertified);
}

describe('createAccessCheck', () => {
  it.each<[title: string, authorization: string | undefined, admission: object]>([
    ['nothing', undefined, stranger],
    ['an empty header', '', stranger],
    ['a bearer token', `Bearer ${first}`, all],
    ['another token that is good, too', `Bearer ${second}`, all],
    ['the scheme in any letters', `bEARER  ${first}`, all],
    ['a token that is not known', 'Bearer third-token-0123456789', stranger],
    ['the start of a token', `Bearer ${first.slice(0, -1)}`, stranger],
    ['more than a token', `Bearer ${first}x`, stranger],
    ['two tokens', `Bearer ${first} ${second}`, stranger],
    ['no token', 'Bearer ', stranger],
    ['a password', basic(`admin:${first}`), all],
    ['a password without a user', basic(`:${second}`), all],
    ['a password with a colon', basic(`admin:x:${first}`), stranger],
    ['the token as user', basic(`${first}:`), stranger],
    ['what is not base64', 'Basic %%%', stranger],
    ['another scheme', `Digest ${first}`, stranger],
  ])('%s', (_title, authorization, admission) => {
    expect(admit({ authorization })).toEqual(admission);
  });

  it.each<[title: string, path: string, admission: object]>([
    ['of a host', `${hostToken}/worker-0.iso`, { kind: 'host', host: 'worker-0' }],
    ['of the network', `${bootToken}/ipxe/mac-1.ipxe`, { kind: 'boot' }],
  ])('signed paths %s', (_title, path, grant) => {
    const catalogPath = path.slice(path.indexOf('/') + 1);
    expect(admit({ path })).toEqual({ kind: 'granted', grant, path: catalogPath });
    expect(admit({ path }, { signer: undefined })).toEqual({ kind: 'unknown' });
  });

  it.each([
    ['that expired', `${oldToken}/worker-0.iso`],
    ['of another key', `${createSigner(Buffer.alloc(32, 'l')).sign({ kind: 'boot' })}/worker-0.iso`],
  ])('a path %s is unknown, whatever else is shown', (_title, path) => {
    expect(admit({ path })).toEqual({ kind: 'unknown' });
    expect(admit({ path, authorization: `Bearer ${first}`, isCertified: true })).toEqual({ kind: 'unknown' });
    expect(admit({ path }, { isOpen: true })).toEqual({ kind: 'unknown' });
  });

  it('a client certificate lets do everything', () => {
    expect(admit({ isCertified: true }, { tokens: [] })).toEqual(all);
  });

  it('an open service lets everybody do everything', () => {
    expect(admit({}, { isOpen: true, tokens: [] })).toEqual(all);
  });

  it('without any token nobody is let in', () => {
    expect(admit({ authorization: 'Bearer ' }, { tokens: [] })).toEqual(stranger);
    expect(admit({ authorization: basic(':') }, { tokens: [] })).toEqual(stranger);
  });
});

describe('parseTokens', () => {
  it('takes one a line', () => {
    expect(parseTokens(`# rotated in May\n${first}\r\n\n  ${second}  \n`, 'tokens')).toEqual(tokens);
  });

  it.each([
    ['a token that is too short', 'short', 'tokens:1: invalid token: it has fewer than 16 characters'],
    ['a blank within', `\n${first} x`, 'tokens:2: invalid token: only A-Z a-z 0-9'],
    ['an empty file', '\n# nothing\n', 'tokens contains no token'],
  ])('refuses %s and does not show it', (_title, text, message) => {
    expect(() => parseTokens(text, 'tokens')).toThrow(message);
    expect(() => parseTokens(text, 'tokens')).not.toThrow(first);
  });
});

describe('createTokenCheck', () => {
  it('knows tokens only as a whole', () => {
    const isToken = createTokenCheck(tokens);
    expect([first, second, '', `${first}\n${second}`].map(isToken)).toEqual([true, true, false, false]);
  });
});

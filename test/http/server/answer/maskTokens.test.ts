/** Texts of clients, of which no credential may get into a log. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAccessCheck, maskTokens } from '../../../../src/http/server/accessCheck.ts';
import { createSigner } from '../../../../src/http/server/answer/signedPath.ts';

const signer = createSigner(Buffer.alloc(32, 'k'));
const hostToken = signer.sign({ kind: 'host', host: 'worker-0.example.com' });
const bootToken = signer.sign({ kind: 'boot' }, new Date('2026-11-21T12:00:00Z'));
const known = ['operators-token/0123456789', 'operators-token/0123456789-and-more'];
const access = createAccessCheck({ signer, tokens: known, isOpen: false });

describe('maskTokens', () => {
  it.each([
    ['a token of a host', hostToken, '(token)'],
    ['one of the boot network', bootToken, '(token)'],
    ['one in a URL', `fetch http://a/${hostToken}/worker-0.iso`, 'fetch http://a/(token)/worker-0.iso'],
    ['one behind other characters', `worker-0.iso;${hostToken}?`, 'worker-0.iso;(token)?'],
    ['one that was cut', hostToken.slice(0, -10), '(token)'],
    ['one with its dots escaped', hostToken.replaceAll('.', '%2E'), '(token)'],
    ['a token of an operator', `curl/8 ${known[0]}`, 'curl/8 (token)'],
    ['one that begins like another', `curl/8 ${known[1]}`, 'curl/8 (token)'],
    ['one that is not known here', 'Authorization: Bearer other', 'Authorization: Bearer (token)'],
    ['a password', 'Basic YTpi', 'Basic (token)'],
    ['a URL with a password', 'x (+https://me:pass@a/)', 'x (+https://(secret)@a/)'],
    ['a query with a token', 'GET /?token=abc&a=b', 'GET /?token=(secret)'],
    ['random hexadecimal digits', `t ${'0f'.repeat(32)}`, 't (token)'],
    ['random base64', 'k Zm9vYmFyYmF6Zm9vYmFyYmF6MTIzNDU2Nzg5QUI=', 'k (token)'],
    ['a JSON web token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-_1', '(token)'],
  ])('hides %s', (_title, text, expected) => {
    expect(access.mask(text)).toBe(expected);
  });

  it.each([
    'curl/8.1.2',
    'python-requests/2.31.0',
    'iPXE/1.21.1+git-20230301.g8f1514a',
    'Mozilla/5.0 (X11; Linux x86_64; rv:109.0) Gecko/20100101 Firefox/115.0',
    'Redfish.VirtualMediaConnection',
    'worker-0.rack-12.row-3.building-77.example.com-minimal.iso',
    'fedora-coreos-44.20261101.3.0-live-iso.x86_64.iso',
    'ironic-python-agent.initramfs',
    'ipxe/mac-52-54-00-12-34-56.ipxe',
    '5e7a5e0c-1f5f-4a3d-9d7e-0a3f2c1b4d5e',
    '',
  ])('leaves %j as it is', (text) => {
    expect(access.mask(text)).toBe(text);
  });

  it('hides every token of every host, wherever it is', () => {
    const name = fc.stringMatching(/^[a-z0-9]([a-z0-9.-]{0,20}[a-z0-9])?$/);
    const around = fc.constantFrom('', ' ', '/', '(', '"', '=', ';', '-', 'x ');
    fc.assert(
      fc.property(name, around, around, (host, before, after) => {
        const token = signer.sign({ kind: 'host', host });
        const masked = maskTokens(`${before}${token}${after}`);
        expect(masked).not.toContain(token.slice(-22));
      }),
    );
  });

  it('takes little time for what is made to take much', () => {
    const text = 'h.'.repeat(8000) + '%2e'.repeat(8000) + 'a1A'.repeat(8000);
    expect(access.mask(text).length).toBeLessThan(2100);
  });
});

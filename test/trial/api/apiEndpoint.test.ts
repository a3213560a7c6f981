/** Whether a config leads to the Ironic that is played. */

import { describe, expect, it } from 'vitest';
import { mayReachApi } from '../../../src/trial/api/apiEndpoint.ts';
import { guestHostFor } from '../../../src/trial/emulation/guestNetwork.ts';

const place = { scheme: 'http', port: 6385, addresses: ['192.0.2.1', '2001:db8::1'] } as const;

describe('a URL leads here', () => {
  it.each<readonly [boolean, readonly string[]]>([
    [true, ['http://192.0.2.1:6385']],
    [true, ['http://[2001:db8::1]:6385/']],
    [true, ['http://ironic.example.com:6385']],
    [true, ['https://192.0.2.9:6385', 'http://192.0.2.1:6385']],
    [false, ['http://192.0.2.2:6385']],
    [false, ['https://192.0.2.1:6385']],
    [false, ['http://192.0.2.1']],
    [false, ['mdns', 'no URL']],
    [false, []],
  ])('%s: %j', (is, urls) => {
    expect(mayReachApi(urls, place)).toBe(is);
  });

  it('by the usual port of its scheme', () => {
    expect(mayReachApi(['https://a.example.com'], { ...place, scheme: 'https', port: 443 })).toBe(true);
    expect(mayReachApi(['http://a.example.com'], { ...place, port: 80 })).toBe(true);
  });
});

describe('the address that an emulated machine needs', () => {
  it.each<readonly [string | undefined, readonly string[]]>([
    ['192.0.2.1', ['http://192.0.2.1:6385']],
    ['192.0.2.2', ['http://ironic:6385', 'http://192.0.2.2:6385']],
    [undefined, ['http://192.0.2.1:6386']],
    [undefined, ['https://192.0.2.1:6385']],
    [undefined, ['http://127.0.0.1:6385']],
    [undefined, ['http://[2001:db8::1]:6385']],
    [undefined, []],
  ])('%s: %j', (host, urls) => {
    expect(guestHostFor(urls, place)).toBe(host);
  });
});

import { tryOptions } from '../../../src/commands/try/options.ts';
import { givenOptions } from '../../support/givenOptions.ts';
import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { certificateNames, reachableAddresses } from '../../../src/trial/api/ironicAddress.ts';
import { parseListenAddress } from '../../../src/http/server/listenAddress.ts';

const own = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
const all = own.map(({ address }) => address);
const addressesOf = (isInternal: boolean) =>
  own.filter(({ internal }) => internal === isInternal).map(({ address }) => address);
const ipv4 = own.filter(({ family }) => family === 'IPv4').map(({ address }) => address);

describe('the addresses of the mock Ironic that listens on', () => {
  it.each([
    [':6385', all],
    ['[::]:6385', all],
    ['0.0.0.0:6385', ipv4],
    ['192.0.2.1:6385', ['192.0.2.1']],
    ['localhost:6385', addressesOf(true)],
    ['ironic.example.com:6385', addressesOf(false)],
  ])('%s are those that machines can connect to', (text, addresses) => {
    const listen = parseListenAddress(text);
    expect(reachableAddresses(listen)).toEqual(addresses);
    const names = certificateNames(givenOptions(tryOptions, {}), listen, undefined);
    expect(names).toEqual(expect.arrayContaining(addresses.map((address) => address.replace(/%.*$/, ''))));
    expect(names).not.toContain('0.0.0.0');
    expect(names).not.toContain('::');
  });

  it('a name are in its certificate, beside the name', () => {
    const listen = parseListenAddress('ironic.example.com:6385');
    const names = certificateNames(givenOptions(tryOptions, {}), listen, undefined);
    expect(names).toEqual(expect.arrayContaining(['ironic.example.com', ...addressesOf(false)]));
  });
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatIp, formatRoute, readIp, readRoute } from '../../src/kargs/ip.ts';
import { parseAddress, type Subnet } from '../../src/network/ipAddress.ts';

describe('readIp', () => {
  it.each(
    `dhcp dhcp6 dhcp,dhcp6 auto6 either6 link6 on ibft off
    eth0:dhcp enp1s0f0:dhcp6:1500 bond0.5:auto6 eth0:dhcp:9000:52:54:00:12:34:56
    192.0.2.5::192.0.2.1:255.255.255.0:host:eth0:none 192.0.2.5::192.0.2.1:24::eth0:off:192.0.2.53
    [2001:db8::5]::[2001:db8::1]:64:host:eth0:none :::::eth0:dhcp 192.0.2.5::192.0.2.1:24::eth0 52-54-00-00-00-01:dhcp
    192.0.2.5::192.0.2.1:24::52-54-00-00-00-01:none:1400 [192.0.2.5]::[192.0.2.1]:[24]::eth0:none
    [2001:db8::5/64]:::[64]::eth0:none [2001:db8::5]/64:::::eth0:none 192.0.2.5/24:::::eth0:none`.split(
      /\s+/,
    ),
  )('accepts %s', (value) => {
    expect(readIp(value).issues).toEqual([]);
  });

  it.each([
    '',
    ...`ip=dhcp DHCP dhpc eth0 eth0:dhpc dhcp:eth0 192.0.2.5 192.0.2.5/24 2001:db8::5 :::::
    192.0.2.5::192.0.2.1:255.255.255.0 192.0.2.500::192.0.2.1:24::eth0:none host::192.0.2.1:24::eth0:none
    2001:db8::5::2001:db8::1:64::eth0:none 192.0.2.5::192.0.2.1:24::verylonginterface0:none
    192.0.2.5::192.0.2.1:24::eth0:sometimes [24]::[2001:db8::1]:64::eth0:none [2001:db8::5]::[1]:64::eth0:none
    [2001:db8::5::6]::[2001:db8::1]:64::eth0:none 192.0.2.5::192.0.2.1:255.255.255.1:h:eth0:none
    192.0.2.5::192.0.2.1:33:h:eth0:none [2001:db8::5]::[2001:db8::1]:129:h:eth0:none`.split(/\s+/),
  ])('refuses %j', (value) => {
    expect(readIp(value).issues.map(({ rule }) => rule)).toEqual(['ip-spec']);
  });

  it('answers any text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(readIp(text).issues.length).toBeLessThan(2);
      }),
    );
  });
});

const address = fc.oneof(fc.ipV4(), fc.ipV6()).map((text) => parseAddress(text)!);
const subnet: fc.Arbitrary<Subnet> = fc.record({ address, prefixLength: fc.nat(32) });

describe('values of ip= and rd.route= that are written', () => {
  it('read as the same address', () => {
    fc.assert(
      fc.property(subnet, fc.option(address, { nil: undefined }), (network, gateway) => {
        expect(readIp(formatIp(network, gateway, 'eno1:none:1400'))).toEqual({
          argument: { address: network, gateway, device: 'eno1', method: 'none', dns: [] },
          issues: [],
        });
      }),
    );
  });

  it('read as the same route', () => {
    fc.assert(
      fc.property(subnet, fc.option(address, { nil: undefined }), (destination, other) => {
        const gateway = other?.family === destination.address.family ? other : undefined;
        const route = { destination, gateway };
        expect(readRoute(formatRoute(route, 'eno1'))).toEqual({ device: 'eno1', route });
      }),
    );
  });

  it.each(['x:192.0.2.1', '192.0.2.0/33:192.0.2.1', '192.0.2.0/24:router', '192.0.2.0/24:[2001:db8::1]', ''])(
    '%j is no route',
    (value) => expect(readRoute(value).route).toBeUndefined(),
  );
});

import { BlockList, isIP } from 'node:net';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isInternalHost } from '../../src/network/internalHost.ts';
import { parseHost } from '../../src/formats/hostName.ts';

const isInternal = (host: string): boolean => isInternalHost(parseHost(host));

describe('isInternalHost', () => {
  it.each([
    'ironic',
    'ironic.local',
    'IRONIC.LAN',
    'ironic.baremetal.svc.cluster.local',
    'a.internal',
    'a.corp',
  ])('knows that no public CA issues certificates for %s', (name) => {
    expect(isInternal(name)).toBe(true);
  });

  it.each([
    'localhost',
    'ironic.example.com',
    'internal.example.com',
    'local.org',
    'a.homes',
    '192.0.2.1',
    'a b',
  ])('does not know that of %s', (name) => {
    expect(isInternal(name)).toBe(false);
  });

  it('knows private addresses like the network library of Node', () => {
    const list = new BlockList();
    for (const [network, prefix] of [
      ['10.0.0.0', 8],
      ['100.64.0.0', 10],
      ['172.16.0.0', 12],
      ['192.168.0.0', 16],
      ['fc00::', 7],
    ] as const) {
      list.addSubnet(network, prefix, isIP(network) === 4 ? 'ipv4' : 'ipv6');
    }
    const near = fc
      .tuple(fc.constantFrom(10, 100, 172, 192), fc.nat(255), fc.nat(255), fc.nat(255))
      .map((bytes) => bytes.join('.'));
    fc.assert(
      fc.property(fc.oneof(near, fc.ipV4(), fc.ipV6()), (address) => {
        const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
        // BlockList compares addresses in ::ffff:0:0/96 with the rules for IPv4.
        fc.pre(!/^[0:]*:ffff:/i.test(address));
        expect(isInternal(address)).toBe(list.check(address, family));
      }),
    );
  });
});

/**
 * One keyfile, read once: what kernel arguments say of it, and which hosts it reaches, is the same network. Arguments refuse what
 * they cannot describe instead of dropping it.
 */

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseArguments } from '../../src/kargs/argument.ts';
import { argumentConnections } from '../../src/kargs/connections.ts';
import { findInexpressible, staticArguments } from '../../src/kargs/staticArguments.ts';
import type { Connection } from '../../src/network/connection.ts';
import { formatAddress, formatSubnet } from '../../src/network/ipAddress.ts';
import { readKeyfile } from '../../src/network/keyfile/readKeyfile.ts';
import { findReachProblems } from '../../src/network/reachability.ts';

const examples = {
  4: {
    net: '192.0.2.',
    far: '198.51.100.0/24',
    any: '0.0.0.0/0',
    lengths: ['', '/24', '/25', '/32'],
    metric: '0',
  },
  6: { net: '2001:db8::', far: '2001:db8:1::/48', any: '::/0', lengths: ['', '/64', '/128'], metric: '1024' },
} as const;

/** What arguments cannot describe, in a section of any family. */
const inexpressible = [
  'route-metric=500',
  'route-table=100',
  'never-default=true',
  'ignore-auto-dns=true',
  'ignore-auto-routes=true',
  'dns-search=example.com',
  'dhcp-hostname=a',
];

const section = (family: 4 | 6) => {
  const { any, far, lengths, metric, net } = examples[family];
  const host = fc.integer({ min: 1, max: 250 }).map((number) => `${net}${number}`);
  const gateway = fc.option(host, { nil: '' });
  const route = fc
    .tuple(fc.constantFrom(any, far), gateway, fc.constantFrom('', metric, '100'))
    .map(([destination, router, own]) => [destination, router, own].join(',').replace(/,+$/, ''));
  return fc
    .record({
      address: fc.tuple(host, fc.constantFrom(...lengths), gateway),
      routes: fc.array(route, { maxLength: 2 }),
      table: fc.constantFrom('', '254', '100'),
      servers: fc.array(fc.tuple(host, fc.constantFrom('', '#dns.example.com')), { maxLength: 2 }),
      more: fc.oneof(
        { weight: 6, arbitrary: fc.constant('') },
        { weight: 1, arbitrary: fc.constantFrom(...inexpressible) },
      ),
    })
    .map(({ address: [ip, length, router], more, routes, servers, table }) =>
      [
        `[ipv${family}]\nmethod=manual\naddress1=${ip}${length}${router === '' ? '' : `,${router}`}`,
        ...routes.map((text, index) => `route${index + 1}=${text}`),
        ...(routes.length > 0 && table !== '' ? [`route1_options=table=${table}`] : []),
        servers.length === 0 ? '' : `dns=${servers.map((parts) => parts.join('')).join(';')}`,
        more,
      ].join('\n'),
    );
};

const off = (family: 4 | 6): string => `[ipv${family}]\nmethod=disabled`;
const networks = fc.oneof(
  fc.tuple(section(4), fc.constant(off(6))),
  fc.tuple(fc.constant(off(4)), section(6)),
  fc.tuple(section(4), section(6)),
);

const hosts = [
  '192.0.2.7',
  '192.0.2.200',
  '198.51.100.9',
  '203.0.113.9',
  '2001:db8::9',
  '2001:db8:1::9',
  'a.example',
];

function reached(connections: readonly Connection[]): readonly string[] {
  return hosts.filter((host) => findReachProblems(connections, [[{ purpose: 'Ironic', host }]]).length === 0);
}

function meaningOf({ ip, interfaceName }: Connection) {
  return {
    interfaceName,
    ip: [ip[4], ip[6]].map(({ addresses, dns, gateway, method, routes }) => ({
      method,
      addresses: addresses.map(({ address, prefixLength }) => `${formatAddress(address)}/${prefixLength}`),
      gateway: gateway && formatAddress(gateway),
      dns: [...new Set(dns.map(formatAddress))],
      routes: routes.map((route) => [
        formatSubnet(route.destination),
        route.gateway && formatAddress(route.gateway),
      ]),
    })),
  };
}

it('a network of arguments is that of its keyfile, or is refused', () => {
  let described = 0;
  fc.assert(
    fc.property(networks, (sections) => {
      const text = `[connection]\nid=a\ntype=ethernet\ninterface-name=eth0\n${sections.join('\n')}\n`;
      const { connection, problems } = readKeyfile('a.nmconnection', text);
      if (connection === undefined) throw new Error(text);
      expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
      const cannot =
        inexpressible.some((entry) => text.includes(entry)) ||
        /^route1_options=table=100$|^route\d=.*,100$/m.test(text);
      expect({ text, refused: findInexpressible(connection).length > 0 }).toEqual({ text, refused: cannot });
      if (cannot) return;
      described += 1;
      const made = argumentConnections(parseArguments(staticArguments([connection]).join(' ')));
      expect({ text, made: made.map(meaningOf) }).toEqual({ text, made: [meaningOf(connection)] });
      expect({ text, reached: reached(made) }).toEqual({ text, reached: reached([connection]) });
    }),
    { numRuns: 1000 },
  );
  expect(described).toBeGreaterThan(100);
});

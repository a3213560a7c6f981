/** Whether a host reaches a URL by its own connections, and what is inconsistent in them. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Connection } from '../../src/network/connection.ts';
import { readKeyfile } from '../../src/network/keyfile/readKeyfile.ts';
import { parseConnection } from '../support/keyfiles.ts';
import {
  findConnectionProblems,
  findOwnAddresses,
  findReachProblems,
  isStatic,
  type Need,
  networkServers,
} from '../../src/network/reachability.ts';

type Files = Readonly<Record<string, string>>;

const parse = (files: Files): Connection[] =>
  Object.entries(files).map(([name, text]) =>
    parseConnection(`${name}.nmconnection`, `[connection]\nid=${name}\n${text}`),
  );

const eth0 = 'type=ethernet\ninterface-name=eth0\n';
const nic = (entry: string): string => `type=ethernet\n[ethernet]\n${entry}\n`;
const br0 = 'type=bridge\ninterface-name=br0\n[ipv4]\nmethod=auto\n';
const no6 = '[ipv6]\nmethod=disabled\n';
const static4 = (address: string, more = ''): string =>
  `${eth0}[ipv4]\nmethod=manual\naddress1=${address}\n${more}${no6}`;
const static6 = (address: string, more = ''): string =>
  `${eth0}[ipv4]\nmethod=disabled\n[ipv6]\nmethod=manual\naddress1=${address}\n${more}`;

const server = (purpose: string, host: string): Need[number] => ({ purpose, host });

describe('a host reaches', () => {
  it.each<readonly [title: string, files: Files, host: string]>([
    ['an address in its subnet', { a: static4('192.0.2.5/24') }, '192.0.2.99'],
    ['any address by its gateway', { a: static4('192.0.2.5/24,192.0.2.1') }, '198.51.100.1'],
    [
      'any address by a default route',
      { a: static4('192.0.2.5/24', 'route1=0.0.0.0/0,192.0.2.1\n') },
      '198.51.100.1',
    ],
    [
      'an address by a route',
      { a: static4('192.0.2.5/24', 'route1=198.51.100.0/24,192.0.2.1\n') },
      '198.51.100.1',
    ],
    [
      'a name by a DNS server in its subnet',
      { a: static4('192.0.2.5/24', 'dns=192.0.2.53;\n') },
      'ironic.example.com',
    ],
    ['an IPv6 address in its subnet', { a: static6('2001:db8::5/64') }, '2001:db8::99'],
    ['an IPv6 address by a link-local gateway', { a: static6('2001:db8::5/64,fe80::1') }, '2001:db8:1::1'],
    ['anything with DHCP', { a: eth0 }, 'ironic.example.com'],
    [
      'anything with DHCP on another interface',
      { a: static4('192.0.2.5/24'), b: 'type=ethernet\n' },
      '198.51.100.1',
    ],
    ['anything without connections of its own', {}, '198.51.100.1'],
    [
      'a name by a DNS server with the name of its certificate',
      { a: static4('192.0.2.5/24', 'dns=192.0.2.53#dns.example.com;\n') },
      'ironic.example.com',
    ],
    [
      'a name by a DNS server that is a URI',
      { a: static6('2001:db8::5/64', 'dns=dns+tls://[2001:db8::53]:853#dns.example.com\n') },
      'ironic.example.com',
    ],
    [
      'an address in the subnet /24 of an address without a prefix',
      { a: static4('192.0.2.5') },
      '192.0.2.99',
    ],
    [
      'an address in the subnet /64 of an address without a prefix',
      { a: static6('2001:db8::5') },
      '2001:db8::9',
    ],
    [
      'an address by a route of another table, if a rule chooses it',
      {
        a: static4(
          '192.0.2.5/24',
          'route1=198.51.100.0/24,192.0.2.1\nroute1_options=table=100\nrouting-rule1=priority 1 from 0.0.0.0/0 table 100\n',
        ),
      },
      '198.51.100.1',
    ],
    [
      'an address by a route that names the main table',
      {
        a: static4(
          '192.0.2.5/24',
          'route-table=100\nroute1=0.0.0.0/0,192.0.2.1,5\nroute1_options=table=254\n',
        ),
      },
      '198.51.100.1',
    ],
    ['anything with a method that is not judged', { a: `${eth0}[ipv4]\nmethod=shared\n` }, '198.51.100.1'],
  ])('%s', (_title, files, host) => {
    expect(findReachProblems(parse(files), [[server('Ironic', host)]])).toEqual([]);
  });
});

describe('a host does not reach', () => {
  it.each<readonly [title: string, files: Files, host: string, message: string]>([
    ['an address without gateway', { a: static4('192.0.2.5/24') }, '198.51.100.1', 'a route to 198.51.100.1'],
    [
      'an address of the other family',
      { a: static4('192.0.2.5/24,192.0.2.1') },
      '2001:db8::1',
      'no connection of the host has an IPv6 address',
    ],
    [
      'a name without DNS server',
      { a: static4('192.0.2.5/24,192.0.2.1') },
      'ironic.example.com',
      'no DNS server, so the host cannot resolve ironic.example.com',
    ],
    [
      'a name, if the DNS server has no route',
      { a: static4('192.0.2.5/24', 'dns=198.51.100.53\n') },
      'a.example',
      'a route to the DNS server 198.51.100.53',
    ],
    [
      'an address by a default route of another table',
      { a: static4('192.0.2.5/24', 'route1=0.0.0.0/0,192.0.2.1\nroute1_options=table=100,weight=2\n') },
      '198.51.100.1',
      'a route to',
    ],
    [
      'an address by the gateway of a connection with another table',
      { a: static4('192.0.2.5/24,192.0.2.1', 'route-table=100\nroute1=198.51.100.0/24,192.0.2.1\n') },
      '198.51.100.1',
      'a route to',
    ],
    [
      'an address by a route that drops packets',
      { a: static4('192.0.2.5/24', 'route1=198.51.100.0/24\nroute1_options=type=blackhole\n') },
      '198.51.100.1',
      'a route to',
    ],
    [
      'a name by servers that commas separate',
      { a: static4('192.0.2.5/24', 'dns=192.0.2.53,192.0.2.54\n') },
      'a.example',
      'no DNS server',
    ],
    [
      'anything without addresses',
      { a: `${eth0}[ipv4]\nmethod=disabled\n${no6}` },
      '192.0.2.1',
      'no connection has an IP address',
    ],
    [
      'an address by a gateway that never is the default',
      { a: static4('192.0.2.5/24,192.0.2.1', 'never-default=true\n') },
      '198.51.100.1',
      'a route to',
    ],
    [
      'anything by ports of a bond alone',
      { a: `${eth0}master=bond0\n`, b: `type=bond\ninterface-name=bond0\n[ipv4]\nmethod=disabled\n${no6}` },
      '192.0.2.1',
      'no connection has an IP address',
    ],
    [
      'anything by a connection that does not start',
      { a: static4('192.0.2.5/24'), b: 'type=ethernet\nautoconnect=false\n' },
      '198.51.100.1',
      'a route to',
    ],
  ])('%s', (...[, files, host, message]) => {
    expect(findReachProblems(parse(files), [[server('Ironic', host)]])).toMatchObject([
      { message: expect.stringContaining(message) },
    ]);
  });
});

describe('of what a host requires', () => {
  const ironic = server('Ironic', 'ironic.example.com');
  const registry = server('registry', 'quay.io');

  it.each<readonly [title: string, needs: readonly Need[], messages: readonly string[]]>([
    [
      'names are in one message',
      [[ironic], [registry], [registry], [server('NTP server', '192.0.2.9')]],
      [
        'the connections of the host are static and have no DNS server, so the host cannot resolve ironic.example.com (Ironic), quay.io (registry)',
      ],
    ],
    ['one of several servers suffices', [[ironic, server('Ironic', '192.0.2.9')]], []],
    [
      'addresses are in messages of their own',
      [[server('Ironic', '198.51.100.1')], [server('proxy', '2001:db8::1')]],
      [
        'Ironic: no connection of the host has a route to 198.51.100.1',
        'proxy: no connection of the host has an IPv6 address, so the host does not reach 2001:db8::1',
      ],
    ],
    [
      'some of many names are listed',
      Array.from({ length: 7 }, (_, index) => [server('mirror', `m${index}.example`)]),
      [expect.stringMatching(/resolve m0\.example \(mirror\), .* m4\.example \(mirror\) and 2 more$/)],
    ],
  ])('%s', (_title, needs, messages) => {
    const found = findReachProblems(parse({ a: static4('192.0.2.5/24') }), needs);
    expect(found.map(({ message }) => message)).toEqual(messages);
  });

  it('the network as a whole is reported once', () => {
    const files = { a: `${eth0}[ipv4]\nmethod=disabled\n${no6}` };
    expect(findReachProblems(parse(files), [[ironic], [server('proxy', '192.0.2.3')]])).toHaveLength(1);
  });
});

describe('an address of the host', () => {
  const need: Need = [{ purpose: 'Ironic', host: '192.0.2.9' }];
  it.each<readonly [title: string, files: Files, messages: readonly string[]]>([
    ['that nothing else has', { a: static4('192.0.2.5/24,192.0.2.1', 'dns=192.0.2.53;\n') }, []],
    [
      'is also its gateway',
      { a: static4('192.0.2.1/24,192.0.2.1') },
      ['a.nmconnection: eth0 gives the host the address 192.0.2.1, which is that of its gateway'],
    ],
    [
      'is also its DNS server, of another connection',
      {
        a: static6('2001:db8::53/64').replaceAll('eth0', 'eth1'),
        b: static6('2001:db8:1::5/64', 'dns=2001:db8:0::53;\n'),
      },
      ['a.nmconnection: eth1 gives the host the address 2001:db8::53, which is that of its DNS server'],
    ],
    [
      'is also that of Ironic',
      { a: static4('192.0.2.9/24') },
      ['a.nmconnection: eth0 gives the host the address 192.0.2.9, which is that of Ironic'],
    ],
    ['of a connection that does not start', { a: `autoconnect=false\n${static4('192.0.2.9/24')}` }, []],
  ])('%s', (_title, files, messages) => {
    const connections = parse(files);
    const found = findOwnAddresses(connections, [...networkServers(connections), ...need]);
    expect(found.map(({ file, message }) => `${file}: ${message}`)).toEqual(messages);
  });
});

describe('inconsistent is', () => {
  it.each<readonly [title: string, files: Files, message: string, line: number]>([
    [
      'a gateway outside the subnet',
      { a: static4('192.0.2.5/24,192.0.3.1') },
      'the gateway 192.0.3.1 of eth0 is outside its subnet 192.0.2.0/24',
      7,
    ],
    [
      'the gateway of a route outside the subnet',
      { a: static4('192.0.2.5/24', 'route1=0.0.0.0/0,192.0.3.1\n') },
      'the gateway 192.0.3.1 of eth0 is outside its subnet 192.0.2.0/24',
      8,
    ],
    [
      'a VLAN on a connection that is missing',
      { v: 'type=vlan\n[vlan]\nid=7\nparent=925b4a95-2de0-5b2d-bcf5-8b684a7e9cb4\n' },
      'the parent of the VLAN v is the connection 925b4a95-2de0-5b2d-bcf5-8b684a7e9cb4, which is missing',
      6,
    ],
    ['a port of a bond that is missing', { a: `${eth0}master=bond0\n` }, 'eth0 is a port of bond0', 5],
    [
      'an address of a port',
      { a: `${eth0}master=br0\nslave-type=bridge\n[ipv4]\nmethod=manual\naddress1=192.0.2.5/24\n`, b: br0 },
      'NetworkManager ignores the address 192.0.2.5 of eth0, a port of br0',
      9,
    ],
    [
      'an IPv6 address of a port that names its bridge by the UUID',
      {
        a: `${eth0}controller=925b4a95-2de0-5b2d-bcf5-8b684a7e9cb4\nport-type=bridge\n[ipv6]\nmethod=manual\naddress1=2001:db8::5/64\n`,
        b: `uuid=925b4a95-2de0-5b2d-bcf5-8b684a7e9cb4\n${br0}`,
      },
      'NetworkManager ignores the address 2001:db8::5 of eth0, a port of br0',
      9,
    ],
    [
      'a network whose only connection never starts',
      { a: `autoconnect=false\n${static4('192.0.2.5/24')}` },
      'NetworkManager starts no connection of the network by itself: eth0',
      3,
    ],
    [
      'a network whose connections wait for the session of a user',
      {
        a: 'type=ethernet\npermissions=user:root:;\ninterface-name=eth0\n',
        b: 'type=ethernet\nautoconnect=0\ninterface-name=eth1\n',
      },
      'NetworkManager starts no connection of the network by itself: eth0, eth1',
      4,
    ],
    [
      'an address that two interfaces have',
      { a: static4('192.0.2.5/24'), b: static4('192.0.2.5/25').replaceAll('eth0', 'eth1') },
      'eth1 and eth0 have the same address 192.0.2.5',
      7,
    ],
    [
      'a MAC address by which two connections find their interfaces',
      { a: nic('mac-address=52:54:00:00:00:0a'), b: nic('mac-address=52-54-0-0-0-A') },
      'b and a have the same MAC address 52:54:00:00:00:0A',
      5,
    ],
    [
      'a MAC address of two ports of a bond',
      {
        a: `master=bond0\nslave-type=bond\n${nic('mac-address=52:54:00:00:00:01')}`,
        b: `master=bond0\nslave-type=bond\n${nic('mac-address=52:54:00:00:00:01')}`,
        bond0: 'type=bond\ninterface-name=bond0\n[bond]\nmode=active-backup\n',
      },
      'b and a have the same MAC address 52:54:00:00:00:01',
      7,
    ],
    [
      'a MAC address that two interfaces get',
      {
        a: `${eth0}[ethernet]\ncloned-mac-address=52:54:00:00:00:01\n`,
        b: `${eth0.replace('eth0', 'eth1')}[802-3-ethernet]\ncloned-mac-address=52:54:00:00:00:01\n`,
      },
      'eth1 and eth0 have the same MAC address 52:54:00:00:00:01',
      6,
    ],
    [
      'a MAC address for an interface with a name that no machine gives',
      { a: 'type=ethernet\ninterface-name=nic1\n[ethernet]\ncloned-mac-address=52:54:00:12:34:56\n' },
      'NetworkManager gives the MAC address 52:54:00:12:34:56 to an interface with the name nic1',
      6,
    ],
  ])('%s', (_title, files, message, line) => {
    expect(findConnectionProblems(parse(files))).toMatchObject([
      { message: expect.stringContaining(message), line },
    ]);
  });

  it.each<readonly [title: string, files: Files]>([
    [
      'not a connection that never starts beside another one',
      { a: 'type=ethernet\npermissions=user:root:;\n', b: eth0 },
    ],
    ['not a list of no users', { a: 'type=ethernet\npermissions=\n' }],
    ['not a value that NetworkManager ignores', { a: 'type=ethernet\nautoconnect=no\n' }],
    [
      'not a port without addresses',
      { a: `${eth0}master=br0\nslave-type=bridge\n[ipv4]\nmethod=auto\n`, b: br0 },
    ],
    ['not a gateway inside the subnet', { a: static4('192.0.2.5/24,192.0.2.1') }],
    ['not a gateway inside the subnet of an address without a prefix', { a: static4('192.0.2.5,192.0.2.1') }],
    [
      'not a gateway inside the subnet of an address with a prefix that is too large',
      { a: static4('192.0.2.5/99,192.0.2.1') },
    ],
    [
      'not an address in two connections of one interface',
      { a: static4('192.0.2.5/24'), b: static4('192.0.2.5/24') },
    ],
    [
      'not an address of a connection that does not start',
      {
        a: `permissions=user:root:\n${static4('192.0.2.5/24')}`,
        b: static4('192.0.2.5/24').replaceAll('eth0', 'eth1'),
      },
    ],
    ...['eth0', 'eno1', 'enp1s0f1np1', 'ens3', 'enP2p1s0f0', 'enx525400123456', 'em1', 'p1p1', 'usb0'].map(
      (name) =>
        [
          `not a MAC address for ${name}`,
          { a: `type=ethernet\ninterface-name=${name}\n[ethernet]\ncloned-mac-address=52:54:00:12:34:56\n` },
        ] as const,
    ),
    [
      'not the MAC address of a bond, or one that the interface must have',
      {
        a: 'type=bond\ninterface-name=uplink\n[ethernet]\ncloned-mac-address=52:54:00:12:34:56\n',
        b: 'type=ethernet\ninterface-name=nic1\n[ethernet]\nmac-address=52:54:00:12:34:57\n',
      },
    ],
    [
      'not a MAC address of connections of which NetworkManager starts the one with the greater priority',
      {
        a: nic('mac-address=52:54:00:00:00:01'),
        b: `autoconnect-priority=-10\n${nic('mac-address=52:54:00:00:00:01')}`,
      },
    ],
    [
      'not a MAC address of a connection that does not start',
      {
        a: nic('mac-address=52:54:00:00:00:01'),
        b: `autoconnect=false\n${nic('mac-address=52:54:00:00:00:01')}`,
      },
    ],
    [
      'not the MAC address of a bond at its ports and its VLAN, as nmstate shows it',
      {
        a: `${eth0}master=bond0\n[ethernet]\ncloned-mac-address=52:54:00:00:00:01\n`,
        b: `${eth0.replace('eth0', 'eth1')}master=bond0\n[ethernet]\ncloned-mac-address=52:54:00:00:00:01\n`,
        bond0: 'type=bond\ninterface-name=bond0\n[ethernet]\ncloned-mac-address=52:54:00:00:00:01\n',
        v: 'type=vlan\n[vlan]\nid=7\nparent=bond0\n[ethernet]\ncloned-mac-address=52:54:00:00:00:01\n',
      },
    ],
    [
      'not a MAC address in two connections of one interface',
      {
        a: `${eth0}[ethernet]\ncloned-mac-address=52:54:00:00:00:01\n`,
        b: `${eth0}[ethernet]\ncloned-mac-address=52:54:00:00:00:01\n`,
      },
    ],
    [
      'not two random MAC addresses',
      { a: nic('cloned-mac-address=random'), b: nic('cloned-mac-address=random') },
    ],
    [
      'not a link-local address',
      { a: static6('fe80::1/64'), b: static6('fe80::1/64').replaceAll('eth0', 'eth1') },
    ],
    ['not the gateway of an address without a subnet', { a: static4('192.0.2.5/32,198.51.100.1') }],
    ['not that of an IPv6 address without a subnet', { a: static6('2001:db8::5/128,2001:db8:1::1') }],
    ['no method of NetworkManager', { a: `${eth0}[ipv4]\nmethod=shared\n[ipv6]\nmethod=ignore\n` }],
    ['not a link-local gateway', { a: static6('2001:db8::5/64,fe80::1') }],
    ['not a VLAN on an interface without connection', { v: 'type=vlan\n[vlan]\nid=7\nparent=eth0\n' }],
    [
      'not a port by the UUID of its bond',
      {
        a: `${eth0}controller=925b4a95-2de0-5b2d-bcf5-8b684a7e9cb4\n`,
        b: 'uuid=925b4a95-2de0-5b2d-bcf5-8b684a7e9cb4\ntype=bond\n',
      },
    ],
  ])('%s', (_title, files) => {
    expect(findConnectionProblems(parse(files))).toEqual([]);
  });
});

describe('static', () => {
  it.each<readonly [title: string, files: Files, expected: boolean]>([
    ['is a network with an address', { a: static4('192.0.2.5/24') }, true],
    ['is not DHCP', { a: eth0 }, false],
    [
      'is not a connection that does not start',
      { a: `${static4('192.0.2.5/24')}[connection]\nautoconnect=no\n` },
      true,
    ],
  ])('%s', (_title, files, expected) => {
    expect(isStatic(parse(files))).toBe(expected);
  });
});

describe('any text', () => {
  const keys = fc.constantFrom(
    'address1',
    'addresses',
    'gateway',
    'dns',
    'route1',
    'method',
    'parent',
    'id',
    'mtu',
    'master',
  );
  const line = fc.oneof(
    fc.constantFrom('[connection]', '[ipv4]', '[ipv6]', '[vlan]', '[ethernet]', '[bond]'),
    fc.tuple(keys, fc.string()).map(([key, value]) => `${key}=${value}`),
    fc
      .tuple(keys, fc.ipV4(), fc.nat(40))
      .map(([key, address, prefix]) => `${key}=${address}/${prefix},${address}`),
  );

  it('is a connection that can be judged, or no keyfile', () => {
    fc.assert(
      fc.property(fc.array(fc.array(line)), fc.domain(), (files, host) => {
        const connections = files.flatMap(
          (lines, index) => readKeyfile(`${index}.nmconnection`, lines.join('\n')).connection ?? [],
        );
        const problems = [
          ...findConnectionProblems(connections),
          ...findReachProblems(connections, [[server('Ironic', host)]]),
        ];
        expect(problems.every(({ hint }) => hint !== '')).toBe(true);
      }),
    );
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { convertNmstate } from '../../src/network/convertNmstate.ts';
import { formatPath } from '../../src/core/finding.ts';
import { parseYaml } from '../../src/formats/yaml.ts';
import { parseGcOutput, sortedTexts } from '../support/nmstatectl.ts';
import { randomNetwork, seededRandom, spoil } from '../support/randomNetworks.ts';
import { sharedData, sharedDataNote } from '../support/sharedData.ts';

const golden = resolve(import.meta.dirname, '../golden/network');

/** Errors as `path: message`; the path is without the `$.`. */
function errorsOf(document: unknown): string[] {
  return convertNmstate(document)
    .findings.filter(({ severity }) => severity === 'error')
    .map(({ path, message }) => `${formatPath(path).slice('$.'.length)}: ${message}`);
}

function errorsInYaml(text: string): string[] {
  return errorsOf(parseYaml(text).value);
}

describe('keyfiles', () => {
  const cases = readdirSync(golden).filter((name) => name.endsWith('.out.yaml'));
  it.each(cases)('%s is what nmstatectl gc of nmstate 2.2.62 gives', (name) => {
    const input = readFileSync(join(golden, name.replace('.out.yaml', '.yaml')), 'utf8');
    const expected = parseGcOutput(readFileSync(join(golden, name), 'utf8'));
    const { keyfiles, findings } = convertNmstate(parseYaml(input).value);
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(sortedTexts(keyfiles)).toEqual(sortedTexts(expected));
  });

  it('are none for an empty document', () => {
    expect(convertNmstate(null)).toEqual({ keyfiles: [], findings: [] });
    expect(convertNmstate({})).toEqual({ keyfiles: [], findings: [] });
  });
});

describe.skipIf(sharedData === undefined)(`keyfiles of the reference data${sharedDataNote}`, () => {
  const folder = join(sharedData ?? '', 'agent-golden');
  const names = sharedData === undefined ? [] : readdirSync(folder);
  const runs = names
    .filter((name) => /^icc-.*\.input\.json$/.test(name))
    .flatMap((name) => recordedRuns(name, readFileSync(join(folder, name), 'utf8')));
  it.each(runs)('$name', ({ state, output }) => {
    const { keyfiles } = convertNmstate(parseYaml(state).value);
    expect(sortedTexts(keyfiles)).toEqual(sortedTexts(parseGcOutput(output)));
  });
});

interface Run {
  readonly name: string;
  readonly state: string;
  readonly output: string;
}

/** The network state in an input, with what nmstatectl gave for it. */
function recordedRuns(name: string, text: string): Run[] {
  const input: unknown = JSON.parse(text);
  if (typeof input !== 'object' || input === null || !('nmstate' in input) || !('nmstatectl' in input))
    return [];
  const { nmstate, nmstatectl } = input;
  if (typeof nmstate !== 'string' || typeof nmstatectl !== 'object' || nmstatectl === null) return [];
  return 'stdout' in nmstatectl &&
    typeof nmstatectl.stdout === 'string' &&
    'rc' in nmstatectl &&
    nmstatectl.rc === 0
    ? [{ name, state: nmstate, output: nmstatectl.stdout }]
    : [];
}

describe('what is not covered', () => {
  it.each([
    ['ovs-db: {}', 'ovs-db'],
    ['ovn: {}', 'ovn'],
    ['capture: {}', 'capture'],
    ['interfaces: [{name: eth0, ovs-db: {}}]', 'interfaces.0.ovs-db'],
    ['interfaces: [{name: eth0, 802.1x: {}}]', 'interfaces.0.802.1x'],
    ['interfaces: [{name: eth0, ethtool: {}}]', 'interfaces.0.ethtool'],
    ['interfaces: [{name: eth0, controller: br0}]', 'interfaces.0.controller'],
    [
      'interfaces: [{name: a, type: veth, veth: {peer: c}}, {name: b, type: veth, veth: {peer: c}}]',
      'interfaces.1.veth.peer',
    ],
    [
      'interfaces: [{name: a, type: veth, veth: {peer: b}}, {name: b, state: ignore}]',
      'interfaces.0.veth.peer',
    ],
    ['interfaces: [{name: br0, type: ovs-bridge}]', 'interfaces.0.type'],
    ['interfaces: [{name: eth0, type: ethernet, vlan: {id: 1}}]', 'interfaces.0.vlan'],
    ['interfaces: [{name: eth0, ipv4: {autoconf: true}}]', 'interfaces.0.ipv4.autoconf'],
    ['interfaces: [{name: eth0, copy-mac-from: eth1}]', 'interfaces.0.copy-mac-from'],
    [
      'routes: {config: [{route-type: blackhole, destination: 10.0.0.0/8, next-hop-interface: eth0}]}',
      'routes.config.0.route-type',
    ],
  ])('%s', (text, path) => {
    const { keyfiles, findings } = convertNmstate(parseYaml(text).value);
    const finding = findings.find(({ rule }) => rule === 'nmstate-not-covered');
    expect(keyfiles).toEqual([]);
    expect(formatPath(finding?.path ?? [])).toBe(`$.${path}`);
    expect(finding?.message).toContain('the built-in nmstate conversion does not support');
    expect(finding?.hint).toContain('remove the key, or convert the document with nmstatectl gc');
  });
});

it.each([
  ['links: []', 'pass OpenStack network data with --network-data'],
  ['network: {version: 2}', 'write the network as nmstate'],
])('another format: %s', (text, hint) => {
  expect(convertNmstate(parseYaml(text).value).findings[0]?.hint).toContain(hint);
});

it.each([
  ['interfaces: [{name: eth0, ipv4: {enable: true}}]', 'use "enabled"; otherwise, remove the key'],
  ['interfaces: [{name: eth0, ipv4: {adress: []}}]', 'use "address"; otherwise, remove the key'],
  ['interfaces: [{name: eth0, 802.1x: {}}]', 'remove the key'],
  ['interfaces: [{name: b, type: bond, bond: {slaves: [eth0]}}]', 'use "port"'],
])('a key that is misspelled: %s', (text, hint) => {
  const [finding] = convertNmstate(parseYaml(text).value).findings;
  expect(finding?.hint).toMatch(new RegExp(`^${hint}`));
});

describe('what nmstate refuses, or what makes no sense', () => {
  it.each([
    ['interfaces: {}', 'interfaces: expected a list'],
    ['interfaces:', 'interfaces: expected a list'],
    ['interfaces: [5]', 'interfaces.0: expected a mapping'],
    ['interfaces: [{type: ethernet}]', 'interfaces.0: "name" is missing'],
    ['interfaces: [{name: }]', 'interfaces.0.name: expected a string, found nothing'],
    ['interfaces: [{name: eth0, state: }]', 'interfaces.0.state: expected one of up, down, absent, ignore'],
    ['interfaces: [{name: eth0, mtu: }]', 'interfaces.0.mtu: expected an integer from 0 to 4294967295'],
    [
      'interfaces: [{name: eth0, ipv4: {enabled: }}]',
      'interfaces.0.ipv4.enabled: expected true or false, found nothing',
    ],
    [
      'interfaces: [{name: b, type: bond, link-aggregation: {mode: }}]',
      'interfaces.0.link-aggregation.mode: expected one of balance-rr',
    ],
    [
      'routes: {config: [{destination: 192.0.2.0/24, next-hop-interface: }]}',
      'routes.config.0.next-hop-interface: expected a string, found nothing',
    ],
    ['interfaces: [{name: 5}]', 'interfaces.0.name: expected a string'],
    [
      'interfaces: [{name: v, type: vlan, vlan: {base-iface: a very long profile, id: 7}}]',
      'interfaces.0.vlan.base-iface: not an interface or a profile of this document',
    ],
    ['interfaces: [{name: v, type: vlan, vlan: {id: 7}}]', 'interfaces.0.vlan: "base-iface" is missing'],
    ['interfaces: [{name: ../x}]', 'interfaces.0.name: invalid interface name'],
    [
      'interfaces: [{name: lo1, type: loopback}]',
      'interfaces.0.name: the loopback interface must have the name lo',
    ],
    ['interfaces: [{name: lo}]', 'interfaces.0: lo is the loopback interface'],
    ['interfaces: [{name: lo, type: dummy}]', 'interfaces.0: lo is the loopback interface'],
    [
      'interfaces: [{name: lo, type: loopback, ipv4: {enabled: true, dhcp: true}}]',
      'interfaces.0.ipv4: the loopback interface has static addresses',
    ],
    [
      'interfaces: [{name: lo, type: loopback, ipv6: {enabled: false}}]',
      'interfaces.0.ipv6: the loopback interface has static addresses',
    ],
    ['interfaces: [{name: averylonginterface}]', 'interfaces.0.name: invalid interface name'],
    ['interfaces: [{name: eth0}, {name: eth0}]', 'interfaces: two interfaces have the same name'],
    ['interfaces: [{name: eth0, profile-name: a/b}]', 'interfaces.0.profile-name: invalid interface name'],
    ['interfaces: [{name: eth0, profile-name: x}, {name: eth1, profile-name: x}]', 'two profiles would have'],
    [
      'interfaces: [{name: eth0, profile-name: eth1}, {name: eth1}]',
      'interfaces.0.profile-name: another interface has this name',
    ],
    ['interfaces: [{name: eth0, state: UP}]', 'interfaces.0.state: expected one of'],
    ['interfaces: [{name: eth0, mtu: 1500.5}]', 'interfaces.0.mtu: expected an integer'],
    ['interfaces: [{name: eth0, mtu: 1279, ipv6: {enabled: true}}]', 'interfaces.0.mtu: IPv6 requires'],
    ['interfaces: [{name: eth0, identifier: mac-address}]', 'interfaces.0.identifier: requires'],
    [
      'interfaces: [{name: eth0, mac-address: 52-54-00-12-34-56}]',
      'interfaces.0.mac-address: expected a MAC',
    ],
    [
      'interfaces: [{name: eth0, description: "a\\nb"}]',
      'interfaces.0.description: the string contains control',
    ],
    [
      'interfaces: [{name: eth0, ipv4: {enabled: maybe}}]',
      'interfaces.0.ipv4.enabled: expected true or false',
    ],
    ['interfaces: [{name: eth0, ipv4: {address: [{ip: 192.0.2.1}]}}]', 'ipv4.address.0: "prefix-length"'],
    [
      'interfaces: [{name: eth0, ipv4: {address: [{ip: "::1", prefix-length: 64}]}}]',
      'address.0.ip: expected an IPv4',
    ],
    [
      'interfaces: [{name: eth0, ipv4: {address: [{ip: 192.0.2.1, prefix-length: 33}]}}]',
      '0.prefix-length: expected an integer',
    ],
    ['interfaces: [{name: eth0, ipv6: {enabled: true, autoconf: true}}]', 'ipv6.autoconf: nmstate does not'],
    ['interfaces: [{name: v, type: vlan}]', 'interfaces.0: "vlan" is missing'],
    ['interfaces: [{name: v, type: vlan, vlan: {id: 1}}]', 'interfaces.0.vlan: "base-iface" is missing'],
    [
      'interfaces: [{name: v, type: vlan, vlan: {id: 4095, base-iface: eth0}}]',
      'vlan.id: expected an integer',
    ],
    [
      'interfaces: [{name: v, type: vlan, vlan: {id: 1, base-iface: v}}]',
      'base-iface: the interface is its own parent',
    ],
    [
      'interfaces: [{name: b, type: bond, link-aggregation: {port: []}}]',
      'interfaces.0: a bond requires a mode',
    ],
    [
      'interfaces: [{name: b, type: bond, bond: {mode: 1}, link-aggregation: {mode: 1}}]',
      'interfaces.0.bond: duplicate of "link-aggregation"',
    ],
    [
      'interfaces: [{name: b, type: bond, bond: {mode: 1, port: [x], ports: [x]}}]',
      'interfaces.0.bond.ports: duplicate of "port"',
    ],
    [
      'interfaces: [{name: b, type: bond, bond: {mode: 1, options: {arp_ip_target: "192.0.2.1, 192.0.2.2"}}}]',
      'arp_ip_target: expected IPv4 addresses separated by commas',
    ],
    [
      'interfaces: [{name: b, type: bond, bond: {mode: 1, options: {arp_interval: 1, miimon: 1}}}]',
      'options.miimon: miimon and arp_interval are mutually exclusive',
    ],
    [
      'interfaces: [{name: b, type: bond, bond: {options: {balance-slb: true, balance_slb: true}}}]',
      'options.balance_slb: duplicate of "balance-slb"',
    ],
    [
      'interfaces: [{name: b, type: bond, bond: {mode: 1, port: [averylonginterface]}}]',
      'port "averylonginterface" cannot be an Ethernet interface',
    ],
    [
      'interfaces: [{name: b, type: linux-bridge, bridge: {port: [{name: x}], ports: [{name: x}]}}]',
      'bridge.ports: duplicate of "port"',
    ],
    [
      'interfaces: [{name: b, type: linux-bridge, bridge: {port: [{name: x, vlan: {trunk-tags: [{}]}}]}}]',
      '"id-range" is missing',
    ],
    [
      [
        'dns-resolver: {config: {server: ["fe80::1%eth0", "fe80::1%eth1"]}}',
        'interfaces: [{name: eth0, ipv6: &auto {enabled: true, autoconf: true, dhcp: true}}, {name: eth1, ipv6: *auto}]',
      ].join('\n'),
      'dns-resolver.config.server.1: nmstate supports link-local name servers on one interface only',
    ],
    [
      'interfaces: [{name: b, type: bond, link-aggregation: {mode: 7}}]',
      'link-aggregation.mode: expected one of',
    ],
    [
      'interfaces: [{name: b, type: bond, link-aggregation: {mode: 1, port: [x, x]}}]',
      'port x is listed twice',
    ],
    [
      'interfaces: [{name: b, type: bond, link-aggregation: {mode: 1, port: [b]}}]',
      'the interface is its own port',
    ],
    [
      'interfaces: [{name: b, type: bond, bond: {mode: 1, options: {lacp_rate: fast}}}]',
      'lacp_rate: requires',
    ],
    [
      'interfaces: [{name: b, type: linux-bridge, bridge: {options: {stp: {hello-time: 11}}}}]',
      'hello-time: expected an integer',
    ],
    [
      'interfaces: [{name: b, type: linux-bridge, bridge: {port: [{name: e}]}}, {name: e, ipv4: {enabled: true}}]',
      'interfaces.1.ipv4: a port of b',
    ],
    ['routes: {config: [{next-hop-interface: eth0}]}', 'routes.config.0: "destination" is missing'],
    ['routes: {config: [{destination: 0.0.0.0/0}]}', 'routes.config.0: "next-hop-interface" is missing'],
    [
      'routes: {config: [{destination: 0.0.0.0/0, next-hop-interface: eth0}]}',
      'no interface eth0 with state up',
    ],
    [
      'routes: {config: [{destination: 0.0.0.0/8, next-hop-interface: eth0}]}',
      'destination: networks in 0.0.0.0/8',
    ],
    [
      'interfaces: [{name: e, ethernet: {sr-iov: {vfs: [{id: 0}, {id: 0}]}}}]',
      'sr-iov.vfs: two virtual functions have the same id',
    ],
    [
      'interfaces: [{name: e, ethernet: {sr-iov: {vfs: [{id: 0, vlan-proto: 802.1ad}]}}}]',
      'vfs.0.vlan-proto: requires vlan-id or qos',
    ],
    ['interfaces: [{state: absent, type: vrf}]', 'interfaces.0: "name" is missing'],
    ['route-rules: {config: [{priority: 1}]}', 'config.0: one of ip-from, ip-to and family is required'],
    ['route-rules: {config: [{family: ipv6, ip-to: 192.0.2.1}]}', 'ip-to: expected an IPv6 network'],
    [
      'route-rules: {config: [{ip-from: 192.0.2.0/24}]}',
      'config.0: nmstate stores the rule with lo, which has no IPv4',
    ],
    ['dns-resolver: {config: {server: [192.0.2.1]}}', 'dns-resolver.config.server: no interface'],
    ['dns-resolver: {config: {server: [dns.example.com]}}', 'server.0: expected the IP address'],
    ['dns-resolver: {config: {server: ["fe80::1%eth9"]}}', 'server.0: eth9 is not an interface'],
    ['dns-resolver: {config: {search: [example.com]}}', 'dns-resolver.config: no interface'],
  ])('%s', (text, expected) => {
    expect(errorsInYaml(text).join('\n')).toContain(expected);
  });

  it('reports everything at once', () => {
    const errors = errorsInYaml('interfaces: [{name: eth0, mtu: x, ovs-db: {}}, {name: eth1, state: y}]');
    expect(errors.map((error) => error.split(':')[0])).toEqual([
      'interfaces.0.mtu',
      'interfaces.0.ovs-db',
      'interfaces.1.state',
    ]);
  });
});

describe('warnings', () => {
  it.each([
    ['a host name', 'hostname: {config: worker-0}', 'hostname.config'],
    [
      'a link-local address',
      'interfaces: [{name: eth0, ipv6: {enabled: true, address: [{ip: "fe80::1", prefix-length: 64}]}}]',
      'interfaces.0.ipv6.address',
    ],
    [
      'the MAC address of a bond that follows its ports',
      'interfaces: [{name: b, type: bond, mac-address: "02:00:00:00:00:01", bond: {mode: 1, options: {fail_over_mac: 1}}}]',
      'interfaces.0.mac-address',
    ],
  ])('tell what nmstate leaves out: %s', (_title, text, path) => {
    const { findings } = convertNmstate(parseYaml(text).value);
    expect(findings.map((finding) => [finding.severity, formatPath(finding.path)])).toEqual([
      ['warning', `$.${path}`],
    ]);
  });
});

describe('any document', () => {
  it('may have values that cannot become text', () => {
    const options = { 'multicast-router': { toString: 1 } };
    const bridge = { name: 'br0', type: 'linux-bridge', state: 'up', bridge: { options, port: [] } };
    expect(errorsOf({ interfaces: [bridge] })).toEqual([
      expect.stringContaining('interfaces.0.bridge.options.multicast-router'),
    ]);
  });

  it('gives keyfiles or errors', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.jsonValue(), fc.record({ interfaces: fc.array(fc.jsonValue()) })),
        (document) => {
          const { keyfiles, findings } = convertNmstate(document);
          expect(keyfiles.length > 0 && findings.some(({ severity }) => severity === 'error')).toBe(false);
        },
      ),
    );
  });

  it('gives keyfiles or errors, also when it is nearly right', () => {
    const random = seededRandom(1);
    for (let count = 0; count < 2000; count += 1) {
      const document = spoil(random, spoil(random, randomNetwork(random)));
      const { keyfiles, findings } = convertNmstate(document);
      expect(keyfiles.length > 0 && findings.some(({ severity }) => severity === 'error')).toBe(false);
      for (const { name } of keyfiles) expect(name).toMatch(/^[^/.][^/]*\.nmconnection$/);
    }
  });

  it('does not depend on the order of keys', () => {
    const random = seededRandom(2);
    for (let count = 0; count < 200; count += 1) {
      const document = randomNetwork(random);
      const turned = JSON.parse(JSON.stringify(document), (_key, value: unknown) => turnAround(value));
      expect(convertNmstate(turned).keyfiles).toEqual(convertNmstate(document).keyfiles);
    }
  });
});

function turnAround(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toReversed());
}

it.each([
  ['192.0.2.5/24', 'use 192.0.2.5, without the prefix length'],
  ['192.0.2.300', undefined],
])('an address as %s', (ip, hint) => {
  const ipv4 = { enabled: true, dhcp: false, address: [{ ip, 'prefix-length': 24 }] };
  const { findings } = convertNmstate({
    interfaces: [{ name: 'eth0', type: 'ethernet', state: 'up', ipv4 }],
  });
  expect(findings).toMatchObject([{ message: `expected an IPv4 address, found "${ip}"`, hint }]);
});

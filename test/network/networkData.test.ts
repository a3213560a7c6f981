import * as fc from 'fast-check';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatPath } from '../../src/core/finding.ts';
import { parseKeyfile } from '../../src/formats/keyfile.ts';
import { parseYaml } from '../../src/formats/yaml.ts';
import { convertNetworkData } from '../../src/network/networkData/convertNetworkData.ts';
import {
  bond,
  dns,
  ipv4,
  ipv6,
  macOf,
  network,
  networkDataDocuments,
  nic,
  route,
  vlan,
} from '../support/networkDataDocuments.ts';

/** Findings as `severity path: message`; the path is without the `$.`. */
function findingsOf(document: unknown): string[] {
  return convertNetworkData(document).findings.map(
    ({ severity, path, message }) => `${severity} ${formatPath(path).slice('$.'.length)}: ${message}`,
  );
}

/** The text of the keyfile of a link. */
function keyfileOf(document: unknown, name: string): string {
  const { keyfiles, findings } = convertNetworkData(document);
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  return keyfiles.find((keyfile) => keyfile.name === `${name}.nmconnection`)?.text ?? '';
}

describe('keyfiles', () => {
  it('are tested with at least 60 documents, each with a title of its own', () => {
    const titles = new Set(networkDataDocuments.map(({ title }) => title));
    expect(titles.size).toBe(networkDataDocuments.length);
    expect(titles.size).toBeGreaterThanOrEqual(60);
  });

  it.each(networkDataDocuments)('$title', ({ document }) => {
    const { keyfiles, findings } = convertNetworkData(document);
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(document['links']).toHaveLength(keyfiles.length);
    for (const { name, text } of keyfiles) {
      expect(name).toMatch(/^[A-Za-z0-9_][A-Za-z0-9_.-]*\.nmconnection$/);
      expect(parseKeyfile(text).map((section) => section.name)).toContain('connection');
    }
  });

  it.each([
    'what Nova writes for a server with one port',
    'what Metal3 renders for a bond with a VLAN',
    'IPv4 and IPv6 on one link',
    'static IPv4 with router advertisements',
    'a second link without a network',
    'a bond with more options',
  ])('golden: %s', async (title) => {
    const found = networkDataDocuments.find((item) => item.title === title);
    const { keyfiles } = convertNetworkData(found?.document);
    const text = keyfiles.map((keyfile) => `# ${keyfile.name}\n${keyfile.text}`).join('\n');
    const file = `${title.replaceAll(' ', '-')}.txt`;
    await expect(text).toMatchFileSnapshot(join(resolve(import.meta.dirname, '../golden/networkData'), file));
  });

  it.each([[null], [{}], [{ links: [] }], [{ links: [], networks: null, services: null }]])(
    'are none for %j',
    (document) => {
      expect(convertNetworkData(document)).toEqual({ keyfiles: [], findings: [] });
    },
  );

  it('refer to the connections above and below by UUID, in documents of any order', () => {
    const links = [vlan('bond0', 100), bond(['nic1', 'nic2']), nic(2), nic(1)];
    const texts = convertNetworkData({ links, networks: [ipv4('vlan100')] }).keyfiles.map(({ text }) => text);
    const [, uuid] = /uuid=(.*)/.exec(texts[1] ?? '') ?? [];
    expect(texts[0]).toContain(`parent=${uuid}\n`);
    expect(texts[2]).toContain(`master=${uuid}\n`);
    expect(texts[3]).toContain(`master=${uuid}\n`);
  });

  it('have names that stay in their folder and differ', () => {
    const ids = ['../../etc/passwd', '.hidden', '-rf', 'a/b', 'a:b', 'A:B', 'x\u0000\ny', '🖧', '__proto__'];
    const links = ids.map((id, index) => nic(index + 1, { id }));
    expect(convertNetworkData({ links }).keyfiles.map(({ name }) => name)).toEqual(
      ['_._.._etc_passwd', '_hidden', '_rf', 'a_b', 'a_b-2', 'A_B-3', 'x__y', '__', '__proto__'].map(
        (name) => `${name}.nmconnection`,
      ),
    );
  });

  it('have ids on one line', () => {
    const text = keyfileOf({ links: [nic(1, { id: ' a\n[ipv4]\nb\\c' })] }, '_a__ipv4__b_c');
    expect(text.split('\n')[1]).toBe('id=a_[ipv4]_b\\\\c');
  });

  it.each([
    ['its name', { id: 'x', name: 'lag7' }, 'lag7'],
    ['its id', { id: 'bond-storage' }, 'bond-storage'],
    ['a number where the id is too long', { id: 'the bond of the rack' }, 'bond0'],
    ['a number where the id is that of a physical interface', { id: 'eth0' }, 'bond0'],
  ])('name a bond by %s', (_title, members, name) => {
    const { keyfiles } = convertNetworkData({ links: [nic(1), bond(['nic1'], members)] });
    expect(keyfiles[1]?.text).toContain(`\ninterface-name=${name}\n`);
  });

  it('number bonds past the names that are taken', () => {
    const links = [
      ...[1, 2, 3].map((number) => nic(number)),
      bond(['nic1'], { id: 'one that is too long' }),
      bond(['nic2'], { id: 'bond0' }),
      bond(['nic3'], { id: 'another that is too long' }),
    ];
    const texts = convertNetworkData({ links }).keyfiles.map(({ text }) => text);
    const names = texts.flatMap((text) => /interface-name=(.*)/.exec(text)?.[1] ?? []);
    expect(names).toEqual(['bond1', 'bond0', 'bond2']);
  });

  it('find an interface without a MAC address by its name, as cloud-init does', () => {
    const text = keyfileOf({ links: [{ id: 'a', type: 'phy', name: 'eno1' }] }, 'a');
    expect(text).toContain('interface-name=eno1\n');
    expect(text).not.toContain('[ethernet]');
  });

  it('write MAC addresses with dashes with colons', () => {
    const document = { links: [nic(1, { ethernet_mac_address: '52-54-00-ab-cd-ef' })] };
    expect(keyfileOf(document, 'nic1')).toContain('mac-address=52:54:00:AB:CD:EF\n');
  });

  it.each([
    ['its name', { name: 'storage' }, 'storage'],
    ['its id', { id: 'bond0.100' }, 'bond0.100'],
    ['its id, which is like that of a physical interface', { id: 'eno1.100' }, 'eno1.100'],
    ['nothing where its id is too long', { id: 'the VLAN of the rack' }, undefined],
    ['nothing where its id is that of a physical interface', { id: 'enp1s0' }, undefined],
    ['nothing where its id means something else', { id: 'default' }, undefined],
  ])('name a VLAN by %s', (_title, members, name) => {
    const text = convertNetworkData({ links: [nic(1), vlan('nic1', 100, members)] }).keyfiles[1]?.text;
    expect(/^interface-name=(.*)$/m.exec(text ?? '')?.[1]).toBe(name);
  });

  it('stack VLANs', () => {
    const links = [nic(1), vlan('nic1', 100), vlan('vlan100', 200)];
    expect(keyfileOf({ links, networks: [ipv4('vlan200')] }, 'vlan200')).toContain('id=200\n');
  });

  it.each(['eno1', 'em1', 'enP2p1s0'])(
    'keep the primary port of a bond, whose id is a name of an interface: %s',
    (id) => {
      const document = {
        links: [nic(1, { id }), bond([id], { bond_primary: id, ethernet_mac_address: null })],
      };
      expect(keyfileOf(document, 'bond0')).toContain(`primary=${id}\n`);
    },
  );

  it('take words and numbers for bond options', () => {
    const document = {
      links: [
        nic(1),
        bond(['nic1'], { bond_mode: 4, bond_lacp_rate: 1, bond_all_slaves_active: 'delivered' }),
      ],
    };
    const text = keyfileOf(document, 'bond0');
    expect(text).toContain('[bond]\nall_slaves_active=1\nlacp_rate=fast\nmode=802.3ad\n');
  });

  it('hold equal addresses, routes and name servers once', () => {
    const gateway = route('0.0.0.0', '0.0.0.0', '192.0.2.1');
    const networks = [
      ipv4('nic1', { gateway: '192.0.2.1', routes: [gateway], services: dns('192.0.2.53', '192.0.2.53') }),
    ];
    const text = keyfileOf({ links: [nic(1)], networks }, 'nic1');
    expect(text.match(/^(?:route|dns|address).*$/gm)).toEqual([
      'address0=192.0.2.10/24',
      'dns=192.0.2.53',
      'route0=0.0.0.0/0,192.0.2.1',
    ]);
  });

  it('take 0.0.0.0 for no gateway', () => {
    const networks = [ipv4('nic1', { routes: [route('10.0.0.0', '8', '0.0.0.0', { metric: 5 })] })];
    expect(keyfileOf({ links: [nic(1)], networks }, 'nic1')).toContain('route0=10.0.0.0/8,,5\n');
  });
});

const withLinks = (...links: unknown[]): unknown => ({ links });
const withNetworks = (...networks: unknown[]): unknown => ({ links: [nic(1)], networks });
const withRoute = (members: unknown): unknown => withNetworks(ipv4('nic1', { routes: [members] }));

describe('errors', () => {
  it.each<[string, unknown, string]>([
    ['a list', [], ': expected a mapping with "links"'],
    ['a text', 'x', ': expected a mapping with "links"'],
    ['no links', { networks: [] }, ': "links" is missing'],
    ['links of null', { links: null }, 'links: expected a list'],
    ['links as a mapping', { links: {} }, 'links: expected a list'],
    ['a link that is a text', withLinks('eth0'), 'links.0: expected a mapping'],
    ['a link without an id', withLinks({ ...nic(1), id: undefined }), 'links.0: "id" is missing'],
    ['an empty id', withLinks(nic(1, { id: '' })), 'links.0: "id" is missing'],
    ['an id that is a number', withLinks(nic(1, { id: 1 })), 'links.0.id: expected a string'],
    ['a link without a type', withLinks({ id: 'a' }), 'links.0: "type" is missing'],
    ['a type that is a number', withLinks(nic(1, { type: 5 })), 'links.0.type: expected a string'],
    [
      'an id that is there twice',
      withLinks(nic(1), nic(2, { id: 'nic1' })),
      'links.1.id: another link has the id "nic1"',
    ],
    [
      'a MAC address that is there twice',
      withLinks(nic(1), nic(2, { ethernet_mac_address: macOf(1) })),
      'links.1.ethernet_mac_address: another link has',
    ],
    [
      'a name that is there twice',
      withLinks(nic(1, { name: 'a' }), nic(2, { name: 'a' })),
      'links.1.name: another link has the name a',
    ],
    ['no MAC address', withLinks({ id: 'a', type: 'phy' }), 'links.0: "ethernet_mac_address" is missing'],
    [
      'an invalid MAC address',
      withLinks(nic(1, { ethernet_mac_address: '52:54' })),
      'links.0.ethernet_mac_address: expected a MAC address like',
    ],
    [
      'an address of InfiniBand',
      withLinks(nic(1, { ethernet_mac_address: `${'80:'.repeat(19)}80` })),
      'links.0.ethernet_mac_address: expected a MAC address like',
    ],
    [
      'an MTU that is too large',
      withLinks(nic(1, { mtu: 65_536 })),
      'links.0.mtu: expected an integer from 0 to 65535',
    ],
    ['an MTU that is a text', withLinks(nic(1, { mtu: 'large' })), 'links.0.mtu: expected an integer'],
    ['a name with a slash', withLinks(nic(1, { name: 'a/b' })), 'links.0.name: invalid interface name'],
    ['the name default', withLinks(nic(1, { name: 'default' })), 'links.0.name: invalid interface name'],
    ['the name lo', withLinks(nic(1, { name: 'lo' })), 'links.0.name: invalid interface name'],
    [
      'a bond without ports',
      withLinks({ ...bond([]), bond_links: undefined }),
      'links.0: "bond_links" is missing',
    ],
    [
      'a bond without a mode',
      withLinks(nic(1), bond(['nic1'], { bond_mode: null })),
      'links.1: "bond_mode" is missing',
    ],
    [
      'an unknown mode',
      withLinks(nic(1), bond(['nic1'], { bond_mode: 'lacp2' })),
      'links.1.bond_mode: expected one of balance-rr',
    ],
    [
      'an invalid bond option',
      withLinks(nic(1), bond(['nic1'], { bond_miimon: 'often' })),
      'links.1.bond_miimon: expected an integer',
    ],
    [
      'bond options that exclude each other',
      withLinks(nic(1), bond(['nic1'], { bond_miimon: 1, bond_arp_interval: 1 })),
      'links.1.bond_miimon: miimon and arp_interval',
    ],
    [
      'LACP options of another mode',
      withLinks(nic(1), bond(['nic1'], { bond_lacp_rate: 'fast' })),
      'links.1.bond_lacp_rate: requires mode 802.3ad',
    ],
    [
      'a port that is no link',
      withLinks(nic(1), bond(['nic7'])),
      'links.1.bond_links.0: no link has the id "nic7"',
    ],
    [
      'a port that is a number',
      withLinks(nic(1), bond([], { bond_links: [1] })),
      'links.1.bond_links.0: expected a string',
    ],
    [
      'a bond in a bond',
      withLinks(nic(1), bond(['nic1'], { id: 'a' }), bond(['a'], { id: 'b' })),
      'links.2.bond_links.0: "a" is a bond',
    ],
    ['a bond in itself', withLinks(bond(['bond0'])), 'links.0.bond_links.0: "bond0" is a bond'],
    [
      'a VLAN in a bond',
      withLinks(nic(1), vlan('nic1', 5), bond(['vlan5'])),
      'links.2.bond_links.0: "vlan5" is a vlan',
    ],
    [
      'a port of two bonds',
      withLinks(nic(1), bond(['nic1'], { id: 'a' }), bond(['nic1'], { id: 'b' })),
      'links.2.bond_links.0: "nic1" is already',
    ],
    [
      'a port that is there twice',
      withLinks(nic(1), bond(['nic1', 'nic1'])),
      'links.1.bond_links.1: "nic1" is already',
    ],
    [
      'a VLAN without a parent',
      withLinks({ ...vlan('x', 5), vlan_link: undefined }),
      'links.0: "vlan_link" is missing',
    ],
    ['a VLAN on no link', withLinks(nic(1), vlan('nic7', 5)), 'links.1.vlan_link: no link has the id "nic7"'],
    [
      'a VLAN without a number',
      withLinks(nic(1), vlan('nic1', 5, { vlan_id: null })),
      'links.1: "vlan_id" is missing',
    ],
    ['VLAN 0', withLinks(nic(1), vlan('nic1', 0)), 'links.1.vlan_id: expected an integer from 1 to 4094'],
    [
      'VLAN 4095',
      withLinks(nic(1), vlan('nic1', 4095)),
      'links.1.vlan_id: expected an integer from 1 to 4094',
    ],
    [
      'a VLAN that is there twice',
      withLinks(nic(1), vlan('nic1', 5), vlan('nic1', 5, { id: 'b' })),
      'links.2.vlan_id: another link has VLAN 5',
    ],
    ['networks as a mapping', { links: [nic(1)], networks: {} }, 'networks: expected a list'],
    ['a network that is a list', withNetworks([]), 'networks.0: expected a mapping'],
    ['a network without a link', withNetworks(ipv4('nic1', { link: null })), 'networks.0: "link" is missing'],
    ['a network of no link', withNetworks(ipv4('nic7')), 'networks.0.link: no link has the id "nic7"'],
    ['a network without a type', withNetworks(ipv4('nic1', { type: '' })), 'networks.0: "type" is missing'],
    [
      'an unknown type of network',
      withNetworks(network('nic1', 'ipv5')),
      'networks.0.type: expected one of ipv4, ipv4_dhcp',
    ],
    ['no address', withNetworks(network('nic1', 'ipv4')), 'networks.0: "ip_address" is missing'],
    [
      'an invalid address',
      withNetworks(ipv4('nic1', { ip_address: '192.0.2.256' })),
      'networks.0.ip_address: expected an IPv4 address, found "192.0.2.256"',
    ],
    [
      'an address of the other version',
      withNetworks(ipv4('nic1', { ip_address: '2001:db8::1' })),
      'networks.0.ip_address: expected an IPv4 address',
    ],
    [
      'an address with two slashes',
      withNetworks(ipv4('nic1', { ip_address: '192.0.2.1/24/24' })),
      'networks.0.ip_address: expected an IPv4 address',
    ],
    [
      'an address with a zone',
      withNetworks(ipv6('nic1', { ip_address: 'fe80::1%eth0' })),
      'networks.0.ip_address: expected an IPv6 address',
    ],
    [
      'an invalid netmask',
      withNetworks(ipv4('nic1', { netmask: '255.0.255.0' })),
      'networks.0.netmask: the netmask is invalid: "255.0.255.0"',
    ],
    [
      'a netmask with too many bits',
      withNetworks(ipv4('nic1', { netmask: 33 })),
      'networks.0.netmask: the netmask is invalid',
    ],
    [
      'a netmask of the other version',
      withNetworks(ipv4('nic1', { netmask: 'ffff::' })),
      'networks.0.netmask: the netmask is invalid',
    ],
    [
      'an invalid netmask behind a slash',
      withNetworks(ipv4('nic1', { ip_address: '192.0.2.1/x', netmask: null })),
      'networks.0.ip_address: the netmask is invalid: "x"',
    ],
    [
      'an invalid gateway',
      withNetworks(ipv4('nic1', { gateway: 'router' })),
      'networks.0.gateway: expected an IPv4 address',
    ],
    [
      'a network on the port of a bond',
      { links: [nic(1), bond(['nic1'])], networks: [ipv4('nic1')] },
      'networks.0.link: a port of a bond',
    ],
    [
      'a route without a network',
      withRoute({ netmask: '255.0.0.0', gateway: '192.0.2.1' }),
      'networks.0.routes.0: "network" is missing',
    ],
    [
      'a route without a netmask',
      withRoute({ network: '10.0.0.0', gateway: '192.0.2.1' }),
      'networks.0.routes.0: "netmask" is missing',
    ],
    [
      'a route with a gateway of the other version',
      withRoute(route('10.0.0.0', '255.0.0.0', 'fe80::1')),
      'networks.0.routes.0.gateway: expected an IPv4 address',
    ],
    [
      'a route with an invalid netmask',
      withRoute(route('10.0.0.0', '255.0.0.1', '192.0.2.1')),
      'networks.0.routes.0.netmask: the netmask is invalid',
    ],
    [
      'an invalid metric',
      withRoute(route('10.0.0.0', '8', '192.0.2.1', { metric: -1 })),
      'networks.0.routes.0.metric: expected an integer',
    ],
    [
      'an invalid name server',
      { links: [], services: dns('dns.example.com') },
      'services.0.address: expected an IP address, found "dns.example.com"',
    ],
    [
      'a service without an address',
      { links: [], services: [{ type: 'dns' }] },
      'services.0: "address" is missing',
    ],
    [
      'a service without a type',
      { links: [], services: [{ address: '192.0.2.53' }] },
      'services.0: "type" is missing',
    ],
    [
      'a search domain with a semicolon',
      withNetworks(ipv4('nic1', { dns_search: ['a;b'] })),
      'networks.0.dns_search.0: the string',
    ],
  ])('%s', (_title, document, expected) => {
    const errors = findingsOf(document).filter((finding) => finding.startsWith('error '));
    expect(errors.join('\n')).toContain(`error ${expected}`);
    expect(convertNetworkData(document).keyfiles).toEqual([]);
  });

  it.each([
    [
      'nmstate',
      { interfaces: [] },
      'pass an nmstate document with --nmstate, or as nmstate in the inventory',
    ],
    ['netplan', { version: 2, ethernets: {} }, 'use network_data.json'],
    ['the network config of cloud-init', { version: 1, config: [] }, 'use network_data.json'],
    ['anything else', { a: 1 }, 'add "links"'],
  ])('know the format of %s', (_title, document, hint) => {
    expect(convertNetworkData(document).findings[0]?.hint).toContain(hint);
  });

  it('are not followed by warnings about what was refused', () => {
    const refused = { id: 'n', link: 'other', type: 'ipv4', ip_address: '192.0.2.5/24' };
    const services = [{ type: 'dns', address: '192.0.2.53' }];
    const { findings } = convertNetworkData({ links: [nic(1)], networks: [refused], services });
    expect(findings.map(({ severity }) => severity)).toEqual(['error']);
  });

  it('have the rules of network data only', () => {
    const { findings } = convertNetworkData(withLinks(nic(1, { mtu: 'x', ethernet_mac_address: 'y' })));
    expect(findings.map(({ rule }) => rule)).toEqual(['network-data-value', 'network-data-value']);
  });

  it('have paths that the YAML reader places', () => {
    const yaml = parseYaml('{\n "links": [\n  {"id": "a", "type": "phy",\n   "ethernet_mac_address": "x"}]}');
    const [finding] = convertNetworkData(yaml.value).findings;
    expect(yaml.locate(finding?.path ?? [])).toMatchObject({ line: 4 });
  });
});

describe('warnings', () => {
  it.each<[string, unknown, string]>([
    [
      'an unknown type of link',
      withLinks(nic(1, { type: 'quantum' })),
      'links.0.type: the type "quantum" is unknown and treated as "phy"',
    ],
    ['an unknown key of a link', withLinks(nic(1, { mtus: 1 })), 'links.0.mtus: the key "mtus" is not used'],
    ['a bond option of a physical link', withLinks(nic(1, { bond_mode: 1 })), 'links.0.bond_mode: the key'],
    [
      'an unknown bond option',
      withLinks(nic(1), bond(['nic1'], { bond_speed: 1 })),
      'links.1.bond_speed: the key "bond_speed" is not used',
    ],
    [
      'a primary port by its id',
      withLinks(nic(1), bond(['nic1'], { bond_primary: 'nic1' })),
      'links.1.bond_primary: the primary port is not set',
    ],
    ['an unknown key of the document', { links: [], link: 1 }, 'link: the key "link" is not used'],
    ['an unknown key of a network', withNetworks(ipv4('nic1', { ip: 1 })), 'networks.0.ip: the key'],
    [
      'an unknown key of a route',
      withRoute(route('10.0.0.0', '8', '192.0.2.1', { via: 1 })),
      'networks.0.routes.0.via: the key',
    ],
    [
      'an unknown key of a service',
      { links: [nic(1)], networks: [ipv6('nic1')], services: [{ type: 'dns', address: '::1', port: 53 }] },
      'services.0.port: the key',
    ],
    [
      'a service that is no name server',
      { links: [], services: [{ type: 'ntp', address: '::1' }] },
      'services.0.type: services of the type "ntp" are not used',
    ],
    [
      'a network without an id',
      withNetworks(ipv4('nic1', { id: null })),
      'networks.0: "id" is missing, which Ironic',
    ],
    [
      'no netmask',
      withNetworks(ipv4('nic1', { netmask: null })),
      'networks.0.ip_address: the netmask is missing; /24 is used',
    ],
    [
      'no netmask of IPv6',
      withNetworks(ipv6('nic1', { netmask: null })),
      'networks.0.ip_address: the netmask is missing; /64 is used',
    ],
  ])('%s', (_title, document, expected) => {
    expect(findingsOf(document)).toEqual([expect.stringContaining(`warning ${expected}`)]);
  });

  it.each([
    ['ipv4', '"192.0.2.10"'],
    ['ipv6', '"2001:db8::10"'],
  ])('the hint for a missing address of %s has one of the family', (type, example) => {
    const { findings } = convertNetworkData(withNetworks(network('nic1', type)));
    expect(findings.map(({ hint }) => hint)).toEqual([`add "ip_address", for example ${example}`]);
  });

  it.each([
    [ipv4, '255.255.255.0'],
    [ipv6, 'ffff:ffff:ffff:ffff::'],
  ] as const)('the hint for a missing netmask has one of the family', (networkOf, mask) => {
    const { findings } = convertNetworkData(withNetworks(networkOf('nic1', { netmask: null })));
    expect(findings.map(({ hint }) => hint)).toEqual([`add "netmask", for example "${mask}"`]);
  });

  it.each([
    [ipv4, '"0.0.0.0" for the default route'],
    [ipv6, '"::" for the default route'],
  ] as const)('the hint for the network of a route has an example of the family', (networkOf, example) => {
    const routes = [{ gateway: '' }];
    const { findings } = convertNetworkData(withNetworks(networkOf('nic1', { routes })));
    expect(findings.map(({ hint }) => hint)).toContainEqual(expect.stringContaining(example));
  });

  it.each<[string, unknown]>([
    ['a link-local gateway', withNetworks(ipv6('nic1', { gateway: 'fe80::1' }))],
    [
      'a gateway in the subnet of another network of the link',
      withNetworks(
        ipv4('nic1', { gateway: '198.51.100.1' }),
        ipv4('nic1', { id: 'b', ip_address: '198.51.100.2' }),
      ),
    ],
    [
      'a gateway with DHCP',
      withNetworks(network('nic1', 'ipv4_dhcp', { routes: [route('10.0.0.0', '8', '192.0.2.1')] })),
    ],
    [
      'a MAC address that a bond and a VLAN share with a port',
      { links: [nic(1), bond(['nic1']), vlan('bond0', 5)] },
    ],
    ['an MTU of 0', withLinks(nic(1, { mtu: 0 }))],
  ])('there are none for %s', (_title, document) => {
    expect(findingsOf(document)).toEqual([]);
  });
});

const anyText = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('__proto__', 'nic1', '192.0.2.1'),
);
const anyValue = fc.oneof(
  { withCrossShrink: true },
  anyText,
  fc.integer(),
  fc.constant(null),
  fc.boolean(),
  fc.jsonValue(),
);

/** Documents that are nearly valid, with odd values here and there. */
const oddDocuments = fc
  .tuple(
    fc.constantFrom(...networkDataDocuments.map(({ document }) => JSON.stringify(document))),
    fc.array(fc.tuple(fc.nat(), anyValue), { maxLength: 3 }),
  )
  .map(([text, changes]) => {
    const document: unknown = JSON.parse(text);
    for (const [place, value] of changes) replaceAt(document, place, value);
    return document;
  });

/** Replaces one of the values, wherever it is. */
function replaceAt(document: unknown, place: number, value: unknown): void {
  const places: [object, string][] = [];
  const collect = (item: unknown): void => {
    if (typeof item !== 'object' || item === null) return;
    for (const [key, member] of Object.entries(item)) {
      places.push([item, key]);
      collect(member);
    }
  };
  collect(document);
  const [holder, key] = places[place % places.length] ?? [];
  if (holder !== undefined && key !== undefined) Reflect.set(holder, key, value);
}

describe('any document', () => {
  it('gives keyfiles or errors', () => {
    const documents = fc.oneof(
      fc.jsonValue(),
      fc.record({ links: fc.array(fc.jsonValue()), networks: fc.jsonValue(), services: fc.jsonValue() }),
      oddDocuments,
    );
    fc.assert(
      fc.property(documents, (document) => {
        const { keyfiles, findings } = convertNetworkData(document);
        expect(keyfiles.length > 0 && findings.some(({ severity }) => severity === 'error')).toBe(false);
        for (const { message } of findings) expect(message).not.toMatch(/\n/);
        const names = keyfiles.map(({ name }) => name.toLowerCase());
        expect(new Set(names).size).toBe(names.length);
        for (const { name, text } of keyfiles) {
          expect(name).toMatch(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,120}\.nmconnection$/);
          const sections = parseKeyfile(text).map((section) => section.name);
          expect(new Set(sections).size).toBe(sections.length);
          for (const section of sections) {
            expect(['connection', 'bond', 'ipv4', 'ipv6', 'ethernet', 'vlan']).toContain(section);
          }
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(oddDocuments, (document) => {
        const turned: unknown = JSON.parse(JSON.stringify(document), (_key, value: unknown) =>
          turnAround(value),
        );
        const copy: unknown = JSON.parse(JSON.stringify(document));
        expect(convertNetworkData(turned).keyfiles).toEqual(convertNetworkData(copy).keyfiles);
      }),
    );
  });

  it('of the greatest size is read in seconds', () => {
    const links = Array.from({ length: 256 }, (_, index) =>
      vlan(`l${index - 1}`, 5, index === 0 ? { ...nic(1), id: 'l0' } : { id: `l${index}` }),
    );
    const networks = Array.from({ length: 256 }, (_, index) => {
      const routes = Array.from({ length: 128 }, (_item, other) =>
        route(`10.${index}.${other}.0`, '24', '198.51.100.1'),
      );
      return ipv4('l1', {
        id: `n${index}`,
        ip_address: `192.0.${index}.1`,
        netmask: (index % 32) + 1,
        routes,
      });
    });
    const start = process.cpuUsage();
    expect(convertNetworkData({ links, networks }).keyfiles.length).toBe(256);
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(10_000);
  });

  it('gives thousands of links with ids of strange characters, and of one name, different files in seconds', () => {
    const links = Array.from({ length: 14_000 }, (_, index) => ({
      id: index % 2 === 0 ? String.fromCodePoint(0x4e00 + index) : `_-${index}`,
      type: 'phy',
      name: `e${index}`,
    }));
    const start = process.cpuUsage();
    const { keyfiles } = convertNetworkData({ links });
    expect(new Set(keyfiles.map(({ name }) => name)).size).toBe(links.length);
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(10_000);
  });
});

function turnAround(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toReversed());
}

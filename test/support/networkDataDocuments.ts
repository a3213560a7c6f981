/**
 * Network data that other readers accept too, each document with a title that is its own. What is invalid stands in the
 * tests of the conversion.
 */

type Members = Readonly<Record<string, unknown>>;

export interface NetworkDataDocument {
  readonly title: string;
  readonly document: Members;
}

export function macOf(number: number): string {
  return `52:54:00:12:34:${number.toString(16).padStart(2, '0')}`;
}

/** A physical link: `nic1` with the MAC address 52:54:00:12:34:01. */
export function nic(number: number, members: Members = {}): Members {
  return { id: `nic${number}`, type: 'phy', ethernet_mac_address: macOf(number), ...members };
}

/** With the MAC address of its first port. */
export function bond(ports: readonly string[], members: Members = {}): Members {
  return {
    id: 'bond0',
    type: 'bond',
    bond_mode: 'active-backup',
    bond_links: ports,
    ethernet_mac_address: macOf(Number(ports[0]?.slice('nic'.length) ?? 1)),
    ...members,
  };
}

export function vlan(parent: string, id: number, members: Members = {}): Members {
  return {
    id: `vlan${id}`,
    type: 'vlan',
    vlan_link: parent,
    vlan_id: id,
    vlan_mac_address: macOf(1),
    ...members,
  };
}

/** A network whose id is made of its other members, so that it is its own. */
export function network(link: string, type: string, members: Members = {}): Members {
  return { id: `${link} ${type} ${JSON.stringify(members['ip_address'] ?? '')}`, link, type, ...members };
}

export function ipv4(link: string, members: Members = {}): Members {
  return network(link, 'ipv4', { ip_address: '192.0.2.10', netmask: '255.255.255.0', ...members });
}

export function ipv6(link: string, members: Members = {}): Members {
  return network(link, 'ipv6', {
    ip_address: '2001:db8:1::10',
    netmask: 'ffff:ffff:ffff:ffff::',
    ...members,
  });
}

export function route(network_: string, netmask: string, gateway: string, members: Members = {}): Members {
  return { network: network_, netmask, gateway, ...members };
}

export function dns(...addresses: readonly string[]): Members[] {
  return addresses.map((address) => ({ type: 'dns', address }));
}

const default4 = route('0.0.0.0', '0.0.0.0', '192.0.2.1');
const default6 = route('::', '::', '2001:db8:1::1');
const dns4 = dns('192.0.2.53');

function documentOf(
  links: readonly Members[],
  networks: readonly Members[],
  services: readonly Members[] = [],
): Members {
  return { links, networks, services };
}

const one = (members: Members, services?: readonly Members[]): Members =>
  documentOf([nic(1)], [members], services);
const bonded = (members: Members): Members =>
  documentOf([nic(1), nic(2), bond(['nic1', 'nic2'], members)], [ipv4('bond0', { routes: [default4] })]);
const typed = (type: unknown): Members =>
  documentOf([nic(1, { type })], [ipv4('nic1', { routes: [default4] })]);

const cases: Readonly<Record<string, Members>> = {
  // Addresses and netmasks
  'IPv4 with a dotted netmask': one(ipv4('nic1')),
  'IPv4 with a netmask of 22 bits': one(ipv4('nic1', { netmask: '255.255.252.0' })),
  'IPv4 with a netmask of 32 bits': one(ipv4('nic1', { netmask: '255.255.255.255' })),
  'IPv4 with the prefix length in the address': one(network('nic1', 'ipv4', { ip_address: '192.0.2.10/24' })),
  'IPv4 with the netmask behind a slash': one(
    network('nic1', 'ipv4', { ip_address: '192.0.2.10/255.255.255.0' }),
  ),
  'IPv4 without a netmask': one(network('nic1', 'ipv4', { ip_address: '192.0.2.10' })),
  'IPv4 with an empty netmask, as Metal3 writes it': one(
    network('nic1', 'ipv4', { ip_address: '192.0.2.10', netmask: '' }),
  ),
  'two IPv4 addresses on one link': documentOf(
    [nic(1)],
    [ipv4('nic1'), ipv4('nic1', { ip_address: '198.51.100.10' })],
  ),
  'IPv6 with a netmask written as an address': one(ipv6('nic1')),
  'IPv6 with a netmask of 56 bits': one(ipv6('nic1', { netmask: 'ffff:ffff:ffff:ff00::' })),
  'IPv6 with the prefix length as netmask': one(ipv6('nic1', { netmask: '64' })),
  'IPv6 with the prefix length in the address': one(
    network('nic1', 'ipv6', { ip_address: '2001:db8:1::10/64' }),
  ),
  'IPv6 without a netmask': one(network('nic1', 'ipv6', { ip_address: '2001:db8:1::10' })),
  'IPv6 written in full and in upper case': one(
    ipv6('nic1', { ip_address: '2001:0DB8:0001:0000:0000:0000:0000:0010' }),
  ),
  'IPv4 and IPv6 on one link': documentOf(
    [nic(1)],
    [ipv4('nic1', { routes: [default4] }), ipv6('nic1', { routes: [default6] })],
  ),
  // Routes
  'a default route for IPv4': one(ipv4('nic1', { routes: [default4] })),
  'a default route for IPv6': one(ipv6('nic1', { routes: [default6] })),
  'a default route by a link-local gateway': one(ipv6('nic1', { routes: [route('::', '::', 'fe80::1')] })),
  'a gateway of the network': one(ipv4('nic1', { gateway: '192.0.2.1' })),
  'an IPv6 gateway of the network': one(ipv6('nic1', { gateway: '2001:db8:1::1' })),
  'further routes for IPv4': one(
    ipv4('nic1', {
      routes: [
        default4,
        route('10.0.0.0', '255.0.0.0', '192.0.2.2'),
        route('172.16.0.0', '255.240.0.0', '192.0.2.3'),
      ],
    }),
  ),
  'further routes for IPv6': one(
    ipv6('nic1', { routes: [default6, route('2001:db8:f::', 'ffff:ffff:ffff::', '2001:db8:1::2')] }),
  ),
  'a route with the prefix length in the network': one(
    ipv4('nic1', { routes: [{ network: '10.0.0.0/8', gateway: '192.0.2.1' }] }),
  ),
  'a route with an empty gateway, as Metal3 writes it': one(
    ipv4('nic1', { routes: [route('10.0.0.0', '255.0.0.0', '')] }),
  ),
  'a route to one host': one(
    ipv4('nic1', { routes: [route('203.0.113.7', '255.255.255.255', '192.0.2.1')] }),
  ),
  'a route with bits behind the netmask': one(
    ipv4('nic1', { routes: [route('10.1.2.3', '255.0.0.0', '192.0.2.1')] }),
  ),
  'a route with a metric': one(
    ipv4('nic1', { routes: [route('10.0.0.0', '255.0.0.0', '192.0.2.1', { metric: 200 })] }),
  ),
  'a gateway outside the subnet': one(
    ipv4('nic1', { routes: [route('0.0.0.0', '0.0.0.0', '198.51.100.1')] }),
  ),
  'two links with a default route each': documentOf(
    [nic(1), nic(2)],
    [
      ipv4('nic1', { routes: [default4] }),
      ipv4('nic2', {
        ip_address: '198.51.100.10',
        routes: [route('0.0.0.0', '0.0.0.0', '198.51.100.1')],
      }),
    ],
  ),
  'an empty list of routes': one(ipv4('nic1', { routes: [] })),
  'a metric of the network': one(ipv4('nic1', { metric: 50 })),
  // Automatic addresses
  'DHCP for IPv4': one(network('nic1', 'ipv4_dhcp')),
  'DHCP for IPv4 with a route, as Metal3 writes it': one(
    network('nic1', 'ipv4_dhcp', {
      routes: [route('10.0.0.0', '255.0.0.0', '192.0.2.1', { services: [] })],
    }),
  ),
  'DHCP for IPv6': one(network('nic1', 'ipv6_dhcp')),
  'IPv6 by router advertisements': one(network('nic1', 'ipv6_slaac')),
  'IPv6 by router advertisements, with the address that Nova writes': one(
    ipv6('nic1', { type: 'ipv6_slaac', ip_address: '2001:db8:1:0:5054:ff:fe12:3401', routes: [default6] }),
  ),
  'stateful DHCPv6': one(network('nic1', 'ipv6_dhcpv6-stateful')),
  'stateless DHCPv6': one(network('nic1', 'ipv6_dhcpv6-stateless')),
  'DHCP for both versions': documentOf(
    [nic(1)],
    [network('nic1', 'ipv4_dhcp'), network('nic1', 'ipv6_dhcp')],
  ),
  'static IPv4 with router advertisements': documentOf(
    [nic(1)],
    [ipv4('nic1', { routes: [default4] }), network('nic1', 'ipv6_slaac')],
  ),
  'DHCP with a static address besides': documentOf([nic(1)], [network('nic1', 'ipv4_dhcp'), ipv4('nic1')]),
  'DHCP on three links': documentOf(
    [nic(1), nic(2), nic(3)],
    [1, 2, 3].map((number) => network(`nic${number}`, 'ipv4_dhcp')),
  ),
  // Name servers
  'a name server of the document': one(ipv4('nic1', { routes: [default4] }), dns4),
  'name servers of both versions with IPv4 only': one(ipv4('nic1'), dns('192.0.2.53', '2001:db8::53')),
  'name servers of both versions with both': documentOf(
    [nic(1)],
    [ipv4('nic1'), ipv6('nic1')],
    dns('192.0.2.53', '2001:db8::53', '192.0.2.54'),
  ),
  'name servers of the network': one(ipv4('nic1', { services: dns('192.0.2.53', '192.0.2.54') })),
  'name servers of a route': one(ipv4('nic1', { routes: [{ ...default4, services: dns('192.0.2.53') }] })),
  'name servers of a network and of the document': documentOf(
    [nic(1), nic(2)],
    [ipv4('nic1', { services: dns('192.0.2.99') }), ipv4('nic2', { ip_address: '198.51.100.10' })],
    dns4,
  ),
  'a name server with DHCP': one(network('nic1', 'ipv4_dhcp'), dns4),
  'dns_nameservers as a list': one(ipv4('nic1', { dns_nameservers: ['192.0.2.53', '192.0.2.54'] })),
  'dns_nameservers and dns_search as texts': one(
    ipv4('nic1', { dns_nameservers: '192.0.2.53', dns_search: 'example.com example.org' }),
  ),
  // Links
  'a MAC address in upper case': documentOf(
    [nic(1, { ethernet_mac_address: '52:54:00:AB:CD:EF' })],
    [ipv4('nic1')],
  ),
  'an MTU': documentOf([nic(1, { mtu: 9000 })], [ipv4('nic1')]),
  'an MTU of null, as Nova writes it': documentOf([nic(1, { mtu: null })], [ipv4('nic1')]),
  'a second link without a network': documentOf([nic(1), nic(2)], [ipv4('nic1', { routes: [default4] })]),
  'links with a network each, in another order': documentOf(
    [nic(2), nic(1)],
    [ipv4('nic1'), ipv4('nic2', { ip_address: '198.51.100.10' })],
  ),
  'an id that is a path': documentOf([nic(1, { id: '../../etc/passwd' })], [ipv4('../../etc/passwd')]),
  'an id with umlauts and blanks': documentOf([nic(1, { id: 'Büro 1; #x' })], [ipv4('Büro 1; #x')]),
  'a UUID as id, as Neutron has it': documentOf(
    [nic(1, { id: '2ecc7709-b3f7-4448-9580-e1ec32d75bbd', vif_id: '2ecc7709-b3f7-4448-9580-e1ec32d75bbd' })],
    [ipv4('2ecc7709-b3f7-4448-9580-e1ec32d75bbd', { network_id: 'da5bb487-5193-4a65-a3df-4a0055a8c0d7' })],
  ),
  'the type ovs': typed('ovs'),
  'the type bridge': typed('bridge'),
  'the type vif': typed('vif'),
  'the type tap': typed('tap'),
  'the type hw_veb': typed('hw_veb'),
  'the type hostdev_physical': typed('hostdev_physical'),
  'the type dvs': typed('dvs'),
  'the type ethernet': typed('ethernet'),
  'the type vhostuser': typed('vhostuser'),
  'the type null': typed(null),
  'a type that nobody knows': typed('quantum'),
  // Bonds
  'a bond': bonded({}),
  'a bond without a MAC address, which Metal3 can leave out': bonded({ ethernet_mac_address: undefined }),
  'a bond with LACP': bonded({
    bond_mode: '802.3ad',
    bond_miimon: 100,
    bond_xmit_hash_policy: 'layer3+4',
  }),
  'a bond with the mode that Ironic calls 802.1ad': bonded({ bond_mode: '802.1ad' }),
  'a bond with more options': bonded({
    bond_mode: '802.3ad',
    bond_lacp_rate: 'fast',
    bond_min_links: 1,
    bond_updelay: '200',
    bond_downdelay: 200,
    bond_miimon: '100',
  }),
  'a bond with ARP monitoring': bonded({
    bond_arp_interval: 500,
    bond_arp_ip_target: '192.0.2.1',
    bond_fail_over_mac: 'active',
  }),
  'a bond with balance-xor': bonded({ bond_mode: 'balance-xor', bond_xmit_hash_policy: 'layer2+3' }),
  'a bond with an MTU': bonded({ mtu: 9000 }),
  'a bond with an empty hash policy, as Metal3 writes it': bonded({ bond_xmit_hash_policy: '' }),
  'a bond by DHCP': documentOf([nic(1), nic(2), bond(['nic1', 'nic2'])], [network('bond0', 'ipv4_dhcp')]),
  'a bond before its ports': documentOf([bond(['nic1', 'nic2']), nic(1), nic(2)], [ipv4('bond0')]),
  'two bonds': documentOf(
    [1, 2, 3, 4]
      .map((number) => nic(number))
      .concat(bond(['nic1', 'nic2']), bond(['nic3', 'nic4'], { id: 'bond1' })),
    [ipv4('bond0'), ipv6('bond1')],
  ),
  'a bond whose id is no name of an interface': documentOf(
    [nic(1), nic(2), bond(['nic1', 'nic2'], { id: 'the bond of the rack 17' })],
    [ipv4('the bond of the rack 17')],
  ),
  'a bond with a name': bonded({ name: 'lag0' }),
  // VLANs
  'a VLAN on a physical link': documentOf(
    [nic(1), vlan('nic1', 100)],
    [ipv4('vlan100', { routes: [default4] })],
  ),
  'a VLAN with an MTU': documentOf([nic(1), vlan('nic1', 100, { mtu: 1400 })], [ipv4('vlan100')]),
  'a VLAN with the number as a text': documentOf(
    [nic(1), vlan('nic1', 100, { vlan_id: '100' })],
    [ipv4('vlan100')],
  ),
  'a VLAN beside an address of its parent': documentOf(
    [nic(1), vlan('nic1', 100)],
    [ipv4('nic1', { routes: [default4] }), ipv4('vlan100', { ip_address: '198.51.100.10' })],
  ),
  'two VLANs on one link': documentOf(
    [nic(1), vlan('nic1', 100), vlan('nic1', 4094)],
    [ipv4('vlan100'), network('vlan4094', 'ipv4_dhcp')],
  ),
  'a VLAN on a bond': documentOf(
    [nic(1), nic(2), bond(['nic1', 'nic2'], { bond_mode: '802.3ad' }), vlan('bond0', 200)],
    [ipv4('vlan200', { routes: [default4] })],
    dns4,
  ),
  'two VLANs on a bond that has an address': documentOf(
    [nic(1), nic(2), bond(['nic1', 'nic2']), vlan('bond0', 200), vlan('bond0', 201)],
    [ipv4('bond0'), ipv4('vlan200', { ip_address: '198.51.100.10' }), ipv6('vlan201')],
  ),
  'a VLAN with another MAC address': documentOf(
    [nic(1), vlan('nic1', 100, { vlan_mac_address: macOf(99) })],
    [ipv4('vlan100')],
  ),
  'a VLAN with router advertisements': documentOf(
    [nic(1), vlan('nic1', 100)],
    [network('vlan100', 'ipv6_slaac')],
  ),
  'a VLAN before its parent': documentOf([vlan('nic1', 100), nic(1)], [ipv4('vlan100')]),
  // Whole documents
  'what Nova writes for a server with one port': {
    links: [
      {
        id: 'tap2ecc7709-b3',
        vif_id: '2ecc7709-b3f7-4448-9580-e1ec32d75bbd',
        type: 'ovs',
        mtu: 1450,
        ethernet_mac_address: macOf(1),
      },
    ],
    networks: [
      {
        id: 'network0',
        type: 'ipv4',
        link: 'tap2ecc7709-b3',
        ip_address: '192.0.2.10',
        netmask: '255.255.255.0',
        routes: [default4],
        network_id: 'da5bb487-5193-4a65-a3df-4a0055a8c0d7',
        services: dns4,
      },
    ],
    services: dns4,
  },
  'what Metal3 renders for a bond with a VLAN': {
    links: [
      {
        type: 'bond',
        id: 'bond0',
        mtu: 1500,
        bond_mode: '802.3ad',
        bond_xmit_hash_policy: 'layer3+4',
        bond_links: ['enp1s0', 'enp2s0'],
        ethernet_mac_address: macOf(1),
        bond_miimon: '100',
      },
      { type: 'phy', id: 'enp1s0', mtu: 1500, ethernet_mac_address: macOf(1) },
      { type: 'phy', id: 'enp2s0', mtu: 1500, ethernet_mac_address: macOf(2) },
      {
        type: 'vlan',
        id: 'bond0.100',
        mtu: 1500,
        vlan_link: 'bond0',
        vlan_id: 100,
        vlan_mac_address: macOf(1),
      },
    ],
    networks: [
      {
        type: 'ipv4',
        id: 'provisioning',
        link: 'bond0.100',
        netmask: '255.255.255.0',
        ip_address: '192.0.2.10',
        routes: [{ ...default4, services: [] }],
      },
    ],
    services: dns4,
  },
};

export const networkDataDocuments: readonly NetworkDataDocument[] = Object.entries(cases).map(
  ([title, document]) => ({ title, document }),
);

/** Findings about keyfiles get the places of the document that the keyfiles were converted from. */

import { describe, expect, it } from 'vitest';
import { formatPath } from '../../src/core/finding.ts';
import { parseKeyfile } from '../../src/formats/keyfile.ts';
import { valueAt } from '../../src/formats/mapping.ts';
import { parseYaml } from '../../src/formats/yaml.ts';
import type { KeyfileConversion } from '../../src/network/convertedKeyfile.ts';
import { convertNmstate } from '../../src/network/convertNmstate.ts';
import { convertNetworkData } from '../../src/network/networkData/convertNetworkData.ts';

const nmstate = parseYaml(`
interfaces:
  - name: bond0
    type: bond
    state: up
    mtu: 9000
    link-aggregation:
      mode: active-backup
      port: [eth0, eth1]
      options: {miimon: 100}
    ipv4:
      enabled: true
      address:
        - {ip: 192.0.2.10, prefix-length: 24}
        - {ip: 192.0.2.11, prefix-length: 24}
    ipv6:
      enabled: true
      address: [{ip: "2001:DB8::10", prefix-length: 64}]
  - name: eth0
    type: ethernet
    mac-address: 52:54:00:12:34:56
  - name: vlan7
    type: vlan
    state: up
    vlan: {base-iface: bond0, id: 7}
  - name: eth7
    type: ethernet
    state: up
    ipv4: {enabled: true, dhcp: true}
  - name: first
    profile-name: second
    type: ethernet
    identifier: mac-address
    mac-address: 52:54:00:12:34:57
    ipv4: {enabled: true, dhcp: true}
routes:
  config:
    - {destination: 198.51.100.0/24, next-hop-address: 192.0.2.2, next-hop-interface: bond0}
    - {destination: 0.0.0.0/0, next-hop-address: 192.0.2.1, next-hop-interface: bond0}
    - {destination: "::/0", next-hop-address: "2001:db8::1", next-hop-interface: bond0}
dns-resolver:
  config: {search: [example.com], server: [192.0.2.53, "2001:db8::53"]}
`).value;

const networkData = {
  links: [
    { id: 'p0', type: 'phy', ethernet_mac_address: '52:54:00:12:34:56', mtu: 9000 },
    { id: 'p1', type: 'phy', ethernet_mac_address: '52:54:00:12:34:57' },
    {
      id: 'b',
      type: 'bond',
      bond_links: ['p0', 'p1'],
      bond_mode: 'active-backup',
      bond_miimon: 100,
      ethernet_mac_address: '52:54:00:12:34:56',
    },
    {
      id: 'v',
      type: 'vlan',
      vlan_link: 'b',
      vlan_id: 7,
      vlan_mac_address: '52:54:00:12:34:58',
    },
  ],
  networks: [
    {
      id: 'n0',
      type: 'ipv4',
      link: 'b',
      ip_address: '192.0.2.10',
      netmask: '255.255.255.0',
      routes: [
        { network: '198.51.100.0', netmask: '255.255.255.0', gateway: '192.0.2.2' },
        { network: '0.0.0.0', netmask: '0.0.0.0', gateway: '192.0.2.1' },
      ],
    },
    {
      id: 'n1',
      type: 'ipv6',
      link: 'b',
      ip_address: '2001:db8::10/64',
      gateway: '2001:db8::1',
      services: [{ type: 'dns', address: '2001:db8::53' }],
    },
    { id: 'n2', type: 'ipv4_dhcp', link: 'v' },
  ],
  services: [{ type: 'dns', address: '192.0.2.53' }],
};

type Row = readonly [file: string, entry: string, path: string];

/** The path of the entry `SECTION KEY`; of the keyfile if it is empty. */
function pathOf({ keyfiles }: KeyfileConversion, document: unknown, [file, wanted]: Row): string {
  const keyfile = keyfiles.find(({ name }) => name === `${file}.nmconnection`);
  if (keyfile === undefined) throw new Error(`no ${file}: ${keyfiles.map(({ name }) => name).join(' ')}`);
  const [section, key] = wanted.split(' ');
  const entries = parseKeyfile(keyfile.text).find(({ name }) => name === section)?.entries ?? [];
  const line = entries.find((entry) => entry.key === key)?.line;
  if (wanted !== '' && line === undefined) throw new Error(`no ${wanted} in ${keyfile.text}`);
  expect(keyfile.lines).toHaveLength(keyfile.text.split('\n').length);
  const path = keyfile.lines[(line ?? 1) - 1] ?? [];
  expect(valueAt(document, path)).toBeDefined();
  return formatPath(path);
}

describe('a line of a keyfile is found in the nmstate document:', () => {
  it.each<Row>([
    ['bond0', '', '$.interfaces.0'],
    ['bond0', 'connection autoconnect', '$.interfaces.0.state'],
    ['bond0', 'ipv4 address0', '$.interfaces.0.ipv4.address.0.ip'],
    ['bond0', 'ipv4 address1', '$.interfaces.0.ipv4.address.1.ip'],
    ['bond0', 'ipv6 address0', '$.interfaces.0.ipv6.address.0.ip'],
    ['bond0', 'ipv4 method', '$.interfaces.0.ipv4'],
    ['bond0', 'ipv4 route0', '$.routes.config.1.next-hop-address'],
    ['bond0', 'ipv4 route0_options', '$.routes.config.1.next-hop-address'],
    ['bond0', 'ipv4 route1', '$.routes.config.0.next-hop-address'],
    ['bond0', 'ipv6 route0', '$.routes.config.2.next-hop-address'],
    ['bond0', 'ipv4 dns', '$.dns-resolver.config.server.0'],
    ['bond0', 'ipv6 dns', '$.dns-resolver.config.server.1'],
    ['bond0', 'ethernet mtu', '$.interfaces.0.mtu'],
    ['bond0', 'bond mode', '$.interfaces.0.link-aggregation.mode'],
    ['bond0', 'bond miimon', '$.interfaces.0.link-aggregation.options.miimon'],
    ['eth0', 'ethernet cloned-mac-address', '$.interfaces.1.mac-address'],
    ['eth0', 'connection master', '$.interfaces.0.link-aggregation.port.0'],
    ['eth1', '', '$.interfaces.0.link-aggregation.port.1'],
    ['vlan7', 'vlan parent', '$.interfaces.2.vlan.base-iface'],
    ['vlan7', 'vlan id', '$.interfaces.2.vlan.id'],
    ['eth7', 'ipv4 method', '$.interfaces.3.ipv4'],
    ['second', 'ethernet mac-address', '$.interfaces.4.mac-address'],
    ['second', 'ipv4 method', '$.interfaces.4.ipv4'],
  ])('%s %s', (...row) => {
    const conversion = convertNmstate(nmstate);
    expect(conversion.findings).toEqual([]);
    expect(pathOf(conversion, nmstate, row)).toBe(row[2]);
  });
});

describe('a line of a keyfile is found in network data:', () => {
  it.each<Row>([
    ['p0', '', '$.links.0'],
    ['p0', 'ethernet mtu', '$.links.0.mtu'],
    ['p1', 'ethernet mac-address', '$.links.1.ethernet_mac_address'],
    ['b', 'bond mode', '$.links.2.bond_mode'],
    ['b', 'bond miimon', '$.links.2.bond_miimon'],
    ['b', 'ipv4 address0', '$.networks.0.ip_address'],
    ['b', 'ipv6 address0', '$.networks.1.ip_address'],
    ['b', 'ipv4 route0', '$.networks.0.routes.0.gateway'],
    ['b', 'ipv4 route1', '$.networks.0.routes.1.gateway'],
    ['b', 'ipv6 route0', '$.networks.1.gateway'],
    ['b', 'ipv6 dns', '$.networks.1.services.0.address'],
    ['v', 'vlan id', '$.links.3.vlan_id'],
    ['v', 'vlan parent', '$.links.3.vlan_link'],
    ['v', 'ethernet cloned-mac-address', '$.links.3.vlan_mac_address'],
    ['v', 'ipv4 method', '$.networks.2'],
  ])('%s %s', (...row) => {
    const conversion = convertNetworkData(networkData);
    expect(conversion.keyfiles.length).toBeGreaterThan(0);
    expect(pathOf(conversion, networkData, row)).toBe(row[2]);
  });
});

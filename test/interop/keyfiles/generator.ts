/** Random keyfiles: valid ones, and such with values, keys and sections that NetworkManager ignores or rejects. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

type Random = () => number;

/** Settings that are compared. */
const settings = ['802-3-ethernet', 'bond', 'bridge', 'connection', 'dummy', 'ipv4', 'ipv6', 'match', 'vlan'];

interface Table {
  readonly aliases: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, { readonly properties: Readonly<Record<string, string>> }>>;
}

export const settingTable: Table = JSON.parse(
  readFileSync(
    join(import.meta.dirname, '../../../src/network/keyfile/networkmanager-settings.json'),
    'utf8',
  ),
);

const bondOptions = Object.entries({
  ad_actor_system: ['52:54:00:00:00:01', 'x'],
  ad_actor_sys_prio: ['0', '1', '65535', '65536'],
  ad_select: ['stable', '2', '3', 'none'],
  ad_user_port_key: ['1023', '1024'],
  active_slave: ['eth0', 'a b'],
  all_slaves_active: ['0', '1', '2'],
  arp_all_targets: ['any', '1', 'both'],
  arp_interval: ['0', '100', 'x'],
  arp_ip_target: ['192.0.2.1', '192.0.2.1,192.0.2.2', '192.0.2.1 192.0.2.2', '', '2001:db8::1', 'x'],
  arp_validate: ['none', 'active', '6', '7'],
  downdelay: ['0', '100'],
  fail_over_mac: ['none', 'active', '2'],
  lacp_rate: ['slow', 'fast', '0', '1', 'quick'],
  lp_interval: ['0', '1'],
  miimon: ['0', '100', '150', '-1', 'x', ''],
  min_links: ['0', '1'],
  mode: [
    '0',
    '1',
    '4',
    '7',
    'active-backup',
    '802.3ad',
    'balance-tlb',
    'balance-alb',
    'balance-xor',
    'lacp',
    '',
  ],
  num_grat_arp: ['1', '5', '256'],
  packets_per_slave: ['0', '65536'],
  primary: ['eth0', 'a/b', 'averylonginterfacename'],
  primary_reselect: ['always', 'never'],
  resend_igmp: ['0', '255', '256'],
  tlb_dynamic_lb: ['0', '1'],
  updelay: ['0', '200'],
  use_carrier: ['0', '1', 'yes'],
  xmit_hash_policy: ['layer2', 'layer3+4', 'vlan+srcmac', '5', 'layer4'],
  nonsense: ['1'],
});

/** Values by key; any of them also for other keys. */
const values: Readonly<Record<string, readonly string[]>> = {
  address1: [
    '192.0.2.5/24',
    '192.0.2.5/24,192.0.2.1',
    '192.0.2.5',
    '192.0.2.5/33',
    '192.0.2.5/24,198.51.100.1',
    '192.0.2.5/24,x',
    '192.0.2.5/24,0.0.0.0',
    '192.0.2.5/24,192.0.2.1,5',
    '192.0.2.5/24;',
    '192.0.2.5/24;192.0.2.1;',
    '192.0.2/24',
    '192.0.2.5/',
    '/24',
    '2001:db8::5/64',
    '2001:db8::5/64,2001:db8::1',
    '2001:db8::5/129',
    '2001:db8::5',
    'fe80::1%eth0/64',
    'dhcp',
    '',
    ' 192.0.2.5/24',
  ],
  'cloned-mac-address': [
    '52:54:00:12:34:56',
    'stable',
    'random',
    'permanent',
    'preserve',
    'x',
    '52-54-00-12-34-56',
  ],
  dns: [
    '192.0.2.53',
    '192.0.2.53;192.0.2.54;',
    '192.0.2.53,192.0.2.54',
    '2001:db8::53',
    '2001:db8::53;x',
    '192.0.2.53#a',
    '192.0.2.53#',
    '',
  ],
  'dns-search': [
    'example.com',
    'example.com;a.example',
    'a.example,b.example',
    'a.example b.example',
    'a,b;c',
    '',
  ],
  'egress-priority-map': ['1:2', '1:2,3:4', 'x'],
  flags: ['0', '1', '15', '16', '0xf', '-1'],
  gateway: ['192.0.2.1', '2001:db8::1', '0.0.0.0', '::', 'x', ''],
  id: ['5', '0', '4094', '4095', '4096', '5000', '-1', 'x', '', '0x10', '010'],
  'interface-name': [
    'eth0',
    'averylonginterface',
    'fifteen-bytes-1',
    'a b',
    'a/b',
    'a:b',
    'a%d',
    '.',
    'all',
    '',
    'bönd0',
  ],
  'mac-address': [
    '52:54:00:12:34:56',
    '52-54-00-12-34-56',
    '5:4:0:1:3:5',
    '52:54:00:12:34',
    '82;84;0;18;52;86',
    '82;84;0;18;52;86;',
    'x',
    '',
  ],
  master: ['bond0', '6b4b4e4a-0c5f-4d3a-8d30-1f2e3d4c5b6a', ''],
  method: [
    'auto',
    'manual',
    'disabled',
    'link-local',
    'shared',
    'ignore',
    'dhcp',
    'static',
    'none',
    '',
    'Auto',
  ],
  mtu: ['1500', '9000', 'jumbo', '-1', '', ' 1500 ', '1500.5', '4294967296'],
  parent: ['eth0', '6b4b4e4a-0c5f-4d3a-8d30-1f2e3d4c5b6a', 'a b', 'averylonginterface', '', 'all'],
  route1: [
    '198.51.100.0/24',
    '198.51.100.0/24,192.0.2.1',
    '198.51.100.0/24,192.0.2.1,100',
    '198.51.100.0/24,,100',
    '198.51.100.0/24,192.0.2.1,x',
    '198.51.100.0/24,x',
    '198.51.100.0/24,192.0.2.1,100,5',
    '198.51.100.0/24,192.0.2.1,4294967296',
    '198.51.100.0',
    '0.0.0.0/0,192.0.2.1',
    '2001:db8:1::/48,2001:db8::1',
    '2001:db8:1::/48,5',
    '2001:db8:1::/48,192.0.2.1',
    'default via 192.0.2.1',
    '',
  ],
  'slave-type': ['bond', 'bridge', 'team', 'vrf', 'ethernet', 'vlan', '', 'Bond'],
  speed: ['0', '1000', 'fast'],
  type: [
    'ethernet',
    '802-3-ethernet',
    'bond',
    'bridge',
    'vlan',
    'dummy',
    'veth',
    'wired',
    'Ethernet',
    '',
    'connection',
    'vrf',
  ],
  uuid: [
    '6b4b4e4a-0c5f-4d3a-8d30-1f2e3d4c5b6a',
    '6B4B4E4A-0C5F-4D3A-8D30-1F2E3D4C5B6A',
    'x',
    '',
    '6b4b4e4a0c5f4d3a8d301f2e3d4c5b6a',
    '{6b4b4e4a-0c5f-4d3a-8d30-1f2e3d4c5b6a}',
    '0123456789abcdef0123456789abcdef01234567',
  ],
};

const anyValues = [
  '',
  '0',
  '1',
  '-1',
  '2',
  '600',
  '601',
  '70000',
  'true',
  'false',
  'yes',
  'True',
  'x',
  '0x10',
  '010',
  ' 5',
  '5 ',
  '1;2;',
  String.raw`a\sb`,
  String.raw`a\xb`,
  '\\',
  'ä',
  '99999999999999999999',
];

function pick<T>(random: Random, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)]!;
}

/** A value of the type of the property, rarely any other. */
function valueFor(random: Random, key: string, type: string): string {
  const own = values[key.replace(/^address(?:es)?\d*$/, 'address1').replace(/^routes?\d*$/, 'route1')];
  if (own !== undefined && random() < 0.85) return pick(random, own);
  if (type === 'boolean' && random() < 0.8) return pick(random, ['true', 'false', '1', '0']);
  const [kind = '', least, most] = type.split(' ');
  if (/int|enum/.test(kind) && least !== undefined && random() < 0.6) {
    return pick(random, [
      least,
      most ?? least,
      String(BigInt(least) - 1n),
      String(BigInt(most ?? least) + 1n),
      '1',
    ]);
  }
  return pick(random, anyValues);
}

/** Bases that NetworkManager accepts, by their sections. */
const bases: readonly Readonly<Record<string, Readonly<Record<string, string>>>>[] = [
  {
    connection: { id: 'eth0', type: 'ethernet', 'interface-name': 'eth0' },
    ipv4: { method: 'manual', address1: '192.0.2.5/24,192.0.2.1', dns: '192.0.2.53' },
    ipv6: { method: 'disabled' },
  },
  {
    connection: { id: 'eth1', type: '802-3-ethernet' },
    ethernet: { mtu: '9000' },
    ipv4: { method: 'auto' },
    ipv6: { method: 'auto' },
  },
  {
    connection: { id: 'eth2', type: 'ethernet' },
    ethernet: { 'mac-address': '52:54:00:12:34:56' },
    ipv6: { method: 'manual', address1: '2001:db8::5/64', gateway: '2001:db8::1' },
    ipv4: { method: 'disabled' },
  },
  {
    connection: { id: 'bond0', type: 'bond', 'interface-name': 'bond0' },
    bond: { mode: 'active-backup', miimon: '100' },
    ipv4: { method: 'auto' },
  },
  {
    connection: {
      id: 'port',
      type: 'ethernet',
      master: 'bond0',
      'slave-type': 'bond',
      'interface-name': 'eth0',
    },
  },
  {
    connection: { id: 'port', type: 'ethernet', master: 'br0', 'slave-type': 'bridge' },
  },
  {
    connection: { id: 'br0', type: 'bridge', 'interface-name': 'br0' },
    bridge: { stp: 'false' },
    ipv4: { method: 'auto' },
  },
  {
    connection: { id: 'vlan', type: 'vlan', 'interface-name': 'vlan5' },
    vlan: { id: '5', parent: 'eth0', flags: '1' },
  },
  { connection: { id: 'dummy', type: 'dummy', 'interface-name': 'dummy0' }, ipv4: { method: 'link-local' } },
];

/** Keys of which the program checks only the form of the value. */
const unchecked: ReadonlySet<string> = new Set(
  (
    'addr-gen-mode dhcp-client-id dhcp-duid dhcp-fqdn dhcp-hostname dhcp-hostname-flags dhcp-iaid dhcp-reject-servers ' +
    'dhcp-vendor-class-identifier dns-over-tls duplex forward-delay generate-mac-address-mask group-address ' +
    'group-forward-mask hello-time link-local llmnr mac-address-blacklist mac-address-denylist max-age mdns metered mptcp-flags mud-url multi-connect multicast-hash-max multicast-router permissions port protocol ' +
    's390-nettype s390-subchannels token vlan-protocol vlans wake-on-lan wake-on-lan-password'
  ).split(' '),
);

/** Keys that a section can have, with the types of their values. */
function keysOf(setting: string): readonly (readonly [key: string, type: string])[] {
  if (setting === 'bond') return bondOptions.map(([key]) => [key, 'bond'] as const);
  const own = Object.entries(settingTable.settings[setting]?.properties ?? {}).filter(
    ([key]) => !unchecked.has(key),
  );
  if (!setting.startsWith('ipv')) return own;
  const numbered = [
    'address',
    'address1',
    'address2',
    'addresses',
    'addresses1',
    'address01',
    'route1',
    'route2',
    'routes1',
  ];
  return [...own, ...numbered.map((key) => [key, 'string'] as const)];
}

/** The keys that occur in the keyfiles that every release accepts. */
export function listKeys(): readonly (readonly [setting: string, key: string])[] {
  return settings.flatMap((setting) => keysOf(setting).map(([key]) => [setting, key] as const));
}

/** Without these keys, NetworkManager rejects the section. */
const required: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>> = {
  ipv4: [{ method: 'auto' }, { method: 'manual', address1: '192.0.2.5/24' }],
  ipv6: [{ method: 'auto' }, { method: 'manual', address1: '2001:db8::5/64' }, { method: 'dhcp' }],
  vlan: [{ id: '5', parent: 'eth0' }],
};

function addKey(
  random: Random,
  file: Map<string, Map<string, string>>,
  setting: string,
  chosen?: string,
): void {
  const keys = keysOf(setting);
  if (keys.length === 0) return void file.set(setting, file.get(setting) ?? new Map());
  const [key, type] =
    chosen === undefined ? pick(random, keys) : [chosen, keys.find(([name]) => name === chosen)?.[1] ?? ''];
  const title = setting === '802-3-ethernet' && !file.has(setting) ? 'ethernet' : setting;
  const section =
    file.get(title) ?? new Map(random() < 0.9 ? Object.entries(pick(random, required[setting] ?? [{}])) : []);
  file.set(title, section);
  const options = setting === 'bond' ? bondOptions.find(([name]) => name === key)?.[1] : undefined;
  section.set(
    key,
    options === undefined || random() < 0.1 ? valueFor(random, key, type) : pick(random, options),
  );
}

/**
 * A keyfile.
 * @param place a key to have, with a value
 */
export function randomKeyfile(random: Random, place?: readonly [setting: string, key: string]): string {
  const file = new Map(
    Object.entries(pick(random, bases)).map(([name, entries]) => [name, new Map(Object.entries(entries))]),
  );
  if (place !== undefined) addKey(random, file, ...place);
  const changes = place === undefined ? Math.floor(random() * 5) : Math.floor(random() * 2);
  for (let count = 0; count < changes; count += 1) {
    const kind = random();
    const [section = 'connection', entries = new Map<string, string>()] =
      file.size === 0 ? [] : pick(random, [...file]);
    if (kind < 0.15 && entries.size > 0) entries.delete(pick(random, [...entries.keys()]));
    else if (kind < 0.2) file.delete(section);
    else if (kind < 0.45 && entries.size > 0) {
      const key = pick(random, [...entries.keys()]);
      entries.set(key, valueFor(random, key, 'string'));
    } else if (kind < 0.7) addKey(random, file, section === 'ethernet' ? '802-3-ethernet' : section);
    else addKey(random, file, pick(random, settings));
  }
  const text = Array.from(
    file,
    ([name, entries]) => `[${name}]\n${Array.from(entries, ([key, value]) => `${key}=${value}\n`).join('')}`,
  ).join('\n');
  return random() < 0.97 ? text : spoil(random, text);
}

/** Damages the syntax. */
function spoil(random: Random, text: string): string {
  const at = Math.floor(random() * text.length);
  return (
    text.slice(0, at) +
    pick(random, ['\n', '[', ']', '=', '#', ' ', '\t', '\r', ';', 'x', '\\', '\n#', '\r\n']) +
    text.slice(at)
  );
}

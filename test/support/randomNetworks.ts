/**
 * Random nmstate documents: mostly what the conversion covers, with small faults and oddities strewn in.
 */

/** A number from 0 to below 1. */
export type Random = () => number;
export type Members = Record<string, unknown>;

export function randomNetwork(random: Random): Members {
  const names = shuffle(random, ['eth0', 'eth1', 'eth2', 'eno1', 'ens3f0', 'zz9', 'a0']).slice(
    0,
    1 + below(random, 5),
  );
  const interfaces = names.map((name) => randomInterface(random, name, 'ethernet'));
  const pool = [...names, 'eth7', 'eth8'];
  const controllers = below(random, 3);
  for (let index = 0; index < controllers; index++) {
    const type = pick(random, ['bond', 'linux-bridge']);
    const name = `${type === 'bond' ? 'bond' : 'br'}${index}`;
    const ports = takePorts(random, pool);
    interfaces.push({ ...randomInterface(random, name, type), ...controllerPart(random, type, ports) });
    pool.push(name);
    if (!chance(random, 0.03))
      for (const port of ports) strip(interfaces.find((item) => item['name'] === port));
  }
  const vlans = below(random, 3);
  for (let index = 0; index < vlans; index++) {
    const base = pick(random, [...pool, 'eth9']);
    const id = 100 + index;
    const name = `${base}.${id}`;
    interfaces.push({ ...randomInterface(random, name, 'vlan'), vlan: vlanPart(random, base, id) });
    if (chance(random, 0.4)) pool.push(name);
  }
  const document: Members = { interfaces: chance(random, 0.5) ? shuffle(random, interfaces) : interfaces };
  if (chance(random, 0.6)) document['routes'] = { config: randomRoutes(random, interfaces) };
  if (chance(random, 0.6)) document['dns-resolver'] = { config: randomDns(random, interfaces) };
  if (chance(random, 0.03)) document['hostname'] = { config: 'host.example.com' };
  if (chance(random, 0.3)) document['route-rules'] = { config: randomRules(random, interfaces) };
  if (chance(random, 0.02)) document['description'] = 'lab';
  return chance(random, 0.12) ? spoil(random, document) : document;
}

/** Ports have no addresses. */
function strip(item: Members | undefined): void {
  if (item === undefined) return;
  delete item['ipv4'];
  delete item['ipv6'];
}

function takePorts(random: Random, pool: string[]): string[] {
  const count = below(random, 4);
  return shuffle(random, pool)
    .slice(0, count)
    .map((name) => {
      if (!chance(random, 0.05)) pool.splice(pool.indexOf(name), 1);
      return name;
    });
}

function randomInterface(random: Random, name: string, type: string): Members {
  const item: Members = { name };
  if (type !== 'ethernet' || chance(random, 0.9)) item['type'] = type;
  if (chance(random, 0.8))
    item['state'] = chance(random, 0.9) ? 'up' : pick(random, ['down', 'down', 'absent', 'ignore']);
  maybe([random, item], 0.05, 'description', () => pick(random, ['uplink', 'Größe 2', 'a=b;c # d']));
  maybe([random, item], 0.08, 'profile-name', () => `profile-${name}`);
  maybe([random, item], 0.2, 'mac-address', () => pick(random, ['52:54:00:aa:bb:cc', '02:00:00:00:00:01']));
  const byMac = item['mac-address'] !== undefined || chance(random, 0.01);
  maybe([random, item], byMac ? 0.4 : 0.1, 'identifier', () => (byMac ? 'mac-address' : 'name'));
  maybe([random, item], 0.15, 'mtu', () =>
    pick(random, [1500, 9000, '1400', '0x5dc', 1280, chance(random, 0.1) ? 1000 : 2000]),
  );
  maybe([random, item], 0.06, 'lldp', () => ({ enabled: flag(random) }));
  maybe([random, item], 0.08, 'wait-ip', () => pick(random, ['any', 'ipv4', 'ipv6', 'ipv4+ipv6']));
  maybe([random, item], 0.06, 'accept-all-mac-addresses', () => flag(random));
  maybe([random, item], 0.04, 'min-mtu', () => 68);
  maybe([random, item], 0.04, 'driver', () => 'virtio_net');
  maybe([random, item], 0.03, 'permanent-mac-address', () => '02:00:00:00:00:09');
  if (type === 'bond' || type === 'linux-bridge') {
    maybe([random, item], 0.04, 'copy-mac-from', () => pick(random, ['eth0', 'eth1', 'profile-eth0']));
  }
  maybe([random, item], 0.7, 'ipv4', () => randomIp(random, 4));
  maybe([random, item], 0.6, 'ipv6', () => randomIp(random, 6));
  if (type === 'ethernet') maybe([random, item], 0.12, 'ethernet', () => ethernetPart(random));
  return item;
}

function ethernetPart(random: Random): Members {
  const part: Members = {};
  maybe([random, part], 0.8, 'auto-negotiation', () => flag(random));
  maybe([random, part], 0.6, 'speed', () => pick(random, [1000, '10000']));
  maybe([random, part], 0.6, 'duplex', () => pick(random, ['full', 'half']));
  maybe([random, part], 0.3, 'sr-iov', () => virtualFunctions(random));
  return part;
}

function randomIp(random: Random, family: 4 | 6): Members {
  const ip: Members = {};
  if (chance(random, 0.95)) ip['enabled'] = chance(random, 0.85) ? true : flag(random);
  maybe([random, ip], 0.6, 'dhcp', () => flag(random));
  maybe([random, ip], 0.7, 'address', () => many(random, 3, () => randomAddress(random, family)));
  maybe([random, ip], 0.12, 'auto-dns', () => flag(random));
  maybe([random, ip], 0.1, 'auto-gateway', () => flag(random));
  maybe([random, ip], 0.1, 'auto-routes', () => flag(random));
  maybe([random, ip], 0.06, 'auto-route-table-id', () => pick(random, [0, 100, '200']));
  maybe([random, ip], 0.08, 'auto-route-metric', () => pick(random, [-1, 100, '300']));
  maybe([random, ip], 0.06, 'dhcp-send-hostname', () => chance(random, 0.5));
  maybe([random, ip], 0.04, 'allow-extra-address', () => false);
  if (family === 4) {
    maybe([random, ip], 0.08, 'dhcp-client-id', () => pick(random, ['ll', 'LL', 'iaid+duid', '01:02:03']));
    maybe([random, ip], 0.06, 'forwarding', () => chance(random, 0.5));
    return ip;
  }
  if (ip['dhcp'] === undefined ? chance(random, 0.3) : chance(random, 0.7)) {
    ip['autoconf'] = ip['dhcp'] ?? chance(random, 0.05);
  }
  maybe([random, ip], 0.08, 'addr-gen-mode', () => pick(random, ['eui64', 'EUI64', 'stable-privacy']));
  return ip;
}

function randomAddress(random: Random, family: 4 | 6): Members {
  const length = family === 4 ? 32 : 128;
  return {
    ip: addressText(random, family),
    'prefix-length': chance(random, 0.95) ? below(random, length + 1) : pick(random, ['24', length, '0x18']),
  };
}

function addressText(random: Random, family: 4 | 6): string {
  if (family === 4) return Array.from({ length: 4 }, () => below(random, 256)).join('.');
  return pick(random, [
    () => `2001:db8::${below(random, 65536).toString(16)}`,
    () => `2001:0DB8:${below(random, 9)}:0:0:${below(random, 2)}:0:1`,
    () =>
      Array.from({ length: 8 }, () => (chance(random, 0.5) ? '0' : below(random, 65536).toString(16))).join(
        ':',
      ),
    () => `fe80::${1 + below(random, 9)}`,
    () => '::ffff:192.0.2.7',
    () => '::192.0.2.7',
    () => '2001:db8:1:2:3:4:10.0.0.1',
  ])();
}

function virtualFunctions(random: Random): Members {
  const part: Members = {};
  maybe([random, part], 0.8, 'total-vfs', () => pick(random, [0, 2, '4']));
  maybe([random, part], 0.4, 'drivers-autoprobe', () => flag(random));
  maybe([random, part], 0.1, 'max-vfs', () => 8);
  maybe([random, part], 0.7, 'vfs', () =>
    shuffle(random, [0, 1, '2', 11]).map((id) => virtualFunction(random, id)),
  );
  return part;
}

function virtualFunction(random: Random, id: unknown): Members {
  const part: Members = { id };
  maybe([random, part], 0.2, 'iface-name', () => 'eth0v0');
  maybe([random, part], 0.4, 'mac-address', () => '52:54:00:aa:bb:cc');
  maybe([random, part], 0.4, 'spoof-check', () => flag(random));
  maybe([random, part], 0.4, 'trust', () => flag(random));
  maybe([random, part], 0.3, 'min-tx-rate', () => 100);
  maybe([random, part], 0.3, 'max-tx-rate', () => '1000');
  maybe([random, part], 0.4, 'vlan-id', () => pick(random, [0, 102]));
  maybe([random, part], 0.3, 'qos', () => pick(random, [0, 5]));
  maybe([random, part], 0.2, 'vlan-proto', () => pick(random, ['802.1q', '802.1ad']));
  return part;
}

/** One rule for each IP version at most: nmstate writes several in a random order. Without `iif`, it chooses an interface at random. */
function randomRules(random: Random, interfaces: readonly Members[]): Members[] {
  return shuffle(random, [4, 6] as const)
    .slice(0, 1 + below(random, 2))
    .map((family) => {
      const network = (): string =>
        `${addressText(random, family)}/${below(random, family === 4 ? 33 : 129)}`;
      const rule: Members = chance(random, 0.1) ? { state: 'absent' } : {};
      maybe([random, rule], 0.3, 'family', () => `ipv${family}`);
      maybe([random, rule], 0.7, 'ip-from', () =>
        chance(random, 0.8) ? network() : addressText(random, family),
      );
      maybe([random, rule], 0.3, 'ip-to', network);
      maybe([random, rule], 0.5, 'priority', () => pick(random, [-1, 0, 100, '30005']));
      maybe([random, rule], 0.2, 'action', () => pick(random, ['blackhole', 'unreachable', 'prohibit']));
      maybe([random, rule], 0.4, 'route-table', () => pick(random, [254, 100, '50', 0]));
      rule['iif'] = pick(random, namesWith(random, interfaces, `ipv${family}`));
      return rule;
    });
}

function controllerPart(random: Random, type: string, ports: readonly string[]): Members {
  if (type === 'bond') return { 'link-aggregation': bondPart(random, ports) };
  if (chance(random, 0.05)) return {};
  const bridge: Members = {};
  maybe([random, bridge], 0.7, 'options', () => bridgeOptions(random));
  maybe([random, bridge], 0.9, 'port', () => ports.map((name) => bridgePort(random, name)));
  return { bridge };
}

function bondPart(random: Random, ports: readonly string[]): Members {
  const bond: Members = {};
  const modes = [
    'balance-rr',
    'active-backup',
    'balance-xor',
    'broadcast',
    '802.3ad',
    'balance-tlb',
    'balance-alb',
  ];
  maybe([random, bond], 0.99, 'mode', () =>
    pick(random, [...modes, 'lacp', 1, '4', 'active-backup', '802.3ad']),
  );
  maybe([random, bond], 0.6, 'options', () => bondOptions(random));
  const key = chance(random, 0.2) ? 'ports' : 'port';
  maybe([random, bond], 0.9, key, () => ports);
  if (chance(random, 0.25)) {
    bond['ports-config'] = ports.map((name, index) => {
      const port: Members = { name };
      maybe([random, port], 0.6, 'priority', () => pick(random, [0, 10, '-5']));
      maybe([random, port], 0.6, 'queue-id', () => pick(random, [0, index + 1, 3]));
      return port;
    });
  }
  return bond;
}

function bondOptions(random: Random): Members {
  const all: readonly (readonly [string, () => unknown])[] = [
    ['ad_actor_sys_prio', () => 1 + below(random, 65535)],
    ['ad_actor_system', () => pick(random, ['00:00:5e:00:53:01', '01:00:5e:00:00:01'])],
    ['ad_select', () => pick(random, ['stable', 'bandwidth', 2])],
    ['ad_user_port_key', () => below(random, 1024)],
    ['all_slaves_active', () => pick(random, ['dropped', 'delivered', 1, '0'])],
    ['arp_all_targets', () => pick(random, ['any', 'all', 0])],
    ['arp_interval', () => pick(random, [0, 100, '200'])],
    ['arp_ip_target', () => pick(random, ['192.0.2.1', '192.0.2.1,192.0.2.2', ''])],
    ['arp_missed_max', () => pick(random, [2, 3])],
    ['arp_validate', () => pick(random, ['none', 'filter_active', 3])],
    ['balance_slb', () => flag(random)],
    ['downdelay', () => below(random, 1000)],
    ['fail_over_mac', () => pick(random, ['none', 'active', 'follow', 1])],
    ['lacp_active', () => flag(random)],
    ['lacp_rate', () => pick(random, ['slow', 'fast', 1])],
    ['lp_interval', () => below(random, 100)],
    ['miimon', () => pick(random, [0, 100, '140'])],
    ['min_links', () => below(random, 4)],
    ['ns_ip6_target', () => pick(random, [[], ['2001:db8::1'], ['2001:DB8::1', '::1']])],
    ['num_grat_arp', () => below(random, 256)],
    ['num_unsol_na', () => below(random, 256)],
    ['packets_per_slave', () => below(random, 100)],
    ['primary', () => 'eth1'],
    ['primary_reselect', () => pick(random, ['always', 'better', 2])],
    ['resend_igmp', () => below(random, 256)],
    ['tlb_dynamic_lb', () => flag(random)],
    ['updelay', () => below(random, 1000)],
    ['use_carrier', () => flag(random)],
    [
      'xmit_hash_policy',
      () => pick(random, ['layer2', 'layer3+4', 'layer2+3', 'encap3+4', 'vlan+srcmac', 5]),
    ],
  ];
  return Object.fromEntries(
    shuffle(random, all)
      .slice(0, below(random, 5))
      .map(([key, value]) => [key, value()]),
  );
}

function bridgeOptions(random: Random): Members {
  const options: Members = {};
  maybe([random, options], 0.5, 'stp', () => stpPart(random));
  maybe([random, options], 0.1, 'group-forward-mask', () => pick(random, [0, 8]));
  maybe([random, options], 0.1, 'group-fwd-mask', () => pick(random, [0, 8, '16']));
  maybe([random, options], 0.2, 'mac-ageing-time', () => 300);
  maybe([random, options], 0.1, 'hash-max', () => 4096);
  maybe([random, options], 0.2, 'multicast-snooping', () => flag(random));
  maybe([random, options], 0.1, 'multicast-router', () =>
    pick(random, [0, 1, 2, 'auto', 'Enabled', 'disabled']),
  );
  maybe([random, options], 0.1, 'multicast-querier-interval', () => 25500);
  maybe([random, options], 0.1, 'multicast-query-use-ifaddr', () => flag(random));
  maybe([random, options], 0.1, 'multicast-startup-query-count', () => '2');
  maybe([random, options], 0.1, 'vlan-protocol', () => pick(random, ['802.1q', '802.1ad']));
  maybe([random, options], 0.1, 'vlan-default-pvid', () => pick(random, [1, 5]));
  maybe([random, options], 0.05, 'gc-timer', () => 1);
  return options;
}

function stpPart(random: Random): Members {
  const stp: Members = {};
  maybe([random, stp], 0.9, 'enabled', () => flag(random));
  maybe([random, stp], 0.3, 'forward-delay', () => pick(random, [2, 15, 30]));
  maybe([random, stp], 0.3, 'hello-time', () => pick(random, [1, 2, '10']));
  maybe([random, stp], 0.3, 'max-age', () => pick(random, [6, 20]));
  maybe([random, stp], 0.3, 'priority', () => 32768);
  return stp;
}

function bridgePort(random: Random, name: string): Members {
  const port: Members = { name };
  maybe([random, port], 0.3, 'stp-hairpin-mode', () => flag(random));
  maybe([random, port], 0.3, 'stp-path-cost', () => 100);
  maybe([random, port], 0.3, 'stp-priority', () => 32);
  maybe([random, port], 0.3, 'vlan', () => portVlan(random));
  return port;
}

function portVlan(random: Random): Members {
  const vlan: Members = {};
  maybe([random, vlan], 0.9, 'mode', () => pick(random, ['trunk', 'access']));
  maybe([random, vlan], 0.5, 'tag', () => 5 + below(random, 20));
  const needsNative = vlan['mode'] === 'trunk' && vlan['tag'] !== undefined;
  maybe([random, vlan], needsNative ? 0.9 : 0.1, 'enable-native', () => (needsNative ? true : flag(random)));
  maybe([random, vlan], vlan['mode'] === 'trunk' ? 0.95 : 0.1, 'trunk-tags', () =>
    many(random, 4, () => {
      const min = 1 + below(random, 60);
      return chance(random, 0.5)
        ? { id: pick(random, [min, String(min)]) }
        : { 'id-range': { min, max: min + below(random, 10) } };
    }),
  );
  return vlan;
}

function vlanPart(random: Random, base: string, id: number): Members {
  const vlan: Members = { 'base-iface': base, id: chance(random, 0.9) ? id : String(id) };
  maybe([random, vlan], 0.2, 'protocol', () => pick(random, ['802.1q', '802.1ad']));
  maybe([random, vlan], 0.2, 'registration-protocol', () => pick(random, ['gvrp', 'mvrp', 'none']));
  maybe([random, vlan], 0.2, 'reorder-headers', () => chance(random, 0.5));
  maybe([random, vlan], 0.2, 'loose-binding', () => chance(random, 0.5));
  return vlan;
}

function randomRoutes(random: Random, interfaces: readonly Members[]): Members[] {
  return many(random, 4, () => {
    const family = chance(random, 0.6) ? 4 : 6;
    return randomRoute(random, family, pick(random, namesWith(random, interfaces, `ipv${family}`)));
  });
}

/** Names, or names of profiles, of interfaces that have an IP version; seldom of any. */
function namesWith(random: Random, interfaces: readonly Members[], key: string): string[] {
  const fit = interfaces.filter((item) => {
    const ip = item[key];
    return (item['state'] ?? 'up') === 'up' && isMembers(ip) && ip['enabled'] === true;
  });
  const chosen = fit.length === 0 || chance(random, 0.02) ? interfaces : fit;
  return chosen.map((item) => String((chance(random, 0.5) && item['profile-name']) || item['name']));
}

function randomRoute(random: Random, family: 4 | 6, name: string): Members {
  const route: Members = { 'next-hop-interface': name };
  const [plain, any] = family === 4 ? ['198.51.100.0/24', '0.0.0.0/0'] : ['2001:db8:a::/64', '::/0'];
  const random24 = `${addressText(random, family)}/${below(random, family === 4 ? 33 : 129)}`;
  maybe([random, route], 0.99, 'destination', () =>
    pick(random, [plain, any, random24, addressText(random, family)]),
  );
  maybe([random, route], 0.8, 'next-hop-address', () =>
    pick(
      random,
      family === 4 ? ['192.0.2.1', '0.0.0.0', '192.0.2.254'] : ['2001:db8::1', '::', '2001:DB8:0::0:2'],
    ),
  );
  maybe([random, route], 0.3, 'metric', () => pick(random, [-1, 0, 150, '200']));
  maybe([random, route], 0.3, 'table-id', () => pick(random, [0, 254, 100, '50']));
  maybe([random, route], family === 4 ? 0.05 : 0.01, 'weight', () => pick(random, [1, 256]));
  maybe([random, route], 0.05, 'source', () => addressText(random, family));
  maybe([random, route], 0.05, 'mtu', () => 1400);
  maybe([random, route], 0.05, 'state', () => pick(random, ['absent', 'ignore']));
  return route;
}

function randomDns(random: Random, interfaces: readonly Members[]): Members {
  const dns: Members = {};
  const zone = pick(random, namesWith(random, interfaces, 'ipv6'));
  const server = () =>
    pick(random, [
      '192.0.2.53',
      '198.51.100.53',
      '2001:db8::53',
      '2001:0db8::0:54',
      chance(random, 0.4) ? `fe80::1%${zone}` : '192.0.2.54',
    ]);
  maybe([random, dns], 0.85, 'server', () => many(random, 3, server));
  maybe([random, dns], 0.4, 'search', () =>
    many(random, 2, () => pick(random, ['example.com', 'lab.example.com'])),
  );
  maybe([random, dns], 0.2, 'options', () =>
    many(random, 2, () => pick(random, ['rotate', 'ndots:2', 'timeout:3'])),
  );
  return dns;
}

/** Changes one value somewhere. */
export function spoil(random: Random, document: Members): Members {
  const copy = structuredClone(document);
  let at: unknown = copy;
  for (let depth = 0; depth < 6; depth++) {
    if (!isMembers(at)) break;
    const members = at;
    const keys = Object.keys(members);
    const key = keys.length === 0 ? 'x' : pick(random, keys);
    const inner = members[key];
    if (typeof inner === 'object' && inner !== null && chance(random, 0.85)) {
      at = inner;
      continue;
    }
    const odd: readonly unknown[] = [
      null,
      '',
      'x',
      -1,
      0,
      1,
      1.5,
      70000,
      'true',
      true,
      [],
      {},
      { toString: 1 },
      'eth0',
      '::1',
      '1.2.3.4',
      ' a',
      'a b',
      'é',
    ];
    if (chance(random, 0.15)) members['strange'] = 1;
    else if (chance(random, 0.2)) delete members[key];
    else members[key] = pick(random, odd);
    break;
  }
  return copy;
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null;
}

/** A switch in one of nmstate's spellings. */
function flag(random: Random): unknown {
  return chance(random, 0.85) ? chance(random, 0.5) : pick(random, ['yes', 'no', 'True', 'off', 1, 0, 'y']);
}

/** Sets a member, or does not. */
function maybe(
  [random, target]: readonly [Random, Members],
  probability: number,
  key: string,
  value: () => unknown,
): void {
  if (chance(random, probability)) target[key] = value();
}

function many<T>(random: Random, most: number, make: () => T): T[] {
  return Array.from({ length: below(random, most + 1) }, make);
}

export function below(random: Random, limit: number): number {
  return Math.floor(random() * limit);
}

function chance(random: Random, probability: number): boolean {
  return random() < probability;
}

export function pick<T>(random: Random, choices: readonly T[]): T {
  const choice = choices[below(random, choices.length)];
  if (choice === undefined) throw new Error('there is nothing to choose from');
  return choice;
}

function shuffle<T>(random: Random, items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, key: random() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

/** The same numbers for the same seed: mulberry32. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

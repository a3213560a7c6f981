/**
 * The network of a host as kernel arguments: the arguments of each case, and what NetworkManager's nm-initrd-generator, which
 * reads them in the initramfs of CoreOS, makes of them.
 */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findInexpressible, staticArguments } from '../../src/kargs/staticArguments.ts';
import { CliError } from '../../src/core/errors.ts';
import { parseYaml } from '../../src/formats/yaml.ts';
import type { Connection } from '../../src/network/connection.ts';
import { convertNmstate } from '../../src/network/convertNmstate.ts';
import { formatAddress } from '../../src/network/ipAddress.ts';
import { parseConnection } from '../support/keyfiles.ts';
import { have, oracleFile, oracleNote } from '../support/programs.ts';
import { sharedData } from '../support/sharedData.ts';

/** Sections of keyfiles by name: the file `NAME.nmconnection`, with its id. */
type Files = Readonly<Record<string, string>>;

const parse = (files: Files): Connection[] =>
  Object.entries(files).map(([name, text]) =>
    parseConnection(`${name}.nmconnection`, `[connection]\nid=${name}\n${text}`),
  );

const wired = 'type=ethernet\n';
const off = '[ipv4]\nmethod=disabled\n[ipv6]\nmethod=disabled\n';
const only4 = '[ipv6]\nmethod=disabled\n';

const cases: readonly (readonly [title: string, files: Files, expected: readonly string[]])[] = [
  [
    'a static IPv4 address with gateway and DNS',
    {
      a: `${wired}interface-name=eth0\n[ipv4]\nmethod=manual\naddress1=192.0.2.5/24,192.0.2.1\ndns=192.0.2.53;\n${only4}`,
    },
    ['ip=192.0.2.5::192.0.2.1:24::eth0:none', 'nameserver=192.0.2.53'],
  ],
  [
    'an interface by its MAC address, with MTU',
    {
      a: `${wired}[ethernet]\nmac-address=52:54:00:00:00:01\nmtu=1400\n[ipv4]\nmethod=manual\naddress1=192.0.2.5/24\ngateway=192.0.2.1\n${only4}`,
    },
    ['ip=192.0.2.5::192.0.2.1:24::52-54-00-00-00-01:none:1400'],
  ],
  [
    'both families',
    {
      a: `${wired}interface-name=eth0\n[ipv4]\nmethod=manual\naddress1=192.0.2.5/24\n[ipv6]\nmethod=manual\naddress1=2001:db8::5/64,2001:db8::1\ndns=2001:db8::53\n`,
    },
    [
      'ip=192.0.2.5:::24::eth0:none',
      'ip=[2001:db8::5]::[2001:db8::1]:64::eth0:none',
      'nameserver=2001:db8::53',
    ],
  ],
  [
    'two addresses of one interface, and a new MAC address',
    {
      a: `${wired}interface-name=eth0\n[ethernet]\ncloned-mac-address=02:00:00:00:00:01\n[ipv4]\nmethod=manual\naddress1=192.0.2.5/24,192.0.2.1\naddress2=192.0.2.6/24\n${only4}`,
    },
    [
      'ip=192.0.2.5::192.0.2.1:24::eth0:none::02-00-00-00-00-01',
      'ip=192.0.2.6:::24::eth0:none::02-00-00-00-00-01',
    ],
  ],
  [
    'static IPv4, IPv6 from the network',
    { a: `${wired}interface-name=eth0\n[ipv4]\nmethod=manual\naddress1=192.0.2.5/24\n[ipv6]\nmethod=auto\n` },
    ['ip=192.0.2.5:::24::eth0:auto'],
  ],
  [
    'static IPv6, IPv4 by DHCP',
    { a: `${wired}interface-name=eth0\n[ipv6]\nmethod=manual\naddress1=2001:db8::5/64\n` },
    ['ip=[2001:db8::5]:::64::eth0:auto'],
  ],
  ['DHCP', { a: `${wired}interface-name=eth0\n` }, ['ip=eth0:dhcp']],
  [
    'a VLAN, whose type only its section shows',
    { a: `${wired}interface-name=eth0\n${off}`, b: 'interface-name=eth0.5\n[vlan]\nid=5\nparent=eth0\n' },
    ['vlan=eth0.5:eth0', 'ip=eth0:off', 'ip=eth0.5:dhcp'],
  ],
  [
    'IPv6 alone: router advertisements, and DHCPv6',
    {
      a: `${wired}interface-name=eth0\n[ipv4]\nmethod=disabled\n[ipv6]\nmethod=auto\n`,
      b: `${wired}interface-name=eth1\n[ipv4]\nmethod=disabled\n[ipv6]\nmethod=dhcp\n`,
    },
    ['ip=eth0:auto6', 'ip=eth1:dhcp6'],
  ],
  [
    'IPv6 on the link alone',
    { a: `${wired}interface-name=eth0\n[ipv4]\nmethod=disabled\n[ipv6]\nmethod=link-local\n` },
    ['ip=eth0:link6'],
  ],
  [
    'static IPv4, IPv6 on the link alone',
    {
      a: `${wired}interface-name=eth0\n[ipv4]\nmethod=manual\naddress1=192.0.2.5/24\n[ipv6]\nmethod=link-local\n`,
    },
    ['ip=192.0.2.5:::24::eth0:link6'],
  ],
  [
    'an address without a prefix length',
    {
      a: `${wired}interface-name=eth0\n[ipv4]\nmethod=manual\naddress1=192.0.2.5,192.0.2.1\n[ipv6]\nmethod=manual\naddress1=2001:db8::5\n`,
    },
    ['ip=192.0.2.5::192.0.2.1:24::eth0:none', 'ip=[2001:db8::5]:::64::eth0:none'],
  ],
  [
    'a DNS server with the name of its certificate',
    {
      a: `${wired}interface-name=eth0\n[ipv4]\nmethod=manual\naddress1=192.0.2.5/24\ndns=192.0.2.53#dns.example.com;\n${only4}`,
    },
    ['ip=192.0.2.5:::24::eth0:none', 'nameserver=192.0.2.53'],
  ],
  [
    'default routes beside DHCP, and on the link',
    {
      a: `${wired}interface-name=eth0\n[ipv4]\nmethod=auto\nroute1=0.0.0.0/0,192.0.2.1,0\nroute1_options=table=254\n[ipv6]\nmethod=auto\nroute1=::/0\n`,
    },
    ['ip=eth0:dhcp', 'rd.route=0.0.0.0/0:192.0.2.1:eth0', 'rd.route=[::/0]::eth0'],
  ],
  ['an interface without addresses', { a: `${wired}interface-name=eth0\n${off}` }, ['ip=eth0:off']],
  [
    'routes, one of them on the link',
    {
      a: `${wired}interface-name=eth0\n[ipv4]\nmethod=manual\naddress1=192.0.2.5/24\nroute1=198.51.100.0/24,192.0.2.254\nroute2=203.0.113.0/24\n[ipv6]\nmethod=manual\naddress1=2001:db8:1::5/64\nroute1=2001:db8::/32,2001:db8:1::1\n`,
    },
    [
      'ip=192.0.2.5:::24::eth0:none',
      'ip=[2001:db8:1::5]:::64::eth0:none',
      'rd.route=198.51.100.0/24:192.0.2.254:eth0',
      'rd.route=203.0.113.0/24::eth0',
      'rd.route=[2001:db8::/32]:[2001:db8:1::1]:eth0',
    ],
  ],
  [
    'a bond of two ports by MAC address, with a VLAN',
    {
      p1: `${wired}controller=bond0\nport-type=bond\n[ethernet]\nmac-address=52:54:00:00:00:01\n`,
      p2: `${wired}master=bond0\nslave-type=bond\n[ethernet]\nmac-address=52:54:00:00:00:02\n`,
      bond0: `type=bond\ninterface-name=bond0\n[bond]\nmode=active-backup\nmiimon=100\n[ethernet]\nmtu=9000\n${off}`,
      v: `type=vlan\ninterface-name=bond0.100\n[vlan]\nid=100\nparent=bond0\n[ipv4]\nmethod=manual\naddress1=192.0.2.5/24,192.0.2.1\n${only4}`,
    },
    [
      'bond=bond0:52-54-00-00-00-01,52-54-00-00-00-02:mode=active-backup,miimon=100:9000',
      'vlan=bond0.100:bond0',
      'ip=bond0:off',
      'ip=192.0.2.5::192.0.2.1:24::bond0.100:none',
    ],
  ],
  [
    'ports with an MTU, and with a new MAC address',
    {
      p1: `${wired}interface-name=eth0\ncontroller=bond0\nport-type=bond\n[ethernet]\nmtu=9000\n[ipv4]\nmethod=manual\naddress1=192.0.2.5/24\nroute1=198.51.100.0/24\ndns=192.0.2.53\n`,
      p2: `${wired}interface-name=eth1\ncontroller=bond0\nport-type=bond\n[ethernet]\ncloned-mac-address=02:00:00:00:00:01\n`,
      bond0: `type=bond\ninterface-name=bond0\n[bond]\nmode=active-backup\n`,
    },
    [
      'bond=bond0:eth0,eth1:mode=active-backup',
      'ip=eth0:off:9000',
      'ip=eth1:off::02-00-00-00-00-01',
      'ip=bond0:dhcp',
    ],
  ],
  [
    'a connection that does not start by itself, beside another one',
    {
      a: `${wired}interface-name=eth0\nautoconnect=false\n[ipv4]\nroute-metric=5\n`,
      b: `${wired}interface-name=eth1\n`,
    },
    ['ip=eth1:dhcp'],
  ],
];

describe('static arguments of', () => {
  it.each(cases)('%s', (_title, files, expected) => {
    expect(staticArguments(parse(files))).toEqual([...expected, 'rd.neednet=1']);
  });
});

describe('refused is', () => {
  it.each<readonly [title: string, files: Files, message: string]>([
    [
      'a bridge',
      { br0: 'type=bridge\ninterface-name=br0\n' },
      'cannot describe br0, a connection of type bridge',
    ],
    [
      'a network without a connection that starts by itself',
      { a: `${wired}interface-name=eth0\nautoconnect=false\n`, b: 'type=bridge\npermissions=user:core\n' },
      'eth0 does not start by itself, and no other connection does',
    ],
    [
      'a port of a bond that is missing',
      { a: `${wired}interface-name=eth0\nmaster=bond0\nslave-type=bond\n` },
      'eth0 is a port of bond0, which has no connection that starts by itself',
    ],
    ['a connection for any interface', { any: wired }, 'any names no interface'],
    [
      'an interface name with a colon',
      { a: `${wired}interface-name=eth0:1\n` },
      'the interface name "eth0:1"',
    ],
    [
      'a VLAN whose name does not end in its ID',
      { v: 'type=vlan\ninterface-name=storage\n[vlan]\nid=7\nparent=eth0\n' },
      'storage does not end in 7',
    ],
    [
      'a VLAN without parent',
      { v: 'type=vlan\ninterface-name=vlan7\n[vlan]\nid=7\n' },
      'no parent interface',
    ],
    [
      'a VLAN whose parent has only a MAC address',
      {
        p: `${wired}uuid=dad2c129-ce4b-56ac-b070-c6a55a41c5ea\n[ethernet]\nmac-address=52:54:00:00:00:01\n${off}`,
        v: 'type=vlan\ninterface-name=vlan7\n[vlan]\nid=7\nparent=dad2c129-ce4b-56ac-b070-c6a55a41c5ea\n',
      },
      'the parent of the VLAN vlan7 by its MAC address 52:54:00:00:00:01',
    ],
    [
      'a bond option with a colon',
      { b: 'type=bond\ninterface-name=bond0\n[bond]\nmode=802.3ad\nad_actor_system=00:00:5E:00:53:0A\n' },
      'options of the bond bond0',
    ],
    [
      'a static connection without a valid address',
      { a: `${wired}interface-name=eth0\n[ipv4]\nmethod=manual\naddress1=192.0.2.300/24\n` },
      'the method manual of eth0 requires a valid address',
    ],
    [
      'a shared connection',
      { a: `${wired}interface-name=eth0\n[ipv4]\nmethod=shared\n` },
      'the methods shared for IPv4 and auto for IPv6 of eth0',
    ],
    [
      'DHCP without IPv6',
      { a: `${wired}interface-name=eth0\n[ipv4]\nmethod=auto\n${only4}` },
      'the methods auto for IPv4 and disabled for IPv6 of eth0',
    ],
    [
      'DHCP with IPv6 on the link alone',
      { a: `${wired}interface-name=eth0\n[ipv6]\nmethod=link-local\n` },
      'the methods auto for IPv4 and link-local for IPv6 of eth0',
    ],
    [
      'IPv4 on the link alone',
      { a: `${wired}interface-name=eth0\n[ipv4]\nmethod=link-local\n${only4}` },
      'the methods link-local for IPv4 and disabled for IPv6 of eth0',
    ],
    [
      'an address beside DHCP',
      { a: `${wired}interface-name=eth0\n[ipv4]\nmethod=auto\naddress1=192.0.2.5/24\n` },
      'addresses with the method auto of eth0',
    ],
    [
      'two connections of one interface',
      {
        a: `${wired}interface-name=eth0\n`,
        b: `${wired}interface-name=eth0\n[ipv4]\nmethod=manual\naddress1=192.0.2.5/24\n`,
      },
      '--static: b.nmconnection: kernel arguments cannot describe two connections of eth0; a.nmconnection is the other one',
    ],
    [
      'an interface that must have a name and a MAC address',
      { a: `${wired}interface-name=eth0\n[ethernet]\nmac-address=52:54:00:00:00:01\n` },
      'not by "eth0" and 52:54:00:00:00:01',
    ],
  ])('%s', (_title, files, message) => {
    const run = (): readonly string[] => staticArguments(parse(files));
    expect(run).toThrow(CliError);
    expect(run).toThrow(message);
    expect(run).toThrow(
      expect.objectContaining({ code: 'ERR_SETTING', hint: expect.stringMatching(/^[a-z].*[^.]$/) }),
    );
  });
});

/** The keyfile, with one entry added to a section. */
const withEntry = (section: string, entry: string): string =>
  `[connection]\nid=a\n${wired}interface-name=eth0\n[${section}]\n${entry}\n`;

describe('a setting that arguments cannot describe is', () => {
  it.each<readonly [title: string, section: string, entry: string]>([
    ['a route of another table', 'ipv4', 'route1_options=table=100'],
    ['the other table of all routes', 'ipv6', 'route-table=100'],
    ['a metric', 'ipv4', 'route-metric=500'],
    ['the metric of a route', 'ipv4', 'route1=0.0.0.0/0,192.0.2.1,500'],
    ['the metric of a route without a gateway', 'ipv6', 'route2=2001:db8::/32,,7'],
    ['the metric of a route in the older form', 'ipv6', 'route2=2001:db8::/32,7'],
    ['the default metric of the other IP version', 'ipv4', 'route1=0.0.0.0/0,192.0.2.1,1024'],
    ['a rule that chooses a table', 'ipv4', 'routing-rule1=priority 1 from 0.0.0.0/0 table 100'],
    ['that the gateway is not used', 'ipv4', 'never-default=true'],
    ['that the DNS servers of DHCP are not used', 'ipv4', 'ignore-auto-dns=true'],
    ['that the routes of DHCP are not used', 'ipv6', 'ignore-auto-routes=1'],
    ['a search domain', 'ipv4', 'dns-search=example.com;'],
    ['an option of the resolver', 'ipv4', 'dns-options=rotate'],
    ['a DNS server with a protocol', 'ipv4', 'dns=dns+tls://192.0.2.53'],
    ['a DHCP client ID', 'ipv4', 'dhcp-client-id=01:02:03'],
    ['a token', 'ipv6', 'token=::5'],
    ['a random MAC address', 'ethernet', 'cloned-mac-address=random'],
    ['a speed', 'ethernet', 'speed=100'],
    ['the order of VLAN headers', 'vlan', 'flags=0'],
    ['the protocol of a VLAN', 'vlan', 'protocol=802.1ad'],
    ['priorities of a VLAN', 'vlan', 'egress-priority-map=1:2'],
    ['the priority of a port', 'bond-port', 'prio=5'],
    ['a PCI address', 'match', 'path=pci-0000:01:00.0'],
    ['a login to the switch', '802-1x', 'password=hunter2'],
    ['a value that ends with =', '802-1x', 'identity=hunter2='],
  ])('%s', (_title, section, entry) => {
    const [problem, ...others] = findInexpressible(parseConnection('a', withEntry(section, entry)));
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ line: 6, hint: expect.stringMatching(/^remove the setting, or use /) });
    expect(problem?.message).toContain(`in [${section}]`);
    expect(problem?.message).not.toContain('hunter2');
  });

  it.each<readonly [title: string, section: string, entry: string]>([
    ['not a default', 'ipv4', 'never-default=false'],
    ['not a default as nmstate writes it', 'ipv6', 'route1=::/0,fe80::1,1024'],
    ['not the main table', 'ipv4', 'route0_options=table=254'],
    ['not an empty value', 'ethernet', 'mac-address-blacklist='],
    ['not a timeout', 'ipv4', 'dhcp-timeout=2147483647'],
    ['not the name of a certificate', 'ipv4', 'dns=192.0.2.53#dns.example.com'],
    ['not a note', 'user', 'org.example.note=rack 7'],
  ])('%s', (_title, section, entry) => {
    expect(findInexpressible(parseConnection('a', withEntry(section, entry)))).toEqual([]);
  });
});

const generator = 'nm-initrd-generator';

describe.skipIf(!have(generator))(
  `nm-initrd-generator makes the same network${oracleNote(generator)} of`,
  () => {
    it.each(cases)('%s', (_title, files) => {
      const connections = parse(files).filter(({ isAutoconnected }) => isAutoconnected);
      const texts = staticArguments(connections);
      const made = generated(texts);
      expect(made.map(meaning).toSorted()).toEqual(
        connections.map((connection) => meaning(withoutDefaults(connection))).toSorted(),
      );
      expect(servers(made)).toEqual(servers(connections));
    });
  },
);

const documents = sharedData === undefined ? '' : join(sharedData, 'nmstate-cases.jsonl');
const note = documents === '' ? ' (skipped: there is no reference data)' : oracleNote(generator);

it.skipIf(documents === '' || !have(generator))(
  `nm-initrd-generator makes the same network of public nmstate documents, unless they are refused${note}`,
  () => {
    const networks = readFileSync(documents, 'utf8')
      .trim()
      .split('\n')
      .map((line) => convertNmstate(parseYaml(JSON.parse(line).nmstate).value).keyfiles)
      .map((keyfiles) => keyfiles.filter(({ text }) => parseConnection('', text).isAutoconnected))
      .filter(
        (keyfiles) =>
          keyfiles.length > 0 &&
          !keyfiles.some(({ text }) => findInexpressible(parseConnection('', text)).length > 0),
      )
      .flatMap((keyfiles) => {
        const connections = keyfiles.map(({ name, text }) => parseConnection(name, text));
        const texts = argumentsOf(connections);
        return texts === undefined ? [] : [{ connections, texts }];
      });
    for (const { connections, texts } of networks) {
      const devices = new Set(connections.map(deviceOf));
      // It also makes a connection without addresses for the parent of a VLAN.
      const made = generated(texts).filter((connection) => devices.has(deviceOf(connection)));
      expect(made.map(meaning).toSorted()).toEqual(
        connections.map((connection) => meaning(withoutDefaults(connection))).toSorted(),
      );
      expect(servers(made)).toEqual(servers(connections));
    }
    expect(networks.length).toBeGreaterThan(50);
  },
);

/** Undefined for a network that is refused. */
function argumentsOf(connections: readonly Connection[]): readonly string[] | undefined {
  try {
    return staticArguments(connections);
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

function deviceOf({ interfaceName, mac }: Connection): string | undefined {
  return interfaceName ?? mac;
}

function generated(texts: readonly string[]): Connection[] {
  const folder = mkdtempSync(join(tmpdir(), 'initrd generator '));
  try {
    execFileSync(oracleFile(generator), ['-c', folder, '-i', folder, '-r', folder, '--', ...texts]);
    return readdirSync(folder)
      .filter((name) => name.endsWith('.nmconnection'))
      .map((name) => parseConnection(name, readFileSync(join(folder, name), 'utf8')));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** DHCPv6 is the method `auto` there, and `disabled` replaces `ignore`, which leaves IPv6 to the kernel. */
function withoutDefaults(connection: Connection): Connection {
  const { ip } = connection;
  const method6 = ip[6].method === 'dhcp' ? 'auto' : ip[6].method;
  return { ...connection, ip: { 4: ip[4], 6: { ...ip[6], method: method6 } } };
}

/** All connections get the servers of the arguments. */
function servers(connections: readonly Connection[]): readonly string[] {
  const all = connections.flatMap(({ ip }) => [...ip[4].dns, ...ip[6].dns]).map(formatAddress);
  return [...new Set(all)].toSorted();
}

/** What counts, without the lines of the keyfile; ports have no addresses, and the generator has UUIDs and names of files of its own. */
function meaning(connection: Connection): string {
  const { bond, clonedMac, controller, ip, mtu, type, vlan } = connection;
  const isPort = controller !== undefined;
  const withoutServers = { 4: { ...ip[4], dns: [] }, 6: { ...ip[6], dns: [] } };
  const fields = {
    device: deviceOf(connection),
    type,
    isPort,
    ip: isPort ? undefined : withoutServers,
    clonedMac,
    mtu,
    vlan,
    bond: Object.fromEntries([...bond].toSorted(([one], [other]) => one.localeCompare(other))),
  };
  return JSON.stringify(fields, (name, value: unknown) => {
    if (/line$/i.test(name)) return undefined;
    return typeof value === 'bigint' ? String(value) : value;
  });
}

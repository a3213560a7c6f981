/**
 * The network of a host as kernel arguments: the arguments of each case, and what NetworkManager's nm-initrd-generator, which
 * reads them in the initramfs of CoreOS, makes of them.
 */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { staticArguments } from '../../src/kargs/staticArguments.ts';
import { CliError } from '../../src/core/errors.ts';
import { type Connection, parseConnection } from '../../src/network/connection.ts';
import { have, oracleFile, oracleNote } from '../support/programs.ts';

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
    'IPv6 alone: router advertisements, and DHCPv6',
    {
      a: `${wired}interface-name=eth0\n[ipv4]\nmethod=disabled\n[ipv6]\nmethod=auto\n`,
      b: `${wired}interface-name=eth1\n[ipv4]\nmethod=disabled\n[ipv6]\nmethod=dhcp\n`,
    },
    ['ip=eth0:auto6', 'ip=eth1:dhcp6'],
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
    'a connection that does not start by itself',
    { a: `${wired}interface-name=eth0\nautoconnect=false\n` },
    [],
  ],
];

describe('static arguments of', () => {
  it.each(cases)('%s', (_title, files, expected) => {
    const texts = expected.length === 0 ? [] : [...expected, 'rd.neednet=1'];
    expect(staticArguments(parse(files))).toEqual(texts);
  });
});

describe('refused is', () => {
  it.each<readonly [title: string, files: Files, message: string]>([
    [
      'a bridge',
      { br0: 'type=bridge\ninterface-name=br0\n' },
      'cannot describe br0, a connection of type bridge',
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
      { b: 'type=bond\ninterface-name=bond0\n[bond]\nad_actor_system=00:00:5E:00:53:0A\n' },
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
      'the method shared of eth0',
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

const generator = 'nm-initrd-generator';

describe.skipIf(!have(generator))(
  `nm-initrd-generator makes the same network${oracleNote(generator)} of`,
  () => {
    it.each(cases)('%s', (_title, files) => {
      const connections = parse(files).filter(({ isAutoconnected }) => isAutoconnected);
      const texts = staticArguments(connections);
      expect(generated(texts).map(meaning).toSorted()).toEqual(
        connections.map((connection) => meaning(withoutDefaults(connection))).toSorted(),
      );
    });
  },
);

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

/** `ip=eth0:dhcp` also means IPv6 from the network, and DHCPv6 is the method `auto` there. */
function withoutDefaults(connection: Connection): Connection {
  const { ip } = connection;
  const method6 = ip[6].method === 'dhcp' ? 'auto' : ip[6].method;
  return { ...connection, ip: { 4: ip[4], 6: { ...ip[6], method: method6 } } };
}

/** What counts, without the lines of the keyfile; ports have no addresses, and the generator has UUIDs and names of files of its own. */
function meaning({
  bond,
  clonedMac,
  controller,
  interfaceName,
  ip,
  mac,
  mtu,
  type,
  vlan,
}: Connection): string {
  const isPort = controller !== undefined;
  const fields = {
    device: interfaceName ?? mac,
    type,
    isPort,
    ip: isPort ? undefined : ip,
    clonedMac,
    mtu,
    vlan,
    bond: Object.fromEntries([...bond].toSorted(([one], [other]) => one.localeCompare(other))),
  };
  return JSON.stringify(fields, (name, value: unknown) => (/line$/i.test(name) ? undefined : value));
}

/** Which keyfiles NetworkManager ignores, and which parts of others, with the line. test/interop/keyfiles.test.ts asks libnm. */

import { describe, expect, it } from 'vitest';
import { keyfileProblems } from '../../support/keyfiles.ts';

const uuid = '925b4a95-2de0-5b2d-bcf5-8b684a7e9cb4';
const head = '[connection]\nid=a\ntype=ethernet\n';
const bond = `[connection]\nid=a\ntype=bond\ninterface-name=bond0\n`;
const vlan = `[connection]\nid=a\ntype=vlan\ninterface-name=vlan7\n`;

/** `severity line: message`, in the order of the lines; without a line, the problem is of something that is missing. */
function problemsOf(text: string): readonly string[] {
  return keyfileProblems(text)
    .toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0))
    .map(({ line, message, severity }) => `${severity} ${line ?? '-'}: ${message}`);
}

describe('NetworkManager loads', () => {
  it.each<readonly [title: string, text: string]>([
    ['an Ethernet connection with DHCP', head],
    ['a static address', `${head}[ipv4]\nmethod=manual\naddress1=192.0.2.5/24,192.0.2.1\ndns=192.0.2.53;\n`],
    ['old names of settings', '[connection]\nid=a\ntype=802-3-ethernet\n[802-3-ethernet]\nmtu=9000\n'],
    ['a file with comments and blank lines', `# comment\n\n${head}\n# end\n`],
    ['a type that a section shows', '[connection]\nid=a\n[ethernet]\nmtu=9000\n'],
    ['a bond', `${bond}[bond]\nmode=802.3ad\nmiimon=100\nlacp_rate=fast\n`],
    ['a port of a bond', `${head}master=bond0\nslave-type=bond\n`],
    ['a port by newer names', `${head}controller=${uuid}\nport-type=bond\n`],
    ['a VLAN', `${vlan}[vlan]\nid=7\nparent=eth0\n`],
    [
      'DNS servers with a port, an interface or the name in their certificate',
      `${head}[ipv4]\nmethod=auto\ndns=192.0.2.1#a.example;dns+udp://192.0.2.2;dns+tls://192.0.2.3:853#a.example;\n` +
        '[ipv6]\nmethod=auto\ndns=2001:db8::1#a.example;dns+udp://[fe80::1%eth0];dns+tls://[2001:db8::2]:853#a.example;\n',
    ],
    ['a bridge', '[connection]\nid=a\ntype=bridge\ninterface-name=br0\n[bridge]\nstp=false\n'],
    ['a MAC address', `${head}[ethernet]\nmac-address=52:54:00:12:34:56\ncloned-mac-address=stable\n`],
    ['data of users', `${head}[user]\nexample.note=text\n`],
  ])('%s', (_title, text) => {
    expect(problemsOf(text)).toEqual([]);
  });
});

const ignores = (key: string, problem: string): string =>
  `NetworkManager ignores the keyfile: ${key}: ${problem}`;

describe('NetworkManager ignores the keyfile', () => {
  it.each<readonly [title: string, text: string, expected: string]>([
    ['text', 'a: b\n', 'error -: Invalid keyfile line 1: it is before the first section'],
    ['without [connection]', '[ipv4]\nmethod=auto\n', 'error -: the keyfile has no section [connection]'],
    [
      'without a type',
      '[connection]\nid=a\n',
      `error -: ${ignores('type in [connection]', 'the type is missing')}`,
    ],
    [
      'of an unknown type',
      '[connection]\nid=a\ntype=ethernt\n',
      `error 3: ${ignores('type in [connection]', 'unknown type "ethernt"')}`,
    ],
    [
      'with an invalid UUID',
      `${head}uuid=1\n`,
      `error 4: ${ignores('uuid in [connection]', '"1" is not a UUID')}`,
    ],
    [
      'with a long name of an interface',
      `${head}interface-name=a-very-long-name\n`,
      `error 4: ${ignores('interface-name in [connection]', '"a-very-long-name" is not a valid interface name')}`,
    ],
    [
      'of a bond without a name',
      '[connection]\nid=a\ntype=bond\n[bond]\nmode=1\n',
      'error -: NetworkManager ignores the keyfile: interface-name in [connection]',
    ],
    [
      'of a static network without addresses',
      `${head}[ipv4]\nmethod=manual\n`,
      'error 5: NetworkManager ignores the keyfile: ',
    ],
    [
      'of an unknown method',
      `${head}[ipv4]\nmethod=static\n`,
      'error 5: NetworkManager ignores the keyfile: method in [ipv4]',
    ],
    [
      'of a VLAN with the number 5000',
      `${vlan}[vlan]\nid=5000\nparent=eth0\n`,
      'warning 6: NetworkManager ignores id in [vlan]',
    ],
    [
      'of a VLAN without a parent',
      `${vlan}[vlan]\nid=7\n`,
      'error -: NetworkManager ignores the keyfile: parent in [vlan]',
    ],
    [
      'of a port without the type of its controller',
      `${head}master=bond0\n`,
      'error 4: NetworkManager ignores the keyfile: master in [connection]',
    ],
    [
      'of a bond option that the mode excludes',
      `${bond}[bond]\nmode=balance-alb\narp_interval=100\narp_ip_target=192.0.2.1\n`,
      'error 7: NetworkManager ignores the keyfile: arp_interval in [bond]: not supported in the mode balance-alb',
    ],
    [
      'of a bond option without the one that it requires',
      `${bond}[bond]\nmode=active-backup\narp_ip_target=192.0.2.1\n`,
      'error 7: NetworkManager ignores the keyfile: arp_ip_target in [bond]: requires arp_interval',
    ],
  ])('%s', (_title, text, expected) => {
    expect(problemsOf(text).join('\n')).toContain(expected);
  });
});

it('a VLAN without a section requires an interface with a valid MAC address', () => {
  expect(problemsOf(`${vlan}[ethernet]\nmac-address=52:54:00:12:34\n`)).toContain(
    'error 3: NetworkManager ignores the keyfile: type in [connection]: the type vlan requires the section [vlan]',
  );
});

describe('NetworkManager ignores a part', () => {
  it.each<readonly [title: string, text: string, expected: string]>([
    [
      'an unknown section',
      `${head}[ip4]\nmethod=auto\n`,
      'warning -: NetworkManager ignores the unknown section [ip4]',
    ],
    [
      'an unknown key',
      `${head}interface=eth0\n`,
      'warning 4: NetworkManager ignores the unknown key interface in [connection]',
    ],
    [
      'a key of another section',
      `${head}mtu=9000\n`,
      'warning 4: NetworkManager ignores the unknown key mtu in [connection]',
    ],
    [
      'an unknown option of a bond',
      `${bond}[bond]\nmode=active-backup\nfast=1\n`,
      'warning 7: NetworkManager ignores the unknown key fast in [bond]',
    ],
    [
      'text for an MTU',
      `${head}[ethernet]\nmtu=large\n`,
      'warning 5: NetworkManager ignores mtu in [ethernet]: "large" is not an integer',
    ],
    [
      'a MAC address of five numbers',
      `${head}[ethernet]\nmac-address=52:54:00:12:34\n`,
      'warning 5: NetworkManager ignores mac-address in [ethernet]: "52:54:00:12:34" is not a MAC address',
    ],
    [
      'a word for a switch',
      `${head}autoconnect=yes\n`,
      'warning 4: NetworkManager ignores autoconnect in [connection]: "yes" is not true or false',
    ],
    [
      'an address of the other IP version',
      `${head}[ipv4]\nmethod=auto\naddress1=2001:db8::1/64\n`,
      'warning 6: NetworkManager ignores address1 in [ipv4]',
    ],
  ])('%s', (_title, text, expected) => {
    expect(problemsOf(text).join('\n')).toContain(expected);
    expect(keyfileProblems(text).every(({ hint }) => /^[a-z]/.test(hint))).toBe(true);
  });

  it('names the gateway of an address beside another one, at the address', () => {
    const text = `${head}[ipv4]\nmethod=manual\naddress1=192.0.2.5/24,192.0.2.1\ngateway=192.0.2.2\n`;
    expect(problemsOf(text)).toEqual([
      'warning 6: NetworkManager ignores the gateway 192.0.2.1 of address1 in [ipv4], because gateway=192.0.2.2 is set',
    ]);
  });

  it('names the section to which a key belongs', () => {
    expect(keyfileProblems(`${head}mtu=9000\n`)).toMatchObject([{ hint: 'move it to [ethernet]' }]);
  });

  it.each([
    ['ipv4', 'address1', 'use 192.0.2.0/24,GATEWAY'],
    ['ipv4', 'route1', 'use 192.0.2.0/24,GATEWAY,METRIC'],
    ['ipv6', 'address1', 'use 2001:db8::/64,GATEWAY'],
    ['ipv6', 'route1', 'use 2001:db8::/64,GATEWAY,METRIC'],
  ])('in [%s], the hint for %s has an example of that IP version', (section, key, hint) => {
    const text = `${head}[${section}]\nmethod=auto\n${key}=unknown\n`;
    expect(keyfileProblems(text)).toMatchObject([{ hint }]);
  });

  it('names a similar key', () => {
    expect(keyfileProblems(`${head}interface-nam=eth0\n`)).toMatchObject([{ hint: 'use interface-name' }]);
  });
});

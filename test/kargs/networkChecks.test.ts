import { describe, expect, it } from 'vitest';
import { parseArgument, parseArguments } from '../../src/kargs/argument.ts';
import { checkArgumentNetwork } from '../../src/kargs/networkChecks.ts';

const address = '192.0.2.5::192.0.2.1:24';
const address6 = '[2001:db8::5]::[2001:db8::1]:64';
const rootfs = 'coreos.live.rootfs_url=http://192.0.2.9/rootfs';

function findings(line: string, added = ''): string[] {
  const list = line.split(' ').map((text, index) => parseArgument(text, [index]));
  return checkArgumentNetwork(list, parseArguments(added)).map(
    ({ message, path, rule }) => `${rule} ${path.join('.')}: ${message}`,
  );
}

describe('checkArgumentNetwork', () => {
  it.each([
    [
      'a DNS server of the other IP version',
      `ip=${address6}::eno1:none:192.0.2.53`,
      'ip-rejected 0: NetworkManager rejects eno1: it has a DNS server, but no network, for IPv4',
    ],
    [
      'a gateway of the other IP version',
      'ip=192.0.2.5::[2001:db8::1]:24::eno1:none',
      'ip-rejected 0: NetworkManager rejects eno1: it has a gateway, but no address, for IPv6',
    ],
    [
      'an address with the method link6',
      `ip=${address6}::eno1:link6`,
      'ip-rejected 0: NetworkManager rejects eno1: it has an address besides the method link6',
    ],
    [
      'a root filesystem over IPv4, with IPv6 alone',
      `ip=dhcp6 ${rootfs}`,
      'ip-unreachable 1: root filesystem: no connection of the host has an IPv4 address, so the host does not reach 192.0.2.9',
    ],
    [
      'a root filesystem over IPv4, with IPv6 in place of DHCP',
      `ip=eno1:dhcp ip=eno1:dhcp6 ${rootfs}`,
      'ip-unreachable 2: root filesystem: no connection of the host has an IPv4 address, so the host does not reach 192.0.2.9',
    ],
    [
      'a root filesystem, with an address of a port alone',
      `bridge=br0:eno1 ip=${address}::eno1:none ip=br0:off ${rootfs}`,
      'ip-unreachable 3: no connection has an IP address or uses DHCP',
    ],
    [
      'a config over IPv6, with an IPv4 address alone',
      `ip=${address}::eno1:none ignition.config.url=http://[2001:db8::9]/c`,
      'ip-unreachable 1: Ignition config: no connection of the host has an IPv6 address, so the host does not reach 2001:db8::9',
    ],
    [
      'a server in another network, without gateway',
      `ip=198.51.100.5:::24::eno1:none ${rootfs}`,
      'ip-unreachable 1: root filesystem: no connection of the host has a route to 192.0.2.9',
    ],
    [
      'a name, without DNS server',
      `ip=${address}::eno1:none coreos.live.rootfs_url=http://images.example.com/r`,
      'ip-unreachable 1: the connections of the host are static and have no DNS server, so the host cannot resolve images.example.com (root filesystem)',
    ],
    [
      'a gateway outside of the network of the second interface',
      `ip=${address}::eno1:none ip=198.51.100.5::192.0.2.1:255.255.255.0:h:eno2:none`,
      'agent-network 1: the gateway 192.0.2.1 of eno2 is outside its subnet 198.51.100.0/24',
    ],
    [
      'an IPv6 gateway outside of the network',
      'ip=[2001:db8::5]::[2001:db8:1::1]:64:h:eno1:none',
      'agent-network 0: the gateway 2001:db8:1::1 of eno1 is outside its subnet 2001:db8::/64',
    ],
    [
      'an address of two interfaces',
      `ip=${address}::eno1:none ip=eno3:off ip=192.0.2.5:::24::eno2:none`,
      'agent-network 2: eno2 and eno1 have the same address 192.0.2.5',
    ],
  ])('reports %s', (_title, line, expected) => {
    expect(findings(line)).toEqual([expected]);
  });

  it.each([
    [
      'a bucket, which is no name of a server',
      `ip=${address}::eno1:none ignition.config.url=s3://bucket/config.ign`,
    ],
    ['no network arguments', rootfs],
    ['DHCP', `ip=dhcp rd.neednet=1 ${rootfs}`],
    ['IPv6, then all', `ip=dhcp6 ip=dhcp ${rootfs}`],
    ['both IP versions', `ip=eno1:dhcp,dhcp6 ${rootfs}`],
    ['the same argument twice', `ip=eno1:dhcp ip=eno1:dhcp ${rootfs}`],
    ['several interfaces', `ip=eno1:dhcp ip=eno2:dhcp6 ip=eno3:off ${rootfs}`],
    ['an address of each IP version', `ip=${address}::eno1:none ip=${address6}::eno1:none ${rootfs}`],
    ['an address besides DHCP', `ip=${address}::eno1:none ip=eno1:dhcp ${rootfs}`],
    [
      'two addresses with the same gateway',
      `ip=${address}::eno1:none ip=192.0.2.6::192.0.2.1:24::eno1:none ${rootfs}`,
    ],
    ['a bond', `bond=bond0:eno1,eno2 ip=${address}::bond0:none ip=eno1:off ${rootfs}`],
    ['a port without addresses', `bridge=br0:eno1 ip=${address}::br0:none ip=eno1:off:9000 ${rootfs}`],
    ['a link-local gateway', `ip=[2001:db8::5]::[fe80::1]:64:h:eth0:none ip=eno2:dhcp ${rootfs}`],
    [
      'a gateway outside of an address without a network',
      `ip=192.0.2.5::198.51.100.1:32:h:eth0:none ${rootfs}`,
    ],
    ['a VLAN', `vlan=eno1.5:eno1 ip=${address}::eno1.5:none ${rootfs}`],
    ['a route', `ip=198.51.100.5:::24::eno1:none rd.route=192.0.2.0/24:198.51.100.1:eno1 ${rootfs}`],
    [
      'a DNS server',
      `ip=${address}::eno1:none nameserver=192.0.2.53 coreos.live.rootfs_url=http://a.example.com/r`,
    ],
    [
      'a DNS server in ip=',
      `ip=${address}::eno1:none:192.0.2.53 coreos.live.rootfs_url=http://a.example.com/r`,
    ],
    ['a proxy', `ip=dhcp6 systemd.setenv=http_proxy=http://[2001:db8::9]:3128 ${rootfs}`],
    ['the interface from which the machine booted', `ip=dhcp6 BOOTIF=01-52-54-00-00-00-01 ${rootfs}`],
  ])('accepts %s', (_title, line) => {
    expect(findings(line)).toEqual([]);
  });

  it('knows which interface the boot loader adds', () => {
    expect(findings(`ip=dhcp6 ${rootfs}`, 'BOOTIF=00:00:00:00:00:00')).toEqual([]);
    expect(findings(`ip=dhcp6 rd.bootif=0 ${rootfs}`, 'BOOTIF=00:00:00:00:00:00')).toHaveLength(1);
  });
});

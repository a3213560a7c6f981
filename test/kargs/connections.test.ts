/** The connections of kernel arguments, compared with those of the real nm-initrd-generator. */

import { spawnSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseArguments } from '../../src/kargs/argument.ts';
import { argumentConnections } from '../../src/kargs/connections.ts';
import { formatSubnet, formatAddress } from '../../src/network/ipAddress.ts';
import type { Connection, IpConfig } from '../../src/network/connection.ts';
import { parseConnection } from '../support/keyfiles.ts';
import { have, oracleFile, oracleNote } from '../support/programs.ts';

const generator = 'nm-initrd-generator';

/** The connections of the program, which prints their keyfiles. */
function realConnections(texts: readonly string[]): Connection[] {
  const { stdout } = spawnSync(oracleFile(generator), ['-s', '-d', '/nonexistent', '--', ...texts], {
    encoding: 'utf8',
  });
  const [, ...parts] = stdout.split(/^\n?\*\*\* Connection '.*' \*\*\*$/m);
  return parts.map((text) => parseConnection('real', text.trimStart()));
}

/** What matters of a connection: a port has no addresses, and the program names it by the UUID of its controller. */
function meaning(connection: Connection, all: readonly Connection[]) {
  const { controller, interfaceName, ip, mac, type, vlan } = connection;
  const its = all.find(
    ({ interfaceName: name, uuid }) => controller !== undefined && [name, uuid].includes(controller),
  );
  return {
    name: interfaceName ?? mac ?? '',
    type,
    controller: controller && (its?.interfaceName ?? 'rejected'),
    vlan: vlan && { id: vlan.id, parent: vlan.parent },
    ...(controller === undefined && { ipv4: ipMeaning(ip[4]), ipv6: ipMeaning(ip[6]) }),
  };
}

/** libnm keeps each address, server and route once. */
function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

function ipMeaning({ addresses, dns, gateway, method, routes }: IpConfig) {
  return {
    method,
    addresses: unique(
      addresses.map(({ address: ip, prefixLength }) => `${formatAddress(ip)}/${prefixLength}`),
    ),
    dns: unique(dns.map(formatAddress)),
    gateway: gateway && formatAddress(gateway),
    routes: unique(
      routes.map(
        ({ destination, gateway: next }) => `${formatSubnet(destination)} ${next && formatAddress(next)}`,
      ),
    ),
  };
}

function meanings(connections: readonly Connection[]) {
  const list = connections.map((connection) => meaning(connection, connections));
  return list.toSorted((a, b) => a.name.localeCompare(b.name));
}

describe('argumentConnections', () => {
  const device = fc.constantFrom('eno1', 'eno2', 'eno1', 'bond0', 'eno1.5', '52-54-00-00-00-0a');
  const method = fc.constantFrom(
    ...'dhcp dhcp6 auto auto6 link6 on any none off single-dhcp dhcp,dhcp6 dhcp6,dhcp dhcp,single-dhcp'.split(
      ' ',
    ),
  );
  const host = fc.integer({ min: 2, max: 250 });
  const ipv4 = fc
    .tuple(
      host,
      fc.constantFrom('24', '16', '255.255.255.0', ''),
      fc.constantFrom('192.0.2.1', '192.0.2.254', ''),
    )
    .map(([last, mask, gateway]) => `192.0.2.${last}::${gateway}:${mask}`);
  const ipv6 = fc
    .tuple(host, fc.constantFrom('64', '48', ''), fc.constantFrom('[2001:db8::1]', '[fe80::1]', ''))
    .map(([last, mask, gateway]) => `[2001:db8::${last}]::${gateway}:${mask}`);
  const withPrefix = fc
    .tuple(
      fc.constantFrom('192.0.2.7/25', '[2001:db8::7/56]', '[2001:db8::7]/56', '[192.0.2.7]'),
      fc.constantFrom('', '24', '33', '129'),
    )
    .map(([start, mask]) => `${start}:::${mask}`);
  const fixed = fc
    .tuple(
      fc.oneof(ipv4, ipv6, withPrefix),
      fc.oneof(device, fc.constant('')),
      fc.oneof(method, fc.constantFrom('', 'static')),
      fc.constantFrom('', ':1400', ':192.0.2.53', ':[2001:db8::53]:192.0.2.54'),
    )
    .map(([start, name, end, rest]) => `ip=${start}::${name}:${end}${rest}`);
  const argument = fc.oneof(
    { weight: 2, arbitrary: method.map((text) => `ip=${text}`) },
    { weight: 5, arbitrary: fc.tuple(device, method).map(([name, text]) => `ip=${name}:${text}`) },
    { weight: 6, arbitrary: fixed },
    fc.constantFrom(
      'bond=bond0:eno1,eno2:mode=active-backup',
      'bond=bond0:eno2',
      'bridge=br0:eno2',
      'bridge=:eno1',
      'vlan=eno1.5:eno1',
      'vlan=vlan7:bond0',
      'nameserver=192.0.2.53',
      'nameserver=2001:db8::53',
      'rd.route=198.51.100.0/24:192.0.2.9:eno1',
      'rd.route=198.51.100.0/24:192.0.2.9',
      'rd.route=[2001:db8:1::/48]:[2001:db8::9]:eno2',
      'rd.route=198.51.100.0/24:[2001:db8::9]:eno2',
      'rd.route=198.51.100.0/24:router:eno2',
      'rd.route=198.51.100.0/24::eno2',
      'rd.route=[2001:db8:1::]/48:[2001:db8::9]:eno2',
      'rd.route=network:192.0.2.9:eno3',
      'ip=eno2:dhcp4',
    ),
  );

  it.runIf(have(generator))(`reads random arguments as nm-initrd-generator${oracleNote(generator)}`, () => {
    fc.assert(
      fc.property(fc.array(argument, { minLength: 1, maxLength: 6 }), (texts) => {
        expect(meanings(argumentConnections(parseArguments(texts.join(' '))))).toEqual(
          meanings(realConnections(texts)),
        );
      }),
      { numRuns: Number(process.env['IRONIC_COREOS_RUNS'] ?? 100) },
    );
  });
});

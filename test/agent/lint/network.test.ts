/** Lint of the host's network: which finding for which keyfiles, and where. */

import { describe, expect, it } from 'vitest';
import { lintNetwork } from '../../../src/agent/lint/network.ts';
import type { Config } from '../../../src/ignition/config.ts';

const folder = '/etc/NetworkManager/system-connections';
const data = (text: string): string => `data:;base64,${Buffer.from(text).toString('base64')}`;

function configOf(apiUrl: string, keyfiles: Readonly<Record<string, string>>): Config {
  const files = Object.entries(keyfiles).map(([name, text]) => ({
    path: `${folder}/${name}`,
    mode: 0o600,
    contents: { source: data(text) },
  }));
  const conf = { source: data(`[DEFAULT]\napi_url = ${apiUrl}\n`) };
  return {
    ignition: { version: '3.4.0' },
    storage: { files: [{ path: '/etc/ironic-python-agent.conf', contents: conf }, ...files] },
  };
}

const eth0 = (address: string): string =>
  `[connection]\nid=eth0\ntype=ethernet\ninterface-name=eth0\n[ipv4]\nmethod=manual\naddress1=${address}\n[ipv6]\nmethod=disabled\n`;

describe('the network of a host', () => {
  it.each<readonly [title: string, config: Config, expected: readonly string[]]>([
    [
      'that reaches Ironic',
      configOf('https://192.0.2.1:6385', { 'eth0.nmconnection': eth0('192.0.2.5/24') }),
      [],
    ],
    [
      'without a route',
      configOf('https://198.51.100.1', { 'eth0.nmconnection': eth0('192.0.2.5/24') }),
      [
        'agent-network-reach $.storage.files.1.contents.source: Ironic: no connection of the host has a route to 198.51.100.1',
      ],
    ],
    [
      'without a route to both Ironics, one of them in brackets',
      configOf('https://198.51.100.1,https://[2001:db8::1]:6385', {
        'eth0.nmconnection': eth0('192.0.2.5/24'),
      }),
      [
        'agent-network-reach $.storage.files.1.contents.source: Ironic: no connection of the host has a route to 198.51.100.1',
        'agent-network-reach $.storage.files.1.contents.source: Ironic: no connection of the host has an IPv6 address, so the host does not reach 2001:db8::1',
      ],
    ],
    [
      'with a proxy for all schemes, which podman does not read and does not hand to the agent',
      {
        ...configOf('https://198.51.100.1', { 'eth0.nmconnection': eth0('192.0.2.5/24') }),
        systemd: {
          units: [
            {
              name: 'ironic-agent.service',
              enabled: true,
              contents:
                '[Service]\nEnvironment=ALL_PROXY=http://192.0.2.3:3128\nExecStart=/usr/bin/podman run --network host -v /etc/ironic-python-agent.conf:/etc/ironic-python-agent/ignition.conf 203.0.113.1/ironic-agent\n',
            },
          ],
        },
      },
      [
        'agent-network-reach $.storage.files.1.contents.source: Ironic: no connection of the host has a route to 198.51.100.1',
        'agent-network-reach $.storage.files.1.contents.source: registry: no connection of the host has a route to 203.0.113.1',
      ],
    ],
    [
      'with a gateway outside its subnet, in the second file',
      configOf('mdns', {
        'a.nmconnection': eth0('192.0.2.4/24'),
        'b.nmconnection': eth0('192.0.2.5/24,198.51.100.1'),
      }),
      [
        'agent-network $.storage.files.2.contents.source: the gateway 198.51.100.1 of eth0 is outside its subnet 192.0.2.0/24',
      ],
    ],
    [
      'that is not a keyfile',
      configOf('https://198.51.100.1', { 'eth0.nmconnection': 'text' }),
      [
        'agent-keyfile $.storage.files.1.contents.source: eth0.nmconnection: Invalid keyfile line 1: it is before the first section',
      ],
    ],
    [
      'in files that NetworkManager ignores',
      configOf('https://198.51.100.1', {
        '.eth0.nmconnection': eth0('192.0.2.5/24'),
        'eth0.nmconnection~': eth0('192.0.2.5/24'),
        'eth0.backup': eth0('192.0.2.5/24'),
        'eth0.DER': 'text',
      }),
      [],
    ],
    [
      'in a file without the suffix, which NetworkManager loads from /etc',
      configOf('https://198.51.100.1', { eth0: eth0('192.0.2.5/24') }),
      [
        'agent-network-reach $.storage.files.1.contents.source: Ironic: no connection of the host has a route to 198.51.100.1',
      ],
    ],
    [
      'in a file that other users can read',
      {
        storage: {
          files: [{ path: `${folder}/eth0.nmconnection`, contents: { source: data(eth0('192.0.2.5/24')) } }],
        },
      },
      [
        'agent-network $.storage.files.0.mode: NetworkManager ignores eth0.nmconnection, because other users can access the file',
      ],
    ],
    ['by DHCP', configOf('https://ironic.example.com', {}), []],
  ])('%s', (_title, config, expected) => {
    const found = lintNetwork(config).findings.map(
      ({ message, path, rule }) => `${rule} $.${path.join('.')}: ${message}`,
    );
    expect(found).toEqual(expected);
  });
});

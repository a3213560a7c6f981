/** `render` reports a network that cannot work, once and with its place. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runCli } from '../../support/runCli.ts';

const folder = mkdtempSync(join(tmpdir(), 'render network '));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const keyfile = (address: string): string =>
  `[connection]\nid=eth0\ntype=ethernet\ninterface-name=eth0\n[ipv4]\nmethod=manual\naddress1=${address}\ndns=192.0.2.53\n[ipv6]\nmethod=disabled\n`;
writeFileSync(join(folder, 'outside.nmconnection'), keyfile('192.0.2.5/24,198.51.100.1'));
writeFileSync(join(folder, 'alone.nmconnection'), keyfile('192.0.2.5/24'));
const networkData = {
  links: [{ id: 'p0', type: 'phy', ethernet_mac_address: '52:54:00:12:34:56' }],
  services: [{ type: 'dns', address: '192.0.2.53' }],
  networks: [
    { id: 'n', type: 'ipv4', link: 'p0', ip_address: '192.0.2.5/24', gateway: '198.51.100.1', routes: [] },
  ],
};
writeFileSync(join(folder, 'network_data.json'), JSON.stringify(networkData));

const nmstate = `interfaces:
  - name: eth0
    type: ethernet
    state: up
    ipv4: {enabled: true, address: [{ip: 192.0.2.5, prefix-length: 24}]}
routes:
  config:
    - destination: 0.0.0.0/0
      next-hop-address: 198.51.100.1
      next-hop-interface: eth0
dns-resolver: {config: {server: [192.0.2.53]}}
`;
writeFileSync(join(folder, 'outside.yaml'), nmstate);
const render = (...args: readonly string[]): ReturnType<typeof runCli> =>
  runCli(['render', '--api-url', 'https://198.51.100.9', '--no-ssh-key', ...args, '-o', 'out.ign'], {
    cwd: folder,
  });

describe('render', () => {
  it.each<readonly [title: string, args: readonly string[], warnings: readonly string[]]>([
    [
      'a gateway outside its subnet',
      ['--keyfile', 'outside.nmconnection'],
      ['outside.nmconnection:7: the gateway 198.51.100.1 of eth0 is outside'],
    ],
    [
      'the gateway of an nmstate document, with its place',
      ['--nmstate', 'outside.yaml'],
      ['outside.yaml:9:25: the gateway 198.51.100.1 of eth0 is outside'],
    ],
    [
      'a network without a route to Ironic',
      ['--keyfile', 'alone.nmconnection'],
      ['Ironic: no connection of the host has a route to 198.51.100.9'],
    ],
    ['nothing with --ignore', ['--keyfile', 'alone.nmconnection', '--ignore', 'agent-network-reach'], []],
    [
      'the gateway of network data, with its place',
      ['--network-data', 'network_data.json'],
      ['warning: network_data.json:1:'],
    ],
  ])('reports %s', async (_title, args, warnings) => {
    const { code, stderr } = await render(...args);
    const found = stderr.split('\n').filter((line) => line.startsWith('warning: '));
    expect([code, found]).toEqual([0, warnings.map((text) => expect.stringContaining(text))]);
  });
});

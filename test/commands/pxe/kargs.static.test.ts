/** `pxe kargs --static`: the network of a host as kernel arguments. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runCli, type RunResult } from '../../support/runCli.ts';

const folder = mkdtempSync(join(tmpdir(), 'kargs static '));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const eth0 =
  '{name: eth0, type: ethernet, state: up, ipv4: {enabled: true, dhcp: false, address: [{ip: 192.0.2.5, prefix-length: 24}]}}';
writeFileSync(join(folder, 'eth0.yaml'), `interfaces: [${eth0}]\n`);
writeFileSync(
  join(folder, 'inv.yaml'),
  `agent: {ironic.apiUrls: https://192.0.2.1}
hosts:
  - name: static
    network: {nmstate: {interfaces: [${eth0}]}}
  - name: bridge
    network: {nmstate: {interfaces: [{name: br0, type: linux-bridge, state: up, bridge: {port: [{name: eth0}]}}]}}
  - name: dhcp
`,
);

const route = (gateway: string, device: string, more = ''): string =>
  `{destination: 0.0.0.0/0, next-hop-address: ${gateway}, next-hop-interface: ${device}${more}}`;
const eth1 = eth0.replace('eth0', 'eth1').replace('192.0.2.5', '198.51.100.5');
const dhcp = (more: string): string =>
  `interfaces:\n- {name: eth0, type: ethernet, state: up,\n   ipv4: {enabled: true, dhcp: true${more}},\n   ipv6: {enabled: true, dhcp: true, autoconf: true}}\n`;
const both = (routes: string, more = ''): string =>
  `interfaces:\n- ${eth0}\n- ${eth1}\nroutes:\n  config:\n${routes}\n${more}`;
const documents: Readonly<Record<string, string>> = {
  'table.yaml': both(
    `  - ${route('192.0.2.1', 'eth0')}\n  - ${route('198.51.100.1', 'eth1', ', table-id: 100')}`,
  ),
  'metrics.yaml': both(
    `  - ${route('192.0.2.1', 'eth0', ', metric: 100')}\n  - ${route('198.51.100.1', 'eth1', ', metric: 500')}`,
  ),
  'search.yaml': both(
    `  - ${route('192.0.2.1', 'eth0')}`,
    'dns-resolver: {config: {server: [192.0.2.53], search: [example.com]}}\n',
  ),
  'two.yaml': `interfaces: [${eth0}, ${eth1}]`.replaceAll(/ip: [\d.]+/g, 'ip: 192.0.2.300'),
  'gateway.yaml': dhcp(', auto-gateway: false'),
  'dns.yaml': dhcp(', auto-dns: false'),
};
for (const [name, text] of Object.entries(documents)) writeFileSync(join(folder, name), text);
const keyfile = (text: string): string =>
  `[connection]\nid=eth0\ntype=ethernet\ninterface-name=eth0\n[ipv4]\nmethod=manual\n${text}\n[ipv6]\nmethod=disabled\n`;
writeFileSync(join(folder, 'short.nmconnection'), keyfile('address1=192.0.2.10,192.0.2.1'));
writeFileSync(
  join(folder, 'named.nmconnection'),
  keyfile('address1=192.0.2.10/24,192.0.2.1\ndns=192.0.2.53#dns.example.com'),
);
writeFileSync(
  join(folder, 'login.nmconnection'),
  `${keyfile('address1=192.0.2.10/24')}[802-1x]\npassword=hunter2\n`,
);

const kargs = (...args: readonly string[]): Promise<RunResult> =>
  runCli(['pxe', 'kargs', '--base-url', 'http://192.0.2.1', '--embedded', '--static', ...args], {
    cwd: folder,
  });

describe('pxe kargs --static', () => {
  it.each<readonly [title: string, args: readonly string[]]>([
    ['a host of the inventory', ['--inventory', 'inv.yaml', '--host', 'static']],
    ['an nmstate file', ['--nmstate', 'eth0.yaml']],
  ])('writes the network of %s', async (_title, args) => {
    const { code, stdout } = await kargs(...args);
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining(' ip=192.0.2.5:::24::eth0:none rd.neednet=1'),
    ]);
  });

  it('writes OpenStack network data, matched by MAC address', async () => {
    const links = [{ id: 'nic1', type: 'phy', ethernet_mac_address: '52:54:00:12:34:56' }];
    const networks = [{ id: 'n', link: 'nic1', type: 'ipv4', ip_address: '192.0.2.5/24' }];
    writeFileSync(join(folder, 'network_data.json'), JSON.stringify({ links, networks }));
    const { code, stdout } = await kargs('--network-data', 'network_data.json');
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining(' ip=192.0.2.5:::24::52-54-00-12-34-56:none rd.neednet=1'),
    ]);
  });

  it.each<readonly [title: string, file: string, expected: string, warning: RegExp]>([
    [
      'a prefix length that NetworkManager assumes',
      'short',
      ' ip=192.0.2.10::192.0.2.1:24::eth0:none ',
      /^warning: short.nmconnection:7: .* so it uses \/24\n.*\n$/,
    ],
    [
      'a DNS server with the name of its certificate',
      'named',
      ' ip=192.0.2.10::192.0.2.1:24::eth0:none nameserver=192.0.2.53 ',
      /^$/,
    ],
  ])('writes %s', async (_title, file, expected, warning) => {
    const { code, stderr, stdout } = await kargs('--keyfile', `${file}.nmconnection`);
    expect([code, stdout]).toEqual([0, expect.stringContaining(expected)]);
    expect(stderr).toMatch(warning);
  });

  it.each<readonly [title: string, args: readonly string[], place: string, setting: string]>([
    ['a route of another table', ['--nmstate', 'table.yaml'], 'table.yaml:7', 'route0_options=table=100'],
    ['a metric', ['--nmstate', 'metrics.yaml'], 'metrics.yaml:7', 'route0=0.0.0.0/0,198.51.100.1,500'],
    ['a search domain', ['--nmstate', 'search.yaml'], 'search.yaml:7', 'dns-search=example.com'],
    ['that the gateway is not used', ['--nmstate', 'gateway.yaml'], 'gateway.yaml:3', 'never-default=true'],
    ['that the DNS servers are not used', ['--nmstate', 'dns.yaml'], 'dns.yaml:3', 'ignore-auto-dns=true'],
    ['a login', ['--keyfile', 'login.nmconnection'], 'login.nmconnection:11', 'password'],
  ])('refuses %s with its line', async (_title, args, place, setting) => {
    const { code, stderr, stdout } = await kargs(...args);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`error: ${place}`);
    expect(stderr).toContain(`: --static: kernel arguments cannot describe "${setting}" in [`);
    expect(stderr).not.toContain('hunter2');
  });

  it.each<readonly [title: string, args: readonly string[], exit: number, message: string]>([
    ['no network', [], 2, '--static: the network of the host is missing'],
    [
      'a host without network',
      ['--inventory', 'inv.yaml', '--host', 'dhcp'],
      2,
      '--static: the network of the host is missing',
    ],
    [
      'a bridge',
      ['--inventory', 'inv.yaml', '--host', 'bridge'],
      1,
      'cannot describe br0, a connection of type bridge',
    ],
  ])('refuses %s', async (_title, args, exit, message) => {
    const { code, stderr, stdout } = await kargs(...args);
    expect([code, stdout]).toEqual([exit, '']);
    expect(stderr).toContain(message);
    expect(stderr).toMatch(/^hint: (?:pass|use) /m);
  });

  it('reports each error of a network as an error', async () => {
    const { code, stderr } = await kargs('--nmstate', 'two.yaml');
    expect(code).toBe(1);
    expect(stderr.match(/^\w+: (?=two\.yaml:)/gm)).toEqual(['error: ', 'error: ']);
  });
});

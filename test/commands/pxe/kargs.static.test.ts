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
});

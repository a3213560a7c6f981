/** The classes for Kea and dhcpd: the real servers read them, and offer each kind of client its boot file. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dhcpFiles, renderDhcpClasses } from '../../src/kargs/dhcpServers.ts';
import { isoHost, ramdiskHost } from '../kargs/bootFolder.ts';
import { have, oracleNote } from '../support/programs.ts';
import { dhcpCommands, dhcpConfigurations } from './dhcp/servers.ts';

const folderUrl = 'http://192.0.2.1/boot';
const hex = (text: string): string => Buffer.from(text).toString('hex');
const pxe = (architecture: string, more = {}) => ({
  options: { 93: architecture, 60: hex(`PXEClient:Arch:0${architecture}`), ...more },
});
const http = (architecture: string) => ({
  options: { 93: architecture, 60: hex(`HTTPClient:Arch:0${architecture}`) },
});
const isoMac = isoHost.macs[0] ?? '';
const isoUrl = isoHost.start.kind === 'iso' ? isoHost.start.url : '';

const clients: readonly (readonly [title: string, client: object, offer: readonly string[]])[] = [
  ['BIOS', pxe('0000'), ['192.0.2.1', 'undionly.kpxe', '']],
  ['UEFI of x86_64', pxe('0007'), ['192.0.2.1', 'snponly-x86_64.efi', '']],
  ['UEFI of x86_64 by its other number', pxe('0009'), ['192.0.2.1', 'snponly-x86_64.efi', '']],
  ['UEFI of aarch64', pxe('000b'), ['192.0.2.1', 'snponly-aarch64.efi', '']],
  ['iPXE', pxe('0007', { 77: hex('iPXE'), 175: 'b10501' }), ['0.0.0.0', `${folderUrl}/boot.ipxe`, '']],
  ['UEFI HTTP boot', http('0010'), ['0.0.0.0', `${folderUrl}/snponly-x86_64.efi`, 'HTTPClient']],
  ['UEFI HTTP boot of aarch64', http('0013'), ['0.0.0.0', `${folderUrl}/snponly-aarch64.efi`, 'HTTPClient']],
  [
    'UEFI HTTP boot of a host with an ISO',
    { mac: isoMac, ...http('0010') },
    ['0.0.0.0', isoUrl, 'HTTPClient'],
  ],
  ['no boot', { options: {} }, ['0.0.0.0', '', '']],
];

const NETWORK =
  'ip link set lo up; ip link add v0 type veth peer name v1; ip link set v0 up; ip link set v1 up; ip address add 192.0.2.1/24 dev v0; ip address add 192.0.2.250/24 dev v1';

const isRoot = process.getuid?.() === 0;
const note = isRoot ? oracleNote('kea-dhcp4', 'dhcpd') : ' (skipped: only root can make a network)';

describe.skipIf(!isRoot || !have('kea-dhcp4', 'dhcpd'))(`DHCP servers${note}`, () => {
  it.each(['kea', 'isc'] as const)('offer each client its boot file: %s', (server) => {
    const folder = mkdtempSync(join(tmpdir(), 'dhcp-'));
    try {
      const classes = join(folder, dhcpFiles[server]);
      writeFileSync(classes, renderDhcpClasses(server, { folderUrl, hosts: [isoHost, ramdiskHost] }));
      const conf = join(folder, 'conf');
      writeFileSync(conf, dhcpConfigurations[server]({ classes, device: 'v0', network: '192.0.2' }));
      const { check, run } = dhcpCommands[server];
      const script = `${NETWORK}; ${check(conf)} > log 2>&1 || { cat log >&2; exit 1; }; { ${run(conf, 'v0')}; } > log 2>&1 & python3 "$ASK" v1; kill $!; wait`;
      const result = spawnSync('unshare', ['--net', 'sh', '-c', script], {
        cwd: folder,
        encoding: 'utf8',
        env: {
          ...process.env,
          ASK: join(import.meta.dirname, 'dhcp/ask.py'),
          PATH: `${process.env['PATH'] ?? ''}:/usr/sbin`,
        },
        input: clients
          .map(([, client], index) => JSON.stringify({ mac: `52:54:00:00:01:0${index}`, ...client }))
          .join('\n'),
      });
      expect(result.stderr).toBe('');
      const offers: unknown[] = JSON.parse(result.stdout);
      expect(clients.map(([title], index) => [title, offers[index]])).toEqual(
        clients.map(([title, , offer]) => [title, offer]),
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

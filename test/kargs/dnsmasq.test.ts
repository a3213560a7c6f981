/** The configuration of dnsmasq, for each kind of base URL and of addresses. The real dnsmasq reads each of them. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type DnsmasqBoot, parseDhcpRange, renderDnsmasq } from '../../src/kargs/dnsmasq.ts';
import { ipxeLoaders, type NetworkHost } from '../../src/kargs/loaders/loader.ts';
import { have, oracleNote } from '../support/programs.ts';
import { appendedHost, isoHost, ramdiskHost } from './bootFolder.ts';

const hosts = [ramdiskHost, appendedHost, isoHost];
const inFolder = (folderUrl: string, text?: string, of: readonly NetworkHost[] = hosts): DnsmasqBoot => {
  const range = text === undefined ? undefined : parseDhcpRange(text, folderUrl);
  if (range !== undefined && !('kind' in range)) throw new Error(range.message);
  return { folderUrl, loaderUrl: folderUrl, range, hosts: of };
};
const address = 'http://192.0.2.1/boot';

const efiLoaders = { ...ipxeLoaders, x86_64: 'grub/shimx64.efi' };

const forms: readonly (readonly [name: string, boot: DnsmasqBoot])[] = [
  ['proxy', inFolder(address)],
  ['proxy-of-another-network', inFolder(address, '198.51.100.1,proxy')],
  ['range', inFolder(address, '192.0.2.100,192.0.2.200')],
  ['range-without-hosts', inFolder(address, '192.0.2.100,192.0.2.200', [])],
  ['range-of-serve', { ...inFolder(address, '192.0.2.100,192.0.2.200'), loaderUrl: undefined }],
  ['range-with-loaders', { ...inFolder(address, '192.0.2.100,192.0.2.200'), efiLoaders }],
  ['proxy-with-loaders', { ...inFolder(address), efiLoaders }],
  ['name', inFolder('https://boot.example.com:8443/a%20b')],
  ['name-and-range', inFolder('http://boot.example.com', '192.0.2.100,192.0.2.200')],
  ['ipv6', inFolder('http://[2001:db8::1]/boot')],
  ['ipv6-range', inFolder('http://[2001:db8::1]/boot', '2001:db8::100,2001:db8::200')],
  ['ipv6-and-ipv4-range', inFolder('http://[2001:db8::1]:8080', '192.0.2.100,192.0.2.200')],
];

/** What the real dnsmasq says of a configuration. */
const check = (text: string): readonly [status: number | null, message: string] => {
  const folder = mkdtempSync(join(tmpdir(), 'dnsmasq '));
  try {
    writeFileSync(join(folder, 'dnsmasq.conf'), text);
    const { status, stderr } = spawnSync('dnsmasq', ['--test', '-C', 'dnsmasq.conf'], {
      cwd: folder,
      encoding: 'utf8',
    });
    return [status, stderr.trim()];
  } finally {
    rmSync(folder, { recursive: true });
  }
};

describe('dnsmasq.conf', () => {
  it.each(forms)('%s', async (name, boot) => {
    await expect(renderDnsmasq(boot)).toMatchFileSnapshot(`../golden/boot/network/dnsmasq/${name}.conf`);
  });

  describe.skipIf(!have('dnsmasq'))(`dnsmasq${oracleNote('dnsmasq')}`, () => {
    it.each(forms)('accepts %s', (_name, boot) => {
      expect(check(renderDnsmasq(boot))).toEqual([0, 'dnsmasq: syntax check OK.']);
    });

    it('rejects a mistake in any line that is not a comment', () => {
      for (const [, boot] of forms) {
        const lines = renderDnsmasq(boot).split('\n');
        for (const [index, line] of lines.entries()) {
          if (line === '' || line.startsWith('#')) continue;
          const [status] = check(lines.with(index, `${line.split('=')[0]}-x=1`).join('\n'));
          expect([line, status]).toEqual([line, 1]);
        }
      }
    });
  });
});

describe('--dhcp-range', () => {
  it.each<readonly [text: string, url: string, result: object]>([
    ['192.0.2.100,192.0.2.200', address, { kind: 'assigned', first: '192.0.2.100', last: '192.0.2.200' }],
    [' 192.0.2.9 , 192.0.2.9 ', address, { kind: 'assigned', first: '192.0.2.9', last: '192.0.2.9' }],
    ['192.0.2.0,proxy', address, { kind: 'proxy', network: '192.0.2.0' }],
    [
      '2001:DB8::1:0,2001:db8::2:0',
      'http://[2001:db8::1]',
      { kind: 'assigned', family: 6, first: '2001:db8::1:0', last: '2001:db8::2:0' },
    ],
    ['192.0.2.200,192.0.2.100', address, { hint: 'use --dhcp-range 192.0.2.100,192.0.2.200' }],
    ['192.0.2.200,192.0.3.100', address, { kind: 'assigned' }],
    ['192.0.2.0/24', address, { message: 'invalid range of addresses' }],
    ['192.0.2.1', address, { message: 'invalid range of addresses' }],
    ['192.0.2.1,192.0.2.9,1h', address, { message: 'invalid range of addresses' }],
    ['192.0.2.1,2001:db8::1', address, { message: 'invalid range of addresses' }],
    ['192.0.2.1,\nlog-queries', address, { message: 'invalid range of addresses' }],
    ['', address, { message: 'invalid range of addresses' }],
    ['2001:db8::1,proxy', address, { message: 'DHCP for IPv6 has no proxy mode' }],
    [
      '2001:db8::1,2001:db8::2',
      address,
      { message: expect.stringContaining('which is not an IPv6 address') },
    ],
  ])('%j with %s', (text, url, result) => expect(parseDhcpRange(text, url)).toMatchObject(result));
});

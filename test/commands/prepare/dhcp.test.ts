/** `prepare --dhcp`: classes for the DHCP server of the network. */

import { beforeAll, describe, expect, it } from 'vitest';
import { packedIso } from '../../support/minimalIso.ts';
import { place } from './support.ts';

const { prepare, read, write } = place();
beforeAll(async () => {
  await write('full.iso', await packedIso());
});

const images = ['--iso', 'full.iso'];

describe('prepare --dhcp', () => {
  it.each([
    ['kea', 'kea-classes.json', '"data": "http://192.0.2.1/boot/boot.ipxe"'],
    ['isc', 'dhcpd-classes.conf', 'option bootfile-name "http://192.0.2.1/boot/boot.ipxe";'],
  ])('%s', async (server, file, line) => {
    const run = await prepare(...images, '--base-url', 'http://192.0.2.1/boot', '--dhcp', server);
    expect([run.code, run.stderr]).toEqual([0, expect.stringContaining('2 hosts prepared')]);
    expect(read('boot', file)).toContain(line);
    expect(read('boot', 'dnsmasq.conf')).toContain('boot.ipxe');
  });

  it.each([
    ['a name in the base URL', ['--base-url', 'http://boot.example.com']],
    ['no script of iPXE', ['--base-url', 'http://192.0.2.1', '--artifacts', 'ign,grub']],
  ])('needs more than %s', async (_title, args) => {
    const run = await prepare(...images, ...args, '--dhcp', 'kea');
    expect([run.code, run.stderr]).toEqual([
      2,
      expect.stringContaining('--dhcp requires boot scripts for iPXE'),
    ]);
  });
});

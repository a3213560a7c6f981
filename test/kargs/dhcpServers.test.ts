import { describe, expect, it } from 'vitest';
import { dhcpBootServer, dhcpServers, renderDhcpClasses } from '../../src/kargs/dhcpServers.ts';
import { isoHost, ramdiskHost } from './bootFolder.ts';

describe('the classes for DHCP servers', () => {
  it.each(dhcpServers)('%s', async (server) => {
    const text = renderDhcpClasses(server, {
      folderUrl: 'http://192.0.2.1/boot',
      hosts: [ramdiskHost, isoHost],
    });
    await expect(text).toMatchFileSnapshot(`../golden/boot/network/dhcp/${server}`);
  });

  it.each(dhcpServers)('%s with shim of a live ISO', async (server) => {
    const text = renderDhcpClasses(server, {
      folderUrl: 'http://192.0.2.1/boot',
      hosts: [],
      efiLoaders: { x86_64: 'grub/shimx64.efi', aarch64: 'grub/shimaa64.efi' },
    });
    await expect(text).toMatchFileSnapshot(`../golden/boot/network/dhcp/${server}-with-loaders`);
  });

  it.each<[string, string, string | undefined]>([
    ['an address', 'http://192.0.2.1:8080/boot', '192.0.2.1'],
    ['a name', 'http://boot.example.com', undefined],
    ['an address of IPv6', 'http://[2001:db8::1]/', undefined],
    ['no URL', '', undefined],
  ])('need %s', (_title, url, server) => {
    expect(dhcpBootServer(url)).toBe(server);
  });
});

import { describe, expect, it } from 'vitest';
import { bootServerOf, dhcpServers, renderDhcpClasses } from '../../src/kargs/dhcpServers.ts';
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

  it.each([
    ['an address', 'http://192.0.2.1:8080/boot', '192.0.2.1'],
    ['a name', 'http://boot.example.com', 'boot.example.com'],
    ['an address of IPv6', 'http://[2001:db8::1]/', '2001:db8::1'],
    ['no URL', '', ''],
  ])('have a server by the URL of the folder: %s', (_title, url, server) => {
    expect(bootServerOf(url)).toBe(server);
  });
});

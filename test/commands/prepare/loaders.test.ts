/** `prepare --loaders`: shim and GRUB of the live ISO, where each kind of client finds them. */

import { beforeAll, describe, expect, it } from 'vitest';
import { efiProgram, fatImage, signature } from '../../support/fatImage.ts';
import { liveIsoWith } from '../../support/liveIso.ts';
import { expectConsistent, place } from './support.ts';

const here = place();
const { list, prepare, read, run, write } = here;
const url = ['--base-url', 'http://192.0.2.1/boot'];

/** An ISO with these loaders. */
const isoWith = (shim: Buffer): Uint8Array =>
  liveIsoWith((files) =>
    files.set(
      'images/efiboot.img',
      fatImage(
        new Map([
          ['EFI/BOOT/BOOTX64.EFI', shim],
          ['EFI/BOOT/grubx64.efi', efiProgram()],
        ]),
      ),
    ),
  );

beforeAll(async () => {
  await write('signed.iso', isoWith(efiProgram(signature('A vendor'))));
  await write('other.iso', isoWith(efiProgram(signature('Another'))));
});

describe('prepare --loaders', () => {
  it('writes the loaders beside the scripts of GRUB, and names shim for each client of UEFI', async () => {
    const range = ['--dhcp-range', '192.0.2.100,192.0.2.200', '--dhcp', 'kea'];
    const { code } = await prepare('--iso', 'signed.iso', ...url, ...range, '--loaders');
    expect(code).toBe(0);
    expect((await list()).filter((name) => name.startsWith('grub/'))).toEqual([
      'grub/grub.cfg',
      'grub/grub.cfg-01-52-54-00-12-34-56',
      'grub/grub.cfg-01-52-54-00-12-34-57',
      'grub/grubx64.efi',
      'grub/shimx64.efi',
    ]);
    await expectConsistent(here);
    const dnsmasq = read('boot', 'dnsmasq.conf').split('\n');
    expect(dnsmasq.filter((line) => /^dhcp-boot=tag:(?:x86_64|aarch64)/.test(line))).toEqual([
      'dhcp-boot=tag:x86_64,tag:!ipxe,tag:!http,grub/shimx64.efi',
      'dhcp-boot=tag:aarch64,tag:!ipxe,tag:!http,snponly-aarch64.efi',
      'dhcp-boot=tag:x86_64,tag:!ipxe,tag:http,tag:!iso,http://192.0.2.1/boot/grub/shimx64.efi',
      'dhcp-boot=tag:aarch64,tag:!ipxe,tag:http,tag:!iso,http://192.0.2.1/boot/snponly-aarch64.efi',
    ]);
    expect(read('boot', 'kea-classes.json')).toContain('"boot-file-name": "grub/shimx64.efi"');
  });

  it.each([
    ['no ISO', ['--artifacts', 'ign,grub', '--kernel', 'auth.json', '--initramfs', 'auth.json'], '--kernel'],
    [
      'no scripts of GRUB',
      ['--iso', 'signed.iso', '--artifacts', 'ign,ipxe'],
      '--loaders requires grub in --artifacts',
    ],
    [
      'an ISO without loaders',
      ['--iso', 'live.iso'],
      'images/efiboot.img in the ISO is damaged, or not a FAT image',
    ],
    [
      'different loaders for one architecture',
      ['--iso', 'signed.iso', '--iso', 'other/x86_64=other.iso'],
      'the ISOs for x86_64 contain different boot loaders shimx64.efi',
    ],
  ])('refuses %s', async (_title, args, message) => {
    const { code, stderr } = await run([
      'prepare',
      '--inventory=inv.yaml',
      '-o',
      'none',
      ...url,
      '--loaders',
      ...args,
    ]);
    expect([code > 0, stderr]).toEqual([true, expect.stringContaining(message)]);
  });
});

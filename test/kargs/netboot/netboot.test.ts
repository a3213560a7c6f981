/** Machines that boot from the scripts over TFTP. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kernelArguments } from '../../../src/kargs/kernelArguments.ts';
import {
  type NetworkBoot,
  networkBootFiles,
  networkLoaders,
  withBootInterface,
} from '../../../src/kargs/folder.ts';
import { bootFrom, type Machine, NetworkFolder, server } from './machine.ts';
import { ramdiskHost, settings } from '../bootFolder.ts';
import { have, oracleNote } from '../../support/programs.ts';

const shared = {
  ...settings,
  kernelUrl: `${server}/kernel`,
  initramfsUrl: `${server}/initramfs`,
  consoles: ['ttyS0'],
  extraArguments: ['--odd', 'note=a;b&c|d<e>{f}$g*?~`!()#%', 'x=##'],
};
const own = { ...shared, appendedUrls: [`${server}/config.img`] };
const inspected = {
  ...shared,
  ipaParameters: ['inspection-callback-url=https://192.0.2.1/v1/continue_inspection'],
};
const boot: NetworkBoot = {
  hosts: [{ ...ramdiskHost, start: { kind: 'ramdisk', architecture: 'x86_64', settings: own } }],
  discovery: [{ kind: 'ramdisk', architecture: 'x86_64', settings: inspected }],
  loaders: networkLoaders,
};
const known = '52:54:00:12:34:56';
const unknown = '52:54:00:12:34:99';

describe.skipIf(!have('boots by loaders'))(`a machine in QEMU${oracleNote('boots by loaders')}`, () => {
  let folder: NetworkFolder | undefined;
  beforeAll(() => {
    folder = new NetworkFolder(networkBootFiles(boot));
  });
  afterAll(() => folder?.remove());

  it.each<Machine & { readonly title: string }>([
    { title: 'known, by iPXE of the BIOS', mac: known, firmware: 'bios', bootFile: 'boot.ipxe' },
    { title: 'unknown, by iPXE of the BIOS', mac: unknown, firmware: 'bios', bootFile: 'boot.ipxe' },
    { title: 'known, by iPXE of UEFI', mac: known, firmware: 'uefi', bootFile: 'boot.ipxe' },
    { title: 'known, by GRUB', mac: known, firmware: 'uefi', bootFile: 'grubx64.efi' },
    { title: 'unknown, by GRUB', mac: unknown, firmware: 'uefi', bootFile: 'grubx64.efi' },
  ])('$title', async (machine) => {
    const console = await bootFrom(folder?.path ?? '', machine);
    const isKnown = machine.mac === known;
    const expected = kernelArguments(withBootInterface(isKnown ? own : inspected)).join(' ');
    expect(/BOOT-CMDLINE (.*)/.exec(console)?.[1]).toContain(`${expected} BOOTIF=${machine.mac}`);
    expect(console.includes('BOOT-CONFIG from-the-archive')).toBe(isKnown);
  });
});

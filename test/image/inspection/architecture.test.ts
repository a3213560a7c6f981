import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Architecture } from '../../../src/core/architecture.ts';
import { findArchitecture } from '../../../src/image/bootParts.ts';
import { readKernelHeader } from '../../../src/image/kernel.ts';
import { inspectIso } from '../../../src/image/inspection/inspectImage.ts';
import { openIsoTree } from '../../../src/image/isoTree.ts';
import { bytesAccess } from '../../../src/image/overlay.ts';
import { type Layout, liveIso, liveIsoWith } from '../../support/liveIso.ts';

function elf(machine: number): Uint8Array {
  const bytes = Buffer.alloc(64);
  bytes.write('\x7fELF', 'latin1');
  bytes.writeUInt16LE(machine, 18);
  return bytes;
}

function pe(machine: number, header = 128): Uint8Array {
  const bytes = Buffer.alloc(256);
  bytes.write('MZ');
  bytes.writeUInt32LE(header, 60);
  bytes.write('PE\0\0', 128, 'latin1');
  bytes.writeUInt16LE(machine, 132);
  return bytes;
}

const find = async (bytes: Uint8Array): Promise<Architecture | undefined> => {
  const image = bytesAccess(bytes);
  return findArchitecture(await openIsoTree(image));
};

describe('readKernelHeader', () => {
  it.each<[string, Uint8Array, Architecture | undefined]>([
    ['PE of x86_64', pe(0x8664), 'x86_64'],
    ['PE of aarch64', pe(0xaa64), 'aarch64'],
    ['ELF of ppc64le', elf(21), 'ppc64le'],
    ['PE of another machine', pe(0x14c), undefined],
    ['PE whose header is behind the end', pe(0x8664, 0xffff_fff0), undefined],
    ['MZ and nothing else', Buffer.from('MZ'), undefined],
    ['ELF that is cut off', elf(21).subarray(0, 18), undefined],
    ['text', Buffer.from('This is a sample'), undefined],
  ])('%s', async (_title, bytes, architecture) => {
    expect((await readKernelHeader(bytesAccess(bytes)))?.architecture).toBe(architecture);
  });

  it('takes any bytes', async () => {
    const headers = fc.constantFrom('\x7fELF', 'MZ', '');
    await fc.assert(
      fc.asyncProperty(headers, fc.uint8Array({ maxLength: 200 }), async (header, bytes) => {
        const image = bytesAccess(Buffer.concat([Buffer.from(header, 'latin1'), bytes]));
        const found = await readKernelHeader(image);
        expect([undefined, 'x86_64', 'aarch64', 'ppc64le', 's390x']).toContain(found?.architecture);
      }),
    );
  });
});

describe('findArchitecture', () => {
  it.each<[Layout, Architecture]>([
    ['2023-07', 'x86_64'],
    ['2020-09', 'x86_64'],
    ['s390x', 's390x'],
  ])('of layout %s by its files: %s', async (layout, architecture) => {
    expect(await find(liveIso(layout))).toBe(architecture);
  });

  it('believes the kernel more than the files', async () => {
    const bytes = liveIsoWith((files) => files.set('images/pxeboot/vmlinuz', pe(0xaa64)));
    expect(await find(bytes)).toBe('aarch64');
  });

  it.each<[string, Uint8Array, Architecture | undefined, readonly string[]]>([
    ['aarch64, which the builder packs', gzipSync(pe(0xaa64)), 'aarch64', ['UEFI (GRUB)']],
    ['riscv64', pe(0x5064), undefined, ['UEFI (GRUB)']],
    ['riscv64, packed', gzipSync(pe(0x5064)), undefined, ['UEFI (GRUB)']],
  ])(
    'an image with a kernel of %s does not boot by ISOLINUX',
    async (_title, kernel, architecture, loaders) => {
      const bytes = liveIsoWith((files) => files.set('images/pxeboot/vmlinuz', kernel));
      const inspection = await inspectIso(bytesAccess(bytes));
      expect([inspection.architecture, inspection.bootLoaders]).toEqual([architecture, loaders]);
    },
  );

  it.each<[string, readonly string[], Architecture | undefined]>([
    ['EFI alone', ['isolinux/isolinux.cfg'], 'aarch64'],
    ['nothing', ['isolinux/isolinux.cfg', 'EFI/fedora/grub.cfg'], undefined],
  ])('with %s', async (_title, missing, architecture) => {
    const bytes = liveIsoWith((files) => missing.forEach((path) => files.delete(path)));
    expect(await find(bytes)).toBe(architecture);
  });
});

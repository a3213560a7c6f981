/** New ISOs: what is where, and that what works on live ISOs works on them. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../src/core/errors.ts';
import { type NewIso, planIso } from '../../src/image/createIso.ts';
import { changedImage } from '../../src/image/imageChange.ts';
import { OTHER_SYSTEM } from '../../src/image/liveFeatures.ts';
import { openLiveIso } from '../../src/image/liveIso.ts';
import { bytesAccess, zeros, type RandomAccess } from '../../src/image/overlay.ts';
import {
  efiPartition,
  initrd,
  isolinux,
  kernel,
  liveFeatures,
  liveRootfs,
  newIso,
} from '../support/newIso.ts';

const { bios, efi, ...none } = newIso;

function make(iso: NewIso): RandomAccess {
  const change = planIso(iso);
  return changedImage(zeros(change.size), change);
}

async function fileIn(image: RandomAccess, path: string): Promise<Buffer | undefined> {
  const { tree } = await openLiveIso(image);
  const entry = await tree.find(path);
  return entry && Buffer.from(await tree.readFile(entry, { maxBytes: 1024 * 1024 }));
}

async function currentKargs(iso: NewIso): Promise<string | undefined> {
  return (await (await openLiveIso(make(iso))).kargsAreas())?.current.trim();
}

const variants: readonly (readonly [string, NewIso])[] = [
  ['BIOS', { ...none, bios }],
  ['EFI', { ...none, efi }],
  ['both', newIso],
  [
    'several menus of GRUB',
    { ...none, efi: { ...efi, menus: ['EFI/BOOT/grub.cfg', 'EFI/fedora/grub.cfg', 'boot/grub/grub.cfg'] } },
  ],
];

describe('the first sector', () => {
  const code = Buffer.alloc(432, 0x90);
  const hybrid = { ...bios, mbr: code };
  it.each<readonly [string, NewIso]>([
    ['BIOS', { ...none, bios: hybrid }],
    ['EFI', { ...none, efi }],
    ['both', { ...none, bios: hybrid, efi }],
    ['BIOS from a CD only', { ...none, bios }],
  ])('has the code and the partitions from which a disk boots: %s', async (_title, iso) => {
    const image = make(iso);
    const mbr = Buffer.from(await image.read(0, 512));
    const { tree } = await openLiveIso(image);
    const blockOf = async (path: string): Promise<number> => ((await tree.find(path))?.offset ?? NaN) / 512;
    const partition = (at: number): number[] => [
      mbr.readUInt8(at),
      mbr.readUInt8(at + 4),
      mbr.readUInt32LE(at + 8),
      mbr.readUInt32LE(at + 12),
    ];
    const hasCode = iso.bios?.mbr !== undefined;
    const absent = [0, 0, 0, 0];
    const efiBlocks = Math.ceil(efiPartition.length / 512);
    expect({
      code: mbr.subarray(0, 432),
      loader: mbr.readUInt32LE(432),
      whole: partition(446),
      efi: partition(462),
      signature: mbr.toString('hex', 510),
    }).toEqual({
      code: hasCode ? code : Buffer.alloc(432),
      loader: hasCode ? await blockOf('isolinux/isolinux.bin') : 0,
      whole: hasCode ? [0x80, 0, 0, image.size / 512] : absent,
      efi: iso.efi === undefined ? absent : [0, 0xef, await blockOf('images/efiboot.img'), efiBlocks],
      signature: '55aa',
    });
  });
});

describe.each(variants)('an ISO for %s', (_title, iso) => {
  it('has kernel and initramfs as they are', async () => {
    const image = make(iso);
    expect(await fileIn(image, 'images/pxeboot/vmlinuz')).toEqual(kernel);
    expect(await fileIn(image, 'images/pxeboot/initrd.img')).toEqual(initrd);
    expect(await fileIn(image, 'images/efiboot.img')).toEqual(iso.efi && efiPartition);
    expect((await fileIn(image, 'isolinux/isolinux.bin'))?.subarray(64)).toEqual(
      iso.bios && isolinux.subarray(64),
    );
  });

  it('is taken for a live ISO with free areas', async () => {
    const live = await openLiveIso(make(iso));
    expect(live.label).toBe('ipa');
    expect(live.embedArea.length).toBe(262_144);
    expect(await live.embeddedFiles()).toEqual(new Map());
    const areas = await live.kargsAreas();
    const places = (iso.bios === undefined ? 0 : 1) + (iso.efi?.menus.length ?? 0);
    expect(areas).toMatchObject({ defaults: iso.kargs, current: iso.kargs, length: iso.kargs.length + 1024 });
    expect(areas?.places).toHaveLength(places);
    expect(await live.features()).toMatchObject({ installerConfig: false, liveInitrdNetwork: false });
  });

  it('takes files and arguments', async () => {
    const image = make(iso);
    const files = new Map([['config.ign', Buffer.from('{}')]]);
    const change = await (await openLiveIso(image)).change({ files, kargs: 'other' });
    const live = await openLiveIso(changedImage(image, change));
    expect([...(await live.embeddedFiles()).keys()]).toEqual(['config.ign']);
    expect((await live.kargsAreas())?.current).toBe('other');
  });
});

async function features(system: NewIso['system']): Promise<string | undefined> {
  return (await fileIn(make({ ...newIso, system }), 'coreos/features.json'))?.toString();
}

describe('features.json of a new ISO', () => {
  it('is that of the initramfs of CoreOS, keys of later builds included', async () => {
    expect(await features({ build: '44.1', features: Buffer.from(liveFeatures) })).toBe(liveFeatures);
  });

  it('says nothing where that has none', async () => {
    expect(JSON.parse((await features({ build: '44.1' })) ?? '')).toEqual({});
  });

  it('marks another system', async () => {
    expect(JSON.parse((await features({})) ?? '')).toEqual({ [OTHER_SYSTEM]: true });
  });
});

describe('planIso', () => {
  it('puts a root filesystem where CoreOS looks for it', async () => {
    const rootfs = bytesAccess(liveRootfs);
    const image = make({ ...newIso, system: { build: '44.1' }, rootfs });
    expect(await fileIn(image, 'images/pxeboot/rootfs.img')).toEqual(liveRootfs);
    expect(await fileIn(make(newIso), 'images/pxeboot/rootfs.img')).toBeUndefined();
  });

  it('has menus that end the arguments with a line of comment', async () => {
    const image = make(newIso);
    const [bootMenu, grubMenu] = [
      await fileIn(image, 'isolinux/isolinux.cfg'),
      await fileIn(image, 'EFI/BOOT/grub.cfg'),
    ];
    expect(bootMenu?.toString()).toMatch(
      /\n  append initrd=\/images\/pxeboot\/initrd\.img,\/images\/ignition\.img boot_method=vmedia console=ttyS0\n#{1023}\n$/,
    );
    expect(grubMenu?.toString()).toMatch(
      /\n  linux \/images\/pxeboot\/vmlinuz boot_method=vmedia console=ttyS0\n#{1023}\n  initrd \/images\/pxeboot\/initrd\.img \/images\/ignition\.img\n}\n$/,
    );
  });

  it('takes any arguments that fit, and they are found again', async () => {
    const kargs = fc.string({ unit: fc.constantFrom('a', '=', ' ', '"', 'a#', '{', ','), maxLength: 2100 });
    await fc.assert(
      fc.asyncProperty(kargs, async (text) => {
        const isGood = !text.includes('{') && text.trim().length < 2048;
        const found = await currentKargs({ ...none, bios, kargs: text }).catch((error: unknown) => error);
        expect(isGood ? found : found instanceof CliError).toBe(isGood ? text.trim() : true);
      }),
      { numRuns: 30 },
    );
  });

  it.each([
    ['no boot loader', none, 'The ISO requires a boot loader'],
    ['a label with blanks', { ...newIso, label: 'my label' }, 'Invalid label'],
    ['a label that is too long', { ...newIso, label: 'x'.repeat(33) }, 'Invalid label'],
    [
      'arguments with a line break',
      { ...newIso, kargs: 'a\nb' },
      'Unsupported character in the kernel arguments',
    ],
    [
      'arguments that GRUB takes for a command',
      { ...newIso, kargs: 'a;b' },
      'Unsupported character in the kernel arguments',
    ],
    [
      'an argument that is a comment in GRUB',
      { ...newIso, kargs: 'a #b' },
      'Unsupported character in the kernel arguments: "#"',
    ],
    [
      'too many arguments',
      { ...newIso, kargs: 'x'.repeat(2048) },
      'The kernel arguments are too long: 2048 bytes, limit 2047',
    ],
    ['another boot loader', { ...none, bios: { ...bios, isolinux: Buffer.alloc(999) } }, 'is not ISOLINUX'],
    ['half of ISOLINUX', { ...none, bios: { isolinux } }, 'requires its file ldlinux.c32'],
    [
      'a menu outside of the image',
      { ...none, efi: { ...efi, menus: ['../grub.cfg'] } },
      'invalid path for an ISO 9660 image',
    ],
    [
      'a menu in the place of the kernel',
      { ...none, efi: { ...efi, menus: ['images/pxeboot'] } },
      'invalid path for an ISO 9660 image',
    ],
    [
      'a root filesystem for another system',
      { ...newIso, rootfs: bytesAccess(liveRootfs) },
      'does not belong to a CoreOS live system',
    ],
    ['code for an MBR that is too long', { ...none, bios: { ...bios, mbr: Buffer.alloc(600) } }, 'MBR code'],
  ] satisfies [string, NewIso, string][])('refuses %s', (_title, iso, message) => {
    expect(() => planIso(iso)).toThrow(CliError);
    expect(() => planIso(iso)).toThrow(message);
  });
});

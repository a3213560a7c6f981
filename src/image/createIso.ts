/**
 * Creates a bootable ISO from any kernel and initramfs, with the layout of CoreOS live ISOs: an embed area, and reserved
 * areas for kernel arguments in the menus of both boot loaders. So all commands for live ISOs support it, as far as its
 * system does. The user provides the boot loaders. Not supported: s390x, and the data to extract a minimal ISO.
 */

import { quoteText } from '../core/foreignText.ts';
import { readAsset } from '../core/assets.ts';
import { CliError } from '../core/errors.ts';
import { withBootInfoTable } from '../formats/iso9660/bootInfoTable.ts';
import { writeHybridMbr } from '../formats/iso9660/hybridMbr.ts';
import { SECTOR } from '../formats/iso9660/fields.ts';
import { type IsoLayout, layoutIso } from '../formats/iso9660/writer.ts';
import { jsonText } from '../formats/mapping.ts';
import { fillTemplate } from '../formats/template.ts';
import { EMBED_AREA_SIZE } from './embeddedIgnition.ts';
import { trimSpace } from '../formats/goText.ts';
import { splitArguments } from '../kargs/argument.ts';
import type { ImageChange } from './imageChange.ts';
import { OTHER_SYSTEM } from './liveFeatures.ts';
import { type Patch, patchSource, type RandomAccess, zeros } from './overlay.ts';
import type { FoundSystem } from './ramdiskSystem.ts';
import { livePaths } from './livePaths.ts';

export interface NewIso {
  readonly kernel: RandomAccess;
  readonly initrd: RandomAccess;
  readonly system: Pick<FoundSystem, 'build' | 'features'>;
  /** Root filesystem of a CoreOS live system, which finds it by the volume ID. */
  readonly rootfs?: RandomAccess | undefined;
  /** Volume ID: letters, digits, dots, dashes and underscores, at most 32. */
  readonly label: string;
  /** The whole line of kernel arguments. */
  readonly kargs: string;
  /** Time stamp of all files. */
  readonly date: Date;
  /** At least one of `bios` and `efi` is required. */
  readonly bios?: BiosLoader | undefined;
  readonly efi?: EfiLoader | undefined;
}

export interface BiosLoader {
  readonly isolinux: Uint8Array;
  /** The file ldlinux.c32, which ISOLINUX loads from its folder. */
  readonly ldlinux?: Uint8Array | undefined;
  /** MBR code to boot the image from a disk with BIOS: isohdpfx.bin. */
  readonly mbr?: Uint8Array;
}

export interface EfiLoader {
  /** FAT file system that contains GRUB for the architecture. */
  readonly image: RandomAccess;
  /** Paths on the ISO from which that GRUB reads its menu. */
  readonly menus: readonly string[];
}

/** Bytes that are reserved for more arguments, as on live ISOs. */
const KARGS_ROOM = 1024;
/** Limit of the kernel on x86_64 and aarch64, including the terminating zero. */
const MAX_KARGS = 2048;

/**
 * Returns the image as the change of an empty image.
 * @throws CliError for an invalid label, invalid arguments, boot loaders or root filesystem
 */
export function planIso(iso: NewIso): ImageChange & { readonly size: number } {
  if (!/^[A-Za-z0-9._-]{1,32}$/.test(iso.label)) {
    throw new CliError(`Invalid label for an ISO: ${quoteText(iso.label)}`, {
      code: 'ERR_SETTING',
      hint: 'use at most 32 letters, digits, dots, dashes and underscores',
    });
  }
  if (iso.rootfs !== undefined && iso.system.build === undefined) {
    throw new CliError(
      'The initramfs does not belong to a CoreOS live system, so it does not use a root filesystem',
      { code: 'ERR_IMAGE', hint: 'remove --rootfs, or use the initramfs of the same CoreOS build' },
    );
  }
  if (iso.bios === undefined && iso.efi === undefined) {
    throw new CliError('The ISO requires a boot loader', {
      code: 'ERR_USAGE',
      hint: 'add --isolinux FILE for BIOS, --efi-image FILE for UEFI, or both',
    });
  }
  const text = Buffer.from(iso.bios?.isolinux ?? []).toString('latin1');
  if (iso.bios !== undefined && !text.includes('ISOLINUX')) {
    throw new CliError('The BIOS boot loader is not ISOLINUX', {
      code: 'ERR_FORMAT',
      hint: 'use isolinux.bin of syslinux, for example /usr/lib/ISOLINUX/isolinux.bin',
    });
  }
  // Since version 5, ISOLINUX consists of two files.
  if (text.includes('ldlinux.c32') && iso.bios?.ldlinux === undefined) {
    throw new CliError('ISOLINUX requires its file ldlinux.c32', {
      code: 'ERR_USAGE',
      hint: 'add the file of the same version: --ldlinux /usr/lib/syslinux/modules/bios/ldlinux.c32',
    });
  }
  const kargs = checkedKargs(iso.kargs);
  const files = filesOf(iso, kargs);
  const layout = layoutIso(
    {
      volumeId: iso.label,
      date: iso.date,
      boot: {
        ...(iso.bios !== undefined && { bios: livePaths.isolinux }),
        ...(iso.efi !== undefined && { efi: livePaths.efi }),
      },
    },
    [...files].map(([path, { size }]) => ({ path, size })),
  );
  return { patches: patchesFor(iso, files, layout), size: layout.size };
}

/** Refuses special characters, because the arguments are a part of a command in the menu of GRUB. */
function checkedKargs(kargs: string): string {
  const text = trimSpace(kargs);
  const isComment = splitArguments(text).some((argument) => argument.startsWith('#'));
  const strange = /[^ -~]|[;&|<>{}$`\\]/.exec(text)?.[0] ?? (isComment ? '#' : undefined);
  if (strange !== undefined) {
    throw new CliError(
      `Unsupported character in the kernel arguments: ${quoteText(strange)} is special to a boot loader`,
      { code: 'ERR_SETTING', hint: 'remove the character from the --karg option' },
    );
  }
  if (text.length < MAX_KARGS) return text;
  throw new CliError(`The kernel arguments are too long: ${text.length} bytes, limit ${MAX_KARGS - 1}`, {
    code: 'ERR_TOO_LARGE',
    hint: 'remove some of the --karg options',
  });
}

/** The embed area comes last. */
function filesOf(iso: NewIso, kargs: string): Map<string, RandomAccess> {
  const { bios, efi, initrd, kernel, rootfs, system } = iso;
  const length = Math.min(kargs.length + KARGS_ROOM, MAX_KARGS);
  const area = `${kargs}\n`.padEnd(length, '#');
  const menus = [...renderMenus(iso, area)];
  const places = menus.map(([path, text]) => ({ path, offset: text.indexOf(area), pad: '#', end: '\n' }));
  const files: readonly (readonly [path: string, content: RandomAccess | Uint8Array | undefined])[] = [
    [livePaths.features, features(system)],
    [livePaths.embedInfo, Buffer.from(jsonText({ file: livePaths.embedArea }))],
    [livePaths.kargsInfo, Buffer.from(jsonText({ default: kargs, files: places, size: length }))],
    ...menus.map(([path, text]) => [path, Buffer.from(text)] as const),
    ['isolinux/ldlinux.c32', bios?.ldlinux],
    [livePaths.isolinux, bios?.isolinux],
    [livePaths.efi, efi?.image],
    [livePaths.kernel, kernel],
    [livePaths.initramfs, initrd],
    [livePaths.rootfs, rootfs],
    [livePaths.embedArea, zeros(EMBED_AREA_SIZE)],
  ];
  return new Map(
    files.flatMap(([path, data]) => (data === undefined ? [] : [[path, patchSource({ offset: 0, data })]])),
  );
}

function renderMenus({ bios, efi, label }: NewIso, kargs: string): Map<string, string> {
  const { embedArea: area, initramfs: initrd, kernel } = livePaths;
  const values = { kernel, initrd, area, kargs };
  const menus = new Map<string, string>();
  if (bios !== undefined) {
    menus.set(livePaths.isolinuxMenu, fillTemplate(readAsset('templates/image/isolinux.cfg'), values));
  }
  for (const path of efi?.menus ?? []) {
    menus.set(path, fillTemplate(readAsset('templates/image/grub.cfg'), { ...values, label }));
  }
  return menus;
}

/** The features of the live system are the features of its ISO. */
function features({ build, features: known }: NewIso['system']): Uint8Array {
  return known ?? Buffer.from(jsonText(build === undefined ? { [OTHER_SYSTEM]: true } : {}));
}

function patchesFor(iso: NewIso, files: ReadonlyMap<string, RandomAccess>, layout: IsoLayout): Patch[] {
  const sectorOf = (path: string): number => (layout.files.get(path)?.offset ?? 0) / SECTOR;
  const patches: Patch[] = [
    {
      offset: 0,
      data: writeHybridMbr({
        imageSize: layout.size,
        ...(iso.bios?.mbr !== undefined && {
          bios: { code: iso.bios.mbr, loaderSector: sectorOf(livePaths.isolinux) },
        }),
        ...(iso.efi !== undefined && { efi: { sector: sectorOf(livePaths.efi), size: iso.efi.image.size } }),
      }),
    },
    ...layout.pieces,
  ];
  for (const [path, data] of files) {
    const offset = layout.files.get(path)?.offset ?? 0;
    const isLoader = path === livePaths.isolinux && iso.bios !== undefined;
    patches.push({ offset, data: isLoader ? withBootInfoTable(iso.bios.isolinux, offset / SECTOR) : data });
  }
  return patches;
}

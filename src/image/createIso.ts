/**
 * A bootable ISO of any kernel and initramfs, in the layout of the live ISOs of CoreOS: the embed area for files that the
 * kernel unpacks, and the areas for kernel arguments in the menus of both boot loaders, so that all commands for live ISOs
 * work on it, as far as its system does. The boot loaders are the user's. Leaves out s390x, and the data from which a
 * minimal ISO would be extracted.
 */

import { readAsset } from '../assets.ts';
import { CliError } from '../core/errors.ts';
import { withBootInfoTable, writeHybridMbr } from '../formats/iso9660/biosBoot.ts';
import { SECTOR } from '../formats/iso9660/fields.ts';
import { type IsoLayout, layoutIso } from '../formats/iso9660/writer.ts';
import { fillTemplate } from '../formats/template.ts';
import { EMBED_AREA_SIZE } from './embeddedIgnition.ts';
import { trimKargs } from './kargsEdit.ts';
import { OTHER_SYSTEM } from './liveFeatures.ts';
import { bytesAccess, type Patch, type RandomAccess, zeros } from './overlay.ts';
import type { RamdiskSystem } from './ramdiskSystem.ts';

export interface NewIso {
  readonly kernel: RandomAccess;
  /** All of it is handed to the kernel as it is. */
  readonly initrd: RandomAccess;
  /** What that initramfs boots. */
  readonly system: RamdiskSystem;
  /** Root filesystem of a CoreOS live system, which finds it by the label. */
  readonly rootfs?: RandomAccess;
  /** Volume ID: letters, digits, dots, dashes and underscores, at most 32. */
  readonly label: string;
  /** The whole line of kernel arguments. */
  readonly kargs: string;
  /** Stamped on all files. */
  readonly date: Date;
  /** At least one of the two. */
  readonly bios?: BiosLoader;
  readonly efi?: EfiLoader;
}

export interface BiosLoader {
  /** The file isolinux.bin. */
  readonly isolinux: Uint8Array;
  /** What it loads from its folder, by name: `ldlinux.c32`. */
  readonly modules: ReadonlyMap<string, Uint8Array>;
  /** Code by which a BIOS boots the image from a disk: isohdpfx.bin. */
  readonly mbr?: Uint8Array;
}

export interface EfiLoader {
  /** A FAT file system with the boot loader of the architecture, which has to be GRUB. */
  readonly image: RandomAccess;
  /** Where on the ISO that GRUB looks for its menu. */
  readonly menus: readonly string[];
}

/** What the image holds where it is not zero, and its size in bytes. */
export interface PlannedIso {
  readonly patches: readonly Patch[];
  readonly size: number;
}

const PATHS = {
  kernel: 'images/pxeboot/vmlinuz',
  initrd: 'images/pxeboot/initrd.img',
  rootfs: 'images/pxeboot/rootfs.img',
  area: 'images/ignition.img',
  efi: 'images/efiboot.img',
  isolinux: 'isolinux/isolinux.bin',
  isolinuxMenu: 'isolinux/isolinux.cfg',
} as const;

/** Bytes behind the arguments for later ones, as live ISOs have them. */
const KARGS_ROOM = 1024;
/** Of the kernel on x86_64 and aarch64, with the zero at the end; areas cannot be larger. */
const MAX_KARGS = 2048;

/** @throws CliError for a label, arguments, loaders or a root filesystem that do not work */
export function planIso(iso: NewIso): PlannedIso {
  checkLabel(iso.label);
  checkSystem(iso);
  checkLoaders(iso);
  const kargs = checkedKargs(iso.kargs);
  const files = new Map([...smallFiles(iso, kargs), ...largeFiles(iso)]);
  const layout = layoutIso(
    {
      volumeId: iso.label,
      date: iso.date,
      boot: {
        ...(iso.bios !== undefined && { bios: PATHS.isolinux }),
        ...(iso.efi !== undefined && { efi: PATHS.efi }),
      },
    },
    [...files].map(([path, { size }]) => ({ path, size })),
  );
  return { patches: patchesFor(iso, files, layout), size: layout.size };
}

function checkLabel(label: string): void {
  if (/^[A-Za-z0-9._-]{1,32}$/.test(label)) return;
  throw new CliError(`Not a label for an ISO: ${JSON.stringify(label)}`, {
    code: 'ERR_SETTING',
    hint: 'use at most 32 letters, digits, dots, dashes and underscores',
  });
}

function checkSystem({ rootfs, system }: NewIso): void {
  if (rootfs === undefined || system.kind === 'coreos') return;
  throw new CliError(
    'The initramfs is none of a CoreOS live system, which would look for a root filesystem',
    { code: 'ERR_IMAGE', hint: 'leave the root filesystem out, or give the initramfs of the same build' },
  );
}

function checkLoaders({ bios, efi }: NewIso): void {
  if (bios === undefined && efi === undefined) {
    throw new CliError('Without a boot loader the ISO would not boot', {
      code: 'ERR_USAGE',
      hint: 'name isolinux.bin for BIOS (--isolinux), an EFI system partition image for UEFI (--efi-image), or both',
    });
  }
  const text = Buffer.from(bios?.isolinux ?? []).toString('latin1');
  if (bios !== undefined && !text.includes('ISOLINUX')) {
    throw new CliError('The BIOS boot loader is not ISOLINUX', {
      code: 'ERR_FORMAT',
      hint: 'use isolinux.bin of syslinux, e.g. /usr/lib/ISOLINUX/isolinux.bin',
    });
  }
  // Since version 5 ISOLINUX is in two parts.
  if (text.includes('ldlinux.c32') && bios?.modules.has('ldlinux.c32') !== true) {
    throw new CliError('ISOLINUX does not start without its file ldlinux.c32', {
      code: 'ERR_USAGE',
      hint: 'name the one of the same version, e.g. --ldlinux /usr/lib/syslinux/modules/bios/ldlinux.c32',
    });
  }
}

/** In the menu of GRUB they are a part of a command. */
function checkedKargs(kargs: string): string {
  const text = trimKargs(kargs);
  const strange = /[^ -~]|[;&|<>{}$`\\]/.exec(text)?.[0];
  if (strange !== undefined) {
    throw new CliError(
      `Kernel arguments with ${JSON.stringify(strange)} do not reach the kernel through a boot loader`,
      { code: 'ERR_SETTING', hint: 'leave the character out' },
    );
  }
  if (text.length < MAX_KARGS) return text;
  throw new CliError(`The kernel takes ${MAX_KARGS - 1} bytes of arguments, and these are ${text.length}`, {
    code: 'ERR_TOO_LARGE',
    hint: 'leave some of them out',
  });
}

/** What describes the image to boot loaders and to the commands for live ISOs. */
function smallFiles(iso: NewIso, kargs: string): Map<string, RandomAccess> {
  const length = Math.min(kargs.length + KARGS_ROOM, MAX_KARGS);
  const area = `${kargs}\n`.padEnd(length, '#');
  const menus = renderMenus(iso, area);
  const places = [...menus].map(([path, text]) => ({
    path,
    offset: text.indexOf(area),
    pad: '#',
    end: '\n',
  }));
  const texts: [string, string][] = [
    ['coreos/igninfo.json', jsonText({ file: PATHS.area })],
    ['coreos/kargs.json', jsonText({ default: kargs, files: places, size: length })],
    ...menus,
  ];
  const modules = [...(iso.bios?.modules ?? [])];
  return new Map([
    ['coreos/features.json', bytesAccess(features(iso.system))],
    ...texts.map(([path, text]): [string, RandomAccess] => [path, bytesAccess(Buffer.from(text))]),
    ...modules.map(([name, data]): [string, RandomAccess] => [`isolinux/${name}`, bytesAccess(data)]),
  ]);
}

function renderMenus({ bios, efi, label }: NewIso, kargs: string): Map<string, string> {
  const { area, initrd, kernel } = PATHS;
  const values = { kernel, initrd, area, kargs };
  const menus = new Map<string, string>();
  if (bios !== undefined) {
    menus.set(PATHS.isolinuxMenu, fillTemplate(readAsset('templates/image/isolinux.cfg'), values));
  }
  for (const path of efi?.menus ?? []) {
    menus.set(path, fillTemplate(readAsset('templates/image/grub.cfg'), { ...values, label }));
  }
  return menus;
}

/** What the live system says of itself holds for its ISO as well. */
function features(system: RamdiskSystem): Uint8Array {
  if (system.kind === 'coreos' && system.features !== undefined) return system.features;
  return Buffer.from(jsonText(system.kind === 'coreos' ? {} : { [OTHER_SYSTEM]: true }));
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** The embed area comes last. */
function largeFiles({ bios, efi, initrd, kernel, rootfs }: NewIso): Map<string, RandomAccess> {
  return new Map([
    ...(bios === undefined ? [] : ([[PATHS.isolinux, bytesAccess(bios.isolinux)]] as const)),
    ...(efi === undefined ? [] : ([[PATHS.efi, efi.image]] as const)),
    [PATHS.kernel, kernel],
    [PATHS.initrd, initrd],
    ...(rootfs === undefined ? [] : ([[PATHS.rootfs, rootfs]] as const)),
    [PATHS.area, zeros(EMBED_AREA_SIZE)],
  ]);
}

function patchesFor(iso: NewIso, files: ReadonlyMap<string, RandomAccess>, layout: IsoLayout): Patch[] {
  const patches: Patch[] = [{ offset: 0, data: hybridMbr(iso, layout) }, ...layout.pieces];
  for (const [path, data] of files) {
    const offset = layout.files.get(path)?.offset ?? 0;
    if (path === PATHS.isolinux && iso.bios !== undefined) {
      patches.push({ offset, data: withBootInfoTable(iso.bios.isolinux, offset / SECTOR) });
    } else if (path !== PATHS.area && data.size > 0) patches.push({ offset, data });
  }
  return patches;
}

function hybridMbr({ bios, efi }: NewIso, { files, size }: IsoLayout): Uint8Array {
  const sectorOf = (path: string): number => (files.get(path)?.offset ?? 0) / SECTOR;
  return writeHybridMbr({
    imageSize: size,
    ...(bios?.mbr !== undefined && { bios: { code: bios.mbr, loaderSector: sectorOf(PATHS.isolinux) } }),
    ...(efi !== undefined && { efi: { sector: sectorOf(PATHS.efi), size: efi.image.size } }),
  });
}

/** `iso create`: creates a bootable ISO from any kernel and initramfs, with the boot loaders of the user. */

import { dirname, join } from 'node:path';
import { CliError, located } from '../../core/errors.ts';
import { type BiosLoader, type EfiLoader, planIso } from '../../image/createIso.ts';
import { findEfiStub } from '../../image/efiStub.ts';
import { changedImage } from '../../image/imageChange.ts';
import { findRamdiskSystem, type FoundSystem, ramdiskKargs } from '../../image/ramdiskSystem.ts';
import { chunksOf, zeros } from '../../image/overlay.ts';
import { writeChange } from '../../imagefile/copyImage.ts';
import { readUserFile } from '../../io/files/files.ts';
import { createFile } from '../../io/files/newFile.ts';
import type { OpenImage } from '../../imagefile/openImage.ts';
import { withOpened } from '../../imagefile/imageFile.ts';
import { checkOutput, modeForFiles, outputFile } from '../../imagefile/imageOutput.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { sourceDate } from '../../io/sourceDate.ts';
import { writeStdout } from '../../io/stdout.ts';
import { refuseUnused } from '../../io/report/choices.ts';
import { report } from '../../io/report/report.ts';
import { requireContents } from '../../hosts/input/imageContents.ts';
import { type PartFiles, type PartFlags, requireOneBuild, requireRole } from '../../hosts/input/liveParts.ts';
import type { CreateIsoOptions } from './options.ts';

const flags: PartFlags = { kernel: '-k', initramfs: '-i', rootfs: '--rootfs' };
const USUAL_LABEL = 'ironic-python-agent';
/** The path in the ISOs that Ironic builds. */
const USUAL_MENUS = ['EFI/BOOT/grub.cfg'];
const MAX_LOADER = 4 * 1024 * 1024;

export async function createIso(options: CreateIsoOptions, io: Io): Promise<ExitCode> {
  const file = outputFile(options, io);
  refuseUnused(options, [
    ['efiImage', ['grubConfig']],
    ['isolinux', ['ldlinux', 'isohybridMbr']],
  ]);
  const inputs = [options.kernel, options.initrd, options.rootfs, options.efiImage, options.isolinux];
  await checkOutput(file, inputs, io);
  const date = sourceDate(io) ?? new Date();
  const bios = await readBiosLoader(options, io);
  await withOpened(io, async (openAny) => {
    const open = async (path: string, what: string): Promise<OpenImage> => {
      const image = await openAny(path, what);
      if (image.size > 0) return image;
      throw new CliError(`${path} is empty`, { code: 'ERR_IMAGE', hint: `download or build ${path} again` });
    };
    const kernel = await open(options.kernel, 'Kernel');
    const initrd = await open(options.initrd, 'Initramfs');
    const rootfs = options.rootfs === undefined ? undefined : await open(options.rootfs, 'Root filesystem');
    const efiImage = options.efiImage === undefined ? undefined : await open(options.efiImage, 'EFI image');
    const parts: PartFiles = { kernel, initramfs: initrd, ...(rootfs !== undefined && { rootfs }) };
    await requireRole('kernel', kernel, flags);
    await requireRole('initramfs', initrd, flags);
    if (rootfs !== undefined) await requireRole('rootfs', rootfs, flags);
    await requireOneBuild(parts);
    const system = await readSystem(initrd, io);
    const label = options.label ?? USUAL_LABEL;
    const kargs = ramdiskKargs(system, options.karg, rootfs && label);
    requireContents({ kargs, files: system.embedded, build: system.build }, { io, options: {} });
    const iso = planIso({
      kernel,
      initrd,
      rootfs,
      system,
      label,
      date,
      bios,
      kargs,
      efi: efiImage && (await efiLoader(efiImage, options, label, io)),
    });
    const mode = modeForFiles(file?.mode, system.embedded ?? new Map(), io);
    if (file !== undefined) return createFile({ ...file, mode }, ({ handle }) => writeChange(handle, iso));
    const bytes = changedImage(zeros(iso.size), iso);
    await writeStdout(io, chunksOf(bytes, { offset: 0, length: iso.size }));
  });
  return 0;
}

async function readBiosLoader(options: CreateIsoOptions, io: Io): Promise<BiosLoader | undefined> {
  const { isohybridMbr, isolinux, ldlinux } = options;
  if (isolinux === undefined) return undefined;
  const read = (path: string, what: string): Promise<Uint8Array> =>
    readUserFile(path, io, { what, maxBytes: MAX_LOADER });
  return {
    // A later check reports that the default file is missing, if it is required.
    ldlinux: await (ldlinux === undefined
      ? read(join(dirname(isolinux), 'ldlinux.c32'), 'ldlinux.c32').catch(() => undefined)
      : read(ldlinux, 'ldlinux.c32')),
    isolinux: await read(isolinux, 'isolinux.bin'),
    ...(isohybridMbr !== undefined && { mbr: await read(isohybridMbr, 'MBR code') }),
  };
}

const HEAD = 1024;

/** An initramfs that this program cannot read is only a warning: the kernel may support it. */
async function readSystem(initrd: OpenImage, io: Io): Promise<FoundSystem> {
  const system = await located({ subject: `${initrd.name}:` }, () => findRamdiskSystem(initrd));
  if (system.problem !== undefined) {
    const message = `${initrd.name} is treated as an initramfs that is not CoreOS: ${system.problem}`;
    const hint = 'download the file again if it is an initramfs of CoreOS';
    report(io, { severity: 'warning', message, hint });
  }
  return system;
}

async function efiLoader(
  image: OpenImage,
  { grubConfig = USUAL_MENUS }: CreateIsoOptions,
  label: string,
  io: Io,
): Promise<EfiLoader> {
  const head = Buffer.from(await image.read(0, Math.min(HEAD, image.size)));
  const isFat = ['FAT1', 'FAT3'].some((mark) =>
    [54, 82].some((offset) => head.toString('latin1', offset, offset + 4) === mark),
  );
  if (!isFat || head.toString('latin1', 510, 512) !== '\x55\xaa') {
    throw new CliError(`${image.name} is not an image of an EFI system partition: no FAT file system found`, {
      code: 'ERR_IMAGE',
      hint: 'use images/efiboot.img of a live ISO, or create an image with mkfs.vfat and mcopy',
    });
  }
  const menus = grubConfig.map((path) => path.replace(/^\/+/, ''));
  const stub = await findEfiStub(image);
  if (stub !== undefined && !menus.includes(stub.menu)) {
    throw new CliError(`GRUB in ${image.name} reads ${stub.menu}, which the ISO does not contain`, {
      code: 'ERR_SETTING',
      hint: `add --grub-config ${stub.menu} --label ${stub.label}`,
    });
  }
  if (stub !== undefined && label !== stub.label) {
    report(io, {
      severity: 'warning',
      message: `GRUB in ${image.name} does not find its menu if UEFI boots the ISO from a USB disk: it searches for the label ${stub.label}, and the ISO has the label ${label}`,
      hint: `use --label ${stub.label}`,
    });
  }
  return { image, menus };
}

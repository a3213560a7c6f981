/** Declares `iso create`. */

import type { Command } from 'commander';
import { type Context, EXIT_CODES, refuseRepeatedOptions, repeated } from '../io/commandLine.ts';
import { declareNewFile, type NewFileOptions } from '../customize/outputOptions.ts';

const NOTES = `
The ISO has the layout of CoreOS live ISOs, so that the other commands for them
work on it: \`iso kargs modify\` changes the kernel arguments, \`iso ignition
embed --initrd-file\` adds files to the initramfs.
With the initramfs of a CoreOS live system, Ignition configs, network settings
and \`iso customize\` work as on its own live ISO. --rootfs puts its root
filesystem on the medium; without, name it by coreos.live.rootfs_url=. What that
system needs besides is put before the arguments of --karg.
Other ramdisks have no Ignition and take no network settings: on their ISOs an
embedded config has no effect, and kernel arguments and added files have one.
Boot loaders are taken from the host or from another ISO. For BIOS: isolinux.bin
and ldlinux.c32 of syslinux. For UEFI: an image of an EFI system partition with
GRUB, which has to look for its menu where --grub-config says; that of a live
ISO, images/efiboot.img, looks for EFI/fedora/grub.cfg or EFI/redhat/grub.cfg on
a medium with the --label of that ISO.
From a USB disk UEFI boots it as it is, and a BIOS with --isohybrid-mbr.
SOURCE_DATE_EPOCH in the environment makes equal input give equal images.
${EXIT_CODES}
Examples:
  ironic-coreos iso create -o ipa.iso -k ipa.kernel -i ipa.initramfs \\
    --isolinux /usr/lib/ISOLINUX/isolinux.bin \\
    --ldlinux /usr/lib/syslinux/modules/bios/ldlinux.c32
  ironic-coreos iso create -o ipa.iso -k ipa.kernel -i ipa.initramfs \\
    --efi-image esp.img --karg boot_method=vmedia --karg console=ttyS0
  ironic-coreos iso create -o live.iso -k live-kernel -i live-initramfs.img \\
    --rootfs live-rootfs.img --efi-image esp.img
`;

/** As commander gives them. */
interface CreateOptions extends NewFileOptions {
  readonly output: string;
  readonly kernel: string;
  readonly initrd: string;
  readonly rootfs?: string;
  readonly isolinux?: string;
  readonly ldlinux?: string;
  readonly isohybridMbr?: string;
  readonly efiImage?: string;
  readonly grubConfig?: readonly string[];
  readonly karg?: readonly string[];
  readonly label?: string;
}

export function declareIsoCreate(command: Command, context: Context): void {
  command
    .description(
      'Makes a bootable ISO of any kernel and initramfs, such as those of ironic-python-agent-builder.',
    )
    .requiredOption('-o, --output <path>', 'new file for the ISO; "-" is standard output')
    .requiredOption('-k, --kernel <path>', 'kernel')
    .requiredOption('-i, --initrd <path>', 'initramfs')
    .option('--rootfs <path>', 'root filesystem of a CoreOS live system')
    .option('--isolinux <path>', 'isolinux.bin: the ISO boots with BIOS')
    .option('--ldlinux <path>', 'its ldlinux.c32 (default: the one beside isolinux.bin)')
    .option('--isohybrid-mbr <path>', 'isohdpfx.bin: a BIOS boots it from a USB disk, too')
    .option('--efi-image <path>', 'EFI system partition with GRUB: the ISO boots with UEFI')
    .addOption(
      repeated(
        '--grub-config <path>',
        'where that GRUB finds its menu (default: EFI/BOOT/grub.cfg); repeatable',
      ),
    )
    .addOption(
      repeated('--karg <arg>', 'kernel argument (default, but for CoreOS: boot_method=vmedia); repeatable'),
    )
    .option('--label <label>', 'volume ID (default: ironic-python-agent)');
  declareNewFile(command)
    .addHelpText('after', NOTES)
    .action(async (options: CreateOptions) => {
      const { createIso } = await import('./create.ts');
      context.finish(await createIso(options, context.io));
    });
  refuseRepeatedOptions(command);
}

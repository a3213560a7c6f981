/** Declares `iso`, the commands for live ISOs. */

import type { Command } from 'commander';
import {
  argumentRun,
  declareTable,
  type CommandTable,
  choice,
  type Context,
  EXIT_CODES,
  declareRun,
  declareShortHelp,
  declareOptions,
  FILES_DIR,
} from '../../io/commandLine.ts';
import {
  CUSTOMIZE_NOTES,
  declareCustomizeOptions,
  declareEmbedding,
  declareNewFile,
  declareResult,
  ISO,
  OVERWRITE_FILES,
} from '../customize/commandOptions.ts';
import type { CreateIsoOptions } from './create.ts';

const CREATE_NOTES = `
Layout:
  The ISO has the layout of a CoreOS live ISO, so the other \`iso\` commands
  support it: \`iso kargs modify\` changes the kernel arguments, and \`iso
  ignition embed --initrd-file\` adds files to the initramfs.

Ramdisks:
  If the initramfs belongs to a CoreOS live system, the ISO supports Ignition
  configs, network settings and \`iso customize\`. --rootfs adds the root
  filesystem to the ISO; without --rootfs, set its URL with
  --karg coreos.live.rootfs_url=URL. The arguments that CoreOS requires are
  added before the arguments of --karg.
  Other ramdisks support neither Ignition nor network settings. On their ISOs
  only kernel arguments and added files have an effect.

Boot loaders:
  The boot loaders come from this machine or from another ISO.
  BIOS: isolinux.bin and ldlinux.c32 of syslinux.
  UEFI: an image of an EFI system partition that contains GRUB. --grub-config
  names the file that this GRUB reads. The image of a live ISO,
  images/efiboot.img, reads EFI/fedora/grub.cfg or EFI/redhat/grub.cfg, and
  requires the --label of that live ISO.
  USB disks: UEFI boots the ISO from a disk; a BIOS requires --isohybrid-mbr.

Environment:
  SOURCE_DATE_EPOCH sets the time stamps, so that equal input creates equal
  images.
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

/** The options of \`iso customize\` that most users need. */
const CUSTOMIZE_COMMON = [
  '--dest-ignition',
  '--dest-device',
  '--dest-console',
  '--dest-karg-append',
  '--network-keyfile',
  '--network-nmstate',
  '--ignition-ca',
  '--installer-config',
  '--live-ignition',
  '--live-karg-append',
  '--force',
  '--output',
  '--overwrite',
];

const CUSTOMIZE_ISO_REFERENCE = `${CUSTOMIZE_NOTES}
Repeated runs:
  --force replaces all embedded files. The live kernel arguments are the default
  arguments of the image, edited in this order: --live-karg-delete,
  --live-karg-append, --live-karg-replace.
`;

const CUSTOMIZE_ISO_NOTES = `${EXIT_CODES}
Examples:
  ironic-coreos iso customize --live-ignition ironic-agent.ign \\
    --network-nmstate worker-0.yaml -o worker-0.iso coreos.iso
  ironic-coreos iso customize --dest-device /dev/sda --dest-ignition site.ign \\
    --dest-console ttyS0,115200n8 -o install.iso coreos.iso
`;

const PXE_NOTES = `
The file names begin with the name of the ISO: coreos.iso becomes
coreos-vmlinuz, coreos-initrd.img and coreos-rootfs.img. The command prints
their paths, and fails if one of the files exists. The files do not include the
configs and settings that are embedded in the ISO; use "pxe customize" or
"pxe ignition wrap" to add them.
${EXIT_CODES}
Example:
  ironic-coreos iso extract pxe -o /srv/tftp coreos.iso
`;

const MINIMAL_ISO_NOTES = `
The minimal ISO is about a tenth as large as the live ISO. While it boots, it
fetches its root filesystem from the URL in coreos.live.rootfs_url=, which
--rootfs-url sets. The live ISO must be unmodified; customize the minimal ISO
instead.
${EXIT_CODES}
Examples:
  ironic-coreos iso extract minimal-iso coreos.iso > minimal.iso
  ironic-coreos iso extract minimal-iso --output-rootfs rootfs.img \\
    --rootfs-url https://192.0.2.1/rootfs.img coreos.iso minimal.iso
`;

const MODIFY_NOTES = `
The command deletes arguments first, then appends, then replaces; the order of
the options has no effect. --delete removes whole arguments; "a b" removes two
adjacent arguments. --replace requires exactly two "=" signs; if a value is
empty or contains "=", use --delete and --append. If an argument to delete or to
replace is not found, the command prints a warning.
${EXIT_CODES}
Examples:
  ironic-coreos iso kargs modify -a console=ttyS0,115200n8 coreos.iso
  ironic-coreos iso kargs modify -d mitigations=auto,nosmt \\
    -r ignition.platform.id=metal=openstack -o ipa.iso coreos.iso
`;

const RESET_KARGS_NOTES = `${EXIT_CODES}
Example:
  ironic-coreos iso kargs reset coreos.iso
`;

const SHOW_NOTES = `
The JSON contains "current", "default", the "length" of the reserved area in
bytes, and the number of "free" bytes in it.
${EXIT_CODES}
Examples:
  ironic-coreos iso kargs show coreos.iso
  ironic-coreos iso kargs show --format json coreos.iso | jq .free
`;

const RESET_NOTES = `
The result is byte for byte the released image. The command fails if a reserved
area cannot be read, or if the boot loaders have different kernel arguments;
--force repairs such an image.
${EXIT_CODES}
Examples:
  ironic-coreos iso reset coreos.iso
  ironic-coreos iso reset --force -o repaired.iso coreos.iso
`;

const EXTRACT_TABLE: CommandTable = {
  pxe: { summary: 'Extract the files for network boot', declare: declareExtractPxe },
  'minimal-iso': { summary: 'Extract the minimal ISO', declare: declareMinimalIso },
};

const KARGS_TABLE: CommandTable = {
  modify: { summary: 'Append, delete and replace kernel arguments', declare: declareModify },
  reset: { summary: 'Restore the default kernel arguments', declare: declareResetKargs },
  show: { summary: 'Print the kernel arguments', declare: declareShowKargs },
};

const TABLE: CommandTable = {
  customize: {
    summary: 'Customize a live ISO, for example for automatic installation',
    declare: declareIsoCustomize,
  },
  ignition: {
    summary: 'Embed, print or remove the Ignition config of a live ISO',
    load: async () => (await import('./embedCommands.ts')).declareIsoIgnition,
  },
  embed: { summary: 'Embed an Ignition config', hidden: true, load: loadDeprecated },
  show: { summary: 'Print the embedded Ignition config', hidden: true, load: loadDeprecated },
  remove: { summary: 'Remove the embedded Ignition config', hidden: true, load: loadDeprecated },
  network: {
    summary: 'Embed, extract or remove the network settings of a live ISO',
    load: async () => (await import('./embedCommands.ts')).declareIsoNetwork,
  },
  kargs: {
    summary: 'Change or print the kernel arguments of a live ISO',
    declare: (kargs, context) => declareTable(kargs, KARGS_TABLE, context),
  },
  extract: {
    summary: 'Extract files from a live ISO',
    declare: (extract, context) => declareTable(extract, EXTRACT_TABLE, context),
  },
  reset: { summary: 'Restore the released contents of a live ISO', declare: declareIsoReset },
  create: {
    summary: 'Create a bootable ISO from a kernel and an initramfs',
    declare: declareIsoCreate,
  },
};

/** Deprecated commands of coreos-installer; the help does not list them. */
async function loadDeprecated() {
  return (await import('./embedCommands.ts')).declareDeprecated;
}

export function declareIso(iso: Command, context: Context): Promise<void> {
  return declareTable(iso, TABLE, context);
}

function declareIsoCreate(command: Command, context: Context): void {
  command
    .description(
      'Create a bootable ISO from any kernel and initramfs, for example those of ironic-python-agent-builder',
    )
    .requiredOption('-o, --output <path>', 'new file to write; "-" is standard output')
    .requiredOption('-k, --kernel <path>', 'kernel')
    .requiredOption('-i, --initrd <path>', 'initramfs');
  declareOptions(command, {
    '--rootfs <path>': 'root filesystem of a CoreOS live system',
    '--isolinux <path>': 'isolinux.bin, to boot with BIOS',
    '--ldlinux <path>': 'ldlinux.c32 (default: the file in the folder of isolinux.bin)',
    '--isohybrid-mbr <path>': 'isohdpfx.bin, to boot with BIOS from a USB disk',
    '--efi-image <path>': 'image of an EFI system partition with GRUB, to boot with UEFI',
    '--grub-config <path>': {
      list: 'path on the ISO from which GRUB reads its menu (default: EFI/BOOT/grub.cfg)',
    },
    '--karg <arg>': { list: 'kernel argument (default, except for CoreOS: boot_method=vmedia)' },
    '--label <label>': 'volume ID (default: ironic-python-agent)',
  });
  const run = async (options: CreateIsoOptions) =>
    (await import('./create.ts')).createIso(options, context.io);
  declareRun(declareNewFile(command), CREATE_NOTES, run, context);
}

function declareIsoCustomize(command: Command, context: Context): void {
  command
    .description(
      'Customize a live ISO: configure the live system, the installed system and the automatic installation',
    )
    .argument('<ISO>', ISO);
  declareOptions(declareCustomizeOptions(command), {
    '--live-karg-append <arg>': { list: 'append a kernel argument' },
    '--live-karg-delete <arg>': { list: 'delete a kernel argument' },
    '--live-karg-replace <k=o=n>': { list: 'replace a kernel argument, as key=old=new' },
  });
  command
    .optionsGroup('Output:')
    .option('-f, --force', 'replace all embedded files')
    .option('--files-dir <folder>', FILES_DIR)
    .option('--no-validate', 'do not validate Ignition configs');
  const run = argumentRun(['iso'], context, async () => (await import('./customize.ts')).customizeLiveIso);
  declareShortHelp(command, CUSTOMIZE_COMMON, CUSTOMIZE_ISO_REFERENCE);
  declareRun(declareEmbedding(command), CUSTOMIZE_ISO_NOTES, run, context);
}

function declareExtractPxe(command: Command, context: Context): void {
  command
    .description('Extract the kernel, the initramfs and the root filesystem of a live ISO, for network boot')
    .argument('<ISO>', ISO)
    .option('-o, --output-dir <path>', 'folder for the files; created if it does not exist', '.')
    .option('--overwrite', OVERWRITE_FILES);
  const run = argumentRun(['iso'], context, async () => (await import('./extract.ts')).extractPxe);
  declareRun(command, PXE_NOTES, run, context);
}

function declareMinimalIso(command: Command, context: Context): void {
  command
    .description('Extract the minimal ISO, which contains no root filesystem, from a live ISO')
    .argument('<ISO>', ISO)
    .argument('[OUTPUT_ISO]', 'new file for the minimal ISO; "-" is standard output', '-')
    .option('--output-rootfs <path>', 'new file for the root filesystem')
    .option('--rootfs-url <url>', 'URL from which the minimal ISO fetches the root filesystem');
  const run = argumentRun(
    ['iso', 'output'],
    context,
    async () => (await import('./extract.ts')).extractMinimalIso,
  );
  declareRun(declareNewFile(command), MINIMAL_ISO_NOTES, run, context);
}

function declareModify(command: Command, context: Context): void {
  command.description('Append, delete and replace kernel arguments of a live ISO').argument('<ISO>', ISO);
  declareOptions(command, {
    '-a, --append <karg>': { list: 'append an argument' },
    '-d, --delete <karg>': { list: 'delete an argument' },
    '-r, --replace <karg=old=new>': { list: 'replace the value of an argument' },
  });
  const run = argumentRun(['iso'], context, async () => (await import('./kargs.ts')).modifyKargs);
  declareRun(declareResult(command), MODIFY_NOTES, run, context);
}

function declareResetKargs(command: Command, context: Context): void {
  command
    .description('Restore the default kernel arguments. Embedded files are kept.')
    .argument('<ISO>', ISO);
  const run = argumentRun(['iso'], context, async () => (await import('./kargs.ts')).resetKernelArguments);
  declareRun(declareResult(command), RESET_KARGS_NOTES, run, context);
}

function declareShowKargs(command: Command, context: Context): void {
  command
    .description('Print the kernel arguments of a live ISO')
    .argument('<ISO>', ISO)
    .option('-d, --default', 'print the default kernel arguments')
    .addOption(choice('--format <form>', 'text or json (default: text)', ['text', 'json']));
  const run = argumentRun(['iso'], context, async () => (await import('./kargs.ts')).showKargs);
  declareRun(command, SHOW_NOTES, run, context);
}

function declareIsoReset(command: Command, context: Context): void {
  command
    .description('Remove all embedded files from a live ISO, and restore the default kernel arguments')
    .argument('<ISO>', ISO)
    .option('-f, --force', 'reset reserved areas that cannot be read');
  const run = argumentRun(['iso'], context, async () => (await import('./reset.ts')).reset);
  declareRun(declareResult(command), RESET_NOTES, run, context);
}

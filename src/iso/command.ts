/** Declares `iso`, the commands for live ISOs. */

import type { Command } from 'commander';
import {
  declareTable,
  type TableEntry,
  choice,
  type Context,
  EXIT_CODES,
  declareRun,
  repeated,
} from '../io/commandLine.ts';
import {
  CUSTOMIZE_NOTES,
  declareCustomizeOptions,
  declareEmbedding,
  declareNewFile,
  declareResult,
  ISO,
} from '../customize/commandOptions.ts';
import type { CreateIsoOptions } from './create.ts';
import type { IsoCustomizeOptions } from './customize.ts';
import type { ExtractMinimalIsoOptions, ExtractPxeOptions } from './extract.ts';
import type { ModifyKargsOptions, ShowKargsOptions } from './kargs.ts';
import type { ResetOptions } from './reset.ts';

const CREATE_NOTES = `
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

const CUSTOMIZE_ISO_NOTES = `${CUSTOMIZE_NOTES}
Everything that is embedded is replaced. Live kernel arguments are made from the
defaults of the image, in this order: --live-karg-delete, -append, -replace.
${EXIT_CODES}
Examples:
  ironic-coreos iso customize --live-ignition ironic-agent.ign \\
    --network-nmstate worker-0.yaml -o worker-0.iso coreos.iso
  ironic-coreos iso customize --dest-device /dev/sda --dest-ignition site.ign \\
    --dest-console ttyS0,115200n8 -o install.iso coreos.iso
`;

const PXE_NOTES = `
The files are named after the ISO: coreos.iso gives coreos-vmlinuz,
coreos-initrd.img and coreos-rootfs.img. Their paths are printed. None is
written where one of them exists. What is embedded in the ISO is not in them:
see "pxe customize" and "pxe ignition wrap".
${EXIT_CODES}
Example:
  ironic-coreos iso extract pxe -o /srv/tftp coreos.iso
`;

const MINIMAL_ISO_NOTES = `
The minimal ISO is a tenth of the size, and fetches its root filesystem when it
boots: from the URL in coreos.live.rootfs_url=, which --rootfs-url sets.
The live ISO has to be as it was released; customise the minimal ISO instead.
${EXIT_CODES}
Examples:
  ironic-coreos iso extract minimal-iso coreos.iso > minimal.iso
  ironic-coreos iso extract minimal-iso --output-rootfs rootfs.img \\
    --rootfs-url https://192.0.2.1/rootfs.img coreos.iso minimal.iso
`;

const MODIFY_NOTES = `
Arguments are deleted first, then appended, then replaced, in whatever order the
options are given. Text is replaced and nothing is parsed: only whole arguments
are deleted, and "a b" deletes two in a row. A replacement has two "=": delete
and append where a value is empty or holds one. What finds nothing to delete or
to replace is a warning.
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
JSON has "current", "default", the "length" of the reserved area in bytes, and
how much of it is "free".
${EXIT_CODES}
Examples:
  ironic-coreos iso kargs show coreos.iso
  ironic-coreos iso kargs show --format json coreos.iso | jq .free
`;

const RESET_NOTES = `
The result has the bytes of the release. An image whose areas cannot be read, or
whose boot loaders have different kernel arguments, is refused; --force repairs
it.
${EXIT_CODES}
Examples:
  ironic-coreos iso reset coreos.iso
  ironic-coreos iso reset --force -o repaired.iso coreos.iso
`;

const EXTRACT_TABLE: readonly TableEntry[] = [
  { name: 'pxe', summary: 'extract the files for network boot', declare: declareExtractPxe },
  { name: 'minimal-iso', summary: 'extract the minimal ISO', declare: declareMinimalIso },
];

const KARGS_TABLE: readonly TableEntry[] = [
  { name: 'modify', summary: 'append, delete and replace kernel arguments', declare: declareModify },
  { name: 'reset', summary: 'put the default kernel arguments back', declare: declareResetKargs },
  { name: 'show', summary: 'print the kernel arguments', declare: declareShowKargs },
];

const TABLE: readonly TableEntry[] = [
  {
    name: 'customize',
    summary: 'customise a live ISO, e.g. to install on its own',
    declare: declareIsoCustomize,
  },
  {
    name: 'ignition',
    summary: 'Embed an Ignition config in a live ISO, print it or take it out.',
    declare: async (ignition, context) =>
      (await import('./embedCommands.ts')).declareIsoIgnition(ignition, context),
  },
  deprecated('embed', 'embed an Ignition config'),
  deprecated('show', 'print the embedded Ignition config'),
  deprecated('remove', 'take the embedded Ignition config out'),
  {
    name: 'network',
    summary: 'Embed network settings in a live ISO, extract or remove them.',
    declare: async (network, context) =>
      (await import('./embedCommands.ts')).declareIsoNetwork(network, context),
  },
  {
    name: 'kargs',
    summary: 'Change the kernel arguments of a live ISO, or print them.',
    declare: (kargs, context) => declareTable(kargs, KARGS_TABLE, context),
  },
  {
    name: 'extract',
    summary: 'Extract files from a live ISO.',
    declare: (extract, context) => declareTable(extract, EXTRACT_TABLE, context),
  },
  { name: 'reset', summary: 'give an image its original contents back', declare: declareIsoReset },
  { name: 'create', summary: 'make a bootable ISO of a kernel and an initramfs', declare: declareIsoCreate },
];

/** An older spelling of coreos-installer, which works and is not shown. */
function deprecated(name: string, summary: string): TableEntry {
  return { name, summary, hidden: true, declare: declareOlder };
}

async function declareOlder(command: Command, context: Context): Promise<void> {
  const { declareDeprecated } = await import('./embedCommands.ts');
  declareDeprecated(command, context);
}

export function declareIso(iso: Command, context: Context): Promise<void> {
  return declareTable(iso, TABLE, context);
}

/** Options as commander gives them: the image is an argument. */
type Parsed<O> = Omit<O, 'iso'>;

function declareIsoCreate(command: Command, context: Context): void {
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
  const run = async (options: CreateIsoOptions) =>
    (await import('./create.ts')).createIso(options, context.io);
  declareRun(declareNewFile(command), CREATE_NOTES, run, context);
}

function declareIsoCustomize(command: Command, context: Context): void {
  command
    .description(
      'Customises a live ISO: what it installs, where, and with which settings, and the live system itself.',
    )
    .argument('<ISO>', ISO);
  declareCustomizeOptions(command)
    .addOption(repeated('--live-karg-append <arg>', 'append a kernel argument'))
    .addOption(repeated('--live-karg-delete <arg>', 'delete a kernel argument'))
    .addOption(repeated('--live-karg-replace <k=o=n>', 'replace a kernel argument: key=old=new'))
    .optionsGroup('Output:')
    .option('-f, --force', 'replace everything that is embedded')
    .option('--no-validate', 'take Ignition configs without checking what they say');
  const run = async (iso: string, options: Parsed<IsoCustomizeOptions>) =>
    (await import('./customize.ts')).customizeLiveIso({ ...options, iso }, context.io);
  declareRun(declareEmbedding(command), CUSTOMIZE_ISO_NOTES, run, context);
}

function declareExtractPxe(command: Command, context: Context): void {
  command
    .description('Extracts kernel, initramfs and root filesystem from a live ISO, for network boot.')
    .argument('<ISO>', ISO)
    .option('-o, --output-dir <path>', 'folder for the files, made if need be', '.');
  const run = async (iso: string, options: Parsed<ExtractPxeOptions>) =>
    (await import('./extract.ts')).extractPxe({ ...options, iso }, context.io);
  declareRun(command, PXE_NOTES, run, context);
}

function declareMinimalIso(command: Command, context: Context): void {
  command
    .description('Extracts the minimal ISO, which has no root filesystem, from a live ISO.')
    .argument('<ISO>', ISO)
    .argument('[OUTPUT_ISO]', 'new file to write the minimal ISO to; "-" is standard output', '-')
    .option('--output-rootfs <path>', 'write the root filesystem to a new file as well')
    .option('--rootfs-url <url>', 'boot with the root filesystem from this URL');
  const run = async (iso: string, output: string, options: Parsed<ExtractMinimalIsoOptions>) =>
    (await import('./extract.ts')).extractMinimalIso({ ...options, iso, output }, context.io);
  declareRun(declareNewFile(command), MINIMAL_ISO_NOTES, run, context);
}

function declareModify(command: Command, context: Context): void {
  command
    .description('Changes the kernel arguments of a live ISO.')
    .argument('<ISO>', ISO)
    .addOption(repeated('-a, --append <KARG>', 'append an argument; repeatable'))
    .addOption(repeated('-d, --delete <KARG>', 'delete an argument; repeatable'))
    .addOption(repeated('-r, --replace <KARG=OLDVAL=NEWVAL>', 'give an argument a new value; repeatable'));
  const run = async (iso: string, options: Parsed<ModifyKargsOptions>) =>
    (await import('./kargs.ts')).modifyKargs({ ...options, iso }, context.io);
  declareRun(declareResult(command), MODIFY_NOTES, run, context);
}

function declareResetKargs(command: Command, context: Context): void {
  command
    .description('Puts the default kernel arguments back. What is embedded stays.')
    .argument('<ISO>', ISO);
  const run = async (iso: string, options: Parsed<ResetOptions>) =>
    (await import('./kargs.ts')).resetKernelArguments({ ...options, iso }, context.io);
  declareRun(declareResult(command), RESET_KARGS_NOTES, run, context);
}

function declareShowKargs(command: Command, context: Context): void {
  command
    .description('Prints the kernel arguments that a live ISO boots with.')
    .argument('<ISO>', ISO)
    .option('-d, --default', 'print the default ones')
    .addOption(choice('--format <FORM>', 'text (default) or json', ['text', 'json']));
  const run = async (iso: string, options: Parsed<ShowKargsOptions>) =>
    (await import('./kargs.ts')).showKargs({ ...options, iso }, context.io);
  declareRun(command, SHOW_NOTES, run, context);
}

function declareIsoReset(command: Command, context: Context): void {
  command
    .description('Takes out all that is embedded in a live ISO, and puts the default kernel arguments back.')
    .argument('<ISO>', ISO)
    .option('-f, --force', 'reset the areas whatever they hold');
  const run = async (iso: string, options: Parsed<ResetOptions>) =>
    (await import('./reset.ts')).reset({ ...options, iso }, context.io);
  declareRun(declareResult(command), RESET_NOTES, run, context);
}

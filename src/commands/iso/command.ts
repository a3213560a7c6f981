/** Declares `iso`, the commands for live ISOs. */

import { command, type CommandGroup } from '../../io/commandLine.ts';
import { CUSTOMIZE_NOTES } from '../customize/options.ts';
import {
  createIsoOptions,
  embedNetworkOptions,
  embedOptions,
  extractFilesOptions,
  extractMinimalIsoOptions,
  extractNetworkOptions,
  isoCustomizeOptions,
  modifyKargsOptions,
  resetOptions,
  rewriteOptions,
  showKargsOptions,
  showOptions,
} from './options.ts';

const customize = command({
  summary: 'Customize a live ISO, for example for automatic installation',
  description:
    'Customize a live ISO: configure the live system, the installed system and the automatic installation',
  options: isoCustomizeOptions,
  reference: `${CUSTOMIZE_NOTES}
Repeated runs:
  --force replaces all embedded files. The live kernel arguments are the default
  arguments of the image, edited in this order: --live-karg-delete,
  --live-karg-append, --live-karg-replace.
`,
  examples: `
  ironic-coreos iso customize --live-ignition ironic-agent.ign \\
    --network-nmstate worker-0.yaml -o worker-0.iso coreos.iso
  ironic-coreos iso customize --dest-device /dev/sda --dest-ignition site.ign \\
    --dest-console ttyS0,115200n8 -o install.iso coreos.iso
`,
  load: async () => (await import('./customize.ts')).customizeLiveIso,
});

const embed = command({
  summary: 'Embed an Ignition config',
  description: 'Embed an Ignition config in a live ISO. Embedded network settings are kept.',
  options: embedOptions,
  details: `
The config is validated with Ignition's own rules; an invalid config is not
embedded. To skip the validation, use --no-validate, set
IRONIC_COREOS_VALIDATE=0 in the environment, or run the program as
coreos-installer.
`,
  examples: `
  ironic-coreos iso ignition embed -i ironic-agent.ign -o ipa.iso coreos.iso
  ironic-coreos render --inventory ramdisk.yaml |
    ironic-coreos iso ignition embed -f coreos.iso
`,
  load: async () => (await import('./ignition.ts')).embed,
});

const show = command({
  summary: 'Print the embedded Ignition config',
  description: 'Print the embedded Ignition config, byte for byte',
  options: showOptions,
  examples: `
  ironic-coreos iso ignition show ipa.iso | jq .storage.files
  ironic-coreos iso ignition show http://192.0.2.1/images/ipa.iso
`,
  load: async () => (await import('./ignition.ts')).show,
});

const remove = command({
  summary: 'Remove the embedded Ignition config',
  description:
    'Remove the embedded Ignition config from a live ISO. Succeeds also if the ISO contains no config.',
  options: rewriteOptions,
  examples: `
  ironic-coreos iso ignition remove ipa.iso
  ironic-coreos iso ignition remove -o plain.iso ipa.iso
`,
  load: async () => (await import('./ignition.ts')).remove,
});

const embedNetwork = command({
  summary: 'Embed network settings',
  description: 'Embed network settings in a live ISO. An embedded Ignition config is kept.',
  options: embedNetworkOptions,
  details: `
The files keep their names, without folders. An nmstate file or OpenStack
network data is converted to one keyfile per connection, for example
eth0.nmconnection. The initramfs configures the network with these files.
coreos-installer copies them to the installed system only with its option
copy-network.
`,
  examples: `
  ironic-coreos iso network embed -k bond0.nmconnection \\
    -k eth0.nmconnection -o ipa.iso coreos.iso
  ironic-coreos iso network embed -f --nmstate worker-0.yaml coreos.iso
`,
  load: async () => (await import('./network.ts')).embedNetwork,
});

const extractNetwork = command({
  summary: 'Extract the embedded network settings',
  description: 'Print the embedded network settings of a live ISO, or write them to files',
  options: extractNetworkOptions,
  examples: `
  ironic-coreos iso network extract coreos.iso
  ironic-coreos iso network extract -C connections coreos.iso
`,
  load: async () => (await import('./network.ts')).extractNetwork,
});

const removeNetwork = command({
  summary: 'Remove the embedded network settings',
  description:
    'Remove all network settings from a live ISO. Succeeds also if the ISO contains no network settings.',
  options: rewriteOptions,
  examples: `
  ironic-coreos iso network remove coreos.iso
`,
  load: async () => (await import('./network.ts')).removeNetwork,
});

const modifyKargs = command({
  summary: 'Append, delete and replace kernel arguments',
  description: 'Append, delete and replace kernel arguments of a live ISO',
  options: modifyKargsOptions,
  details: `
The command deletes arguments first, then appends, then replaces; the order of
the options has no effect. --delete removes whole arguments; "a b" removes two
adjacent arguments. --replace requires exactly two "=" signs; if a value is
empty or contains "=", use --delete and --append. If an argument to delete or to
replace is not found, the command prints a warning.
`,
  examples: `
  ironic-coreos iso kargs modify -a console=ttyS0,115200n8 coreos.iso
  ironic-coreos iso kargs modify -d mitigations=auto,nosmt \\
    -r ignition.platform.id=metal=openstack -o ipa.iso coreos.iso
`,
  load: async () => (await import('./kargs.ts')).modifyKargs,
});

const resetKargs = command({
  summary: 'Restore the default kernel arguments',
  description: 'Restore the default kernel arguments. Embedded files are kept.',
  options: rewriteOptions,
  examples: `
  ironic-coreos iso kargs reset coreos.iso
`,
  load: async () => (await import('./kargs.ts')).resetKernelArguments,
});

const showKargs = command({
  summary: 'Print the kernel arguments',
  description: 'Print the kernel arguments of a live ISO',
  options: showKargsOptions,
  details: `
The JSON contains "current", "default", the "length" of the reserved area in
bytes, and the number of "free" bytes in it.
`,
  examples: `
  ironic-coreos iso kargs show coreos.iso
  ironic-coreos iso kargs show --format json coreos.iso | jq .free
`,
  load: async () => (await import('./kargs.ts')).showKargs,
});

const extractPxe = command({
  summary: 'Extract the files for network boot',
  description: 'Extract the kernel, the initramfs and the root filesystem of a live ISO, for network boot',
  options: extractFilesOptions,
  details: `
The file names begin with the name of the ISO: coreos.iso becomes
coreos-vmlinuz, coreos-initrd.img and coreos-rootfs.img. The command prints
their paths, and fails if one of the files exists. The files do not include the
configs and settings that are embedded in the ISO; use "pxe customize" or
"pxe ignition wrap" to add them.
`,
  examples: `
  ironic-coreos iso extract pxe -o /srv/tftp coreos.iso
`,
  load: async () => (await import('./extract.ts')).extractPxe,
});

const extractLoaders = command({
  summary: 'Extract the boot loaders for UEFI',
  description: 'Extract shim and GRUB of a live ISO, for network boot with Secure Boot',
  options: extractFilesOptions,
  details: `
The EFI system partition of a live ISO (images/efiboot.img) contains shim and
GRUB, which firmware with Secure Boot accepts. The command writes them under
their names, such as shimx64.efi and grubx64.efi, prints their paths, and says
who signed them. It does not verify the signatures: the firmware does. Firmware
starts shim, by TFTP or UEFI HTTP boot, and shim fetches GRUB from the same
folder. "prepare --loaders" does this for the hosts of an inventory.
`,
  examples: `
  ironic-coreos iso extract loaders -o /var/lib/tftpboot coreos.iso
`,
  load: async () => (await import('./extract.ts')).extractLoaders,
});

const extractMinimalIso = command({
  summary: 'Extract the minimal ISO',
  description: 'Extract the minimal ISO, which contains no root filesystem, from a live ISO',
  options: extractMinimalIsoOptions,
  details: `
The minimal ISO is about a tenth as large as the live ISO. While it boots, it
fetches its root filesystem from the URL in coreos.live.rootfs_url=, which
--rootfs-url sets. The live ISO must be unmodified; customize the minimal ISO
instead.
`,
  examples: `
  ironic-coreos iso extract minimal-iso coreos.iso > minimal.iso
  ironic-coreos iso extract minimal-iso --output-rootfs rootfs.img \\
    --rootfs-url https://192.0.2.1/rootfs.img coreos.iso minimal.iso
`,
  load: async () => (await import('./extract.ts')).extractMinimalIso,
});

const reset = command({
  summary: 'Restore the released contents of a live ISO',
  description: 'Remove all embedded files from a live ISO, and restore the default kernel arguments',
  options: resetOptions,
  details: `
The result is byte for byte the released image. The command fails if a reserved
area cannot be read, or if the boot loaders have different kernel arguments;
--force repairs such an image.
`,
  examples: `
  ironic-coreos iso reset coreos.iso
  ironic-coreos iso reset --force -o repaired.iso coreos.iso
`,
  load: async () => (await import('./reset.ts')).reset,
});

const create = command({
  summary: 'Create a bootable ISO from a kernel and an initramfs',
  description:
    'Create a bootable ISO from any kernel and initramfs, for example those of ironic-python-agent-builder',
  options: createIsoOptions,
  details: `
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
`,
  examples: `
  ironic-coreos iso create -o ipa.iso -k ipa.kernel -i ipa.initramfs \\
    --isolinux /usr/lib/ISOLINUX/isolinux.bin \\
    --ldlinux /usr/lib/syslinux/modules/bios/ldlinux.c32
  ironic-coreos iso create -o ipa.iso -k ipa.kernel -i ipa.initramfs \\
    --efi-image esp.img --karg boot_method=vmedia --karg console=ttyS0
  ironic-coreos iso create -o live.iso -k live-kernel -i live-initramfs.img \\
    --rootfs live-rootfs.img --efi-image esp.img
`,
  load: async () => (await import('./create.ts')).createIso,
});

const ignition: CommandGroup = {
  summary: 'Embed, print or remove the Ignition config of a live ISO',
  commands: { embed, show, remove },
};

const network: CommandGroup = {
  summary: 'Embed, extract or remove the network settings of a live ISO',
  commands: { embed: embedNetwork, extract: extractNetwork, remove: removeNetwork },
};

const kargs: CommandGroup = {
  summary: 'Change or print the kernel arguments of a live ISO',
  commands: { modify: modifyKargs, reset: resetKargs, show: showKargs },
};

const extract: CommandGroup = {
  summary: 'Extract files from a live ISO',
  commands: { pxe: extractPxe, loaders: extractLoaders, 'minimal-iso': extractMinimalIso },
};

export const iso: CommandGroup = {
  commands: { customize, ignition, network, kargs, extract, reset, create },
};

/** Declares `prepare`. */

import type { Command, Option } from 'commander';
import { layoutNames } from './layoutNames.ts';
import type { PrepareOptions } from './options.ts';
import { profileNames } from '../hosts/settings/options.ts';
import { choice, type Context, refuseRepeatedOptions, repeated } from '../io/commandLine.ts';

const notes = `
The inventory is that of "render": each of its hosts gets a config, and boot
scripts by its MAC address. Kernel arguments come from boot.*, host.consoles and
proxy.* there. Without a list of hosts, or with --discovery, there is a config
for machines that are not listed.

The folder:
  images/ARCH-ID/ironic-python-agent.{kernel,initramfs,rootfs}   shared
  agents/ARCH-ID/NAME        archives of the agent's image, shared
  hosts/NAME/config.ign, config.img, initramfs.img, live.iso, minimal.iso
  discovery/…                for machines that are not listed
  boot.ipxe, autoexec.ipxe, inspector.ipxe, ipxe/…, dnsmasq.conf
  grub/…, pxelinux.cfg/…     by MAC address
  manifest.json, SHA256SUMS  what is there, and what it was made from
  .ironic-coreos/            notes for the next run, not to be served

Artifacts:
  ign          the config, fetched by Ignition
  archive      the config as a small archive that is loaded behind the initramfs
  initramfs    both in one file, as deploy_ramdisk of Ironic
  iso          the live ISO with the config; larger configs need --grow
  minimal-iso  the same without the root filesystem, which it fetches
  ipxe, grub, pxelinux   boot scripts; they start the first that there is of
               archive, initramfs, ign, minimal-iso, iso
  The default is ign with all scripts, by https with those of iPXE alone.

Run again, it writes only what has changed. Large files are known again by
inode, size and times, all others by their content. What is not needed any more
stays, and is removed by --prune. Other files in the folder are never touched.
Images are cloned where the file system can, else hard-linked: do not change
them in place afterwards.

An agent archive (--agent-archive, or agent.archive of the inventory) is checked
and put there once, and configs name it below --base-url; a full ISO has it on
the medium. Hosts load it and need no registry. Which memory they need is told,
and is in the manifest.

Files with secrets are for their owner alone, unless --mode or --group say
otherwise; which URLs hand them out is told, and is in the manifest.

Layouts:
  metal3    html/images/ironic-python-agent.{kernel,initramfs,rootfs,iso} and
            html/ironic-python-agent.ign in /shared, as ironic-image has them,
            from the environment of configure-coreos-ipa (ROOTFS_FILE,
            IGNITION_FILE, ISO_FILE, and the settings of that profile). Without
            an image, the ISO that is there gets the config. Chosen by
            IRONIC_USE_COREOS_IPA=true, too. --base-url is where html/ is
            served; only an agent archive needs it.
  bifrost   ironic-python-agent.{kernel,initramfs,rootfs,iso,ign} in /httpboot,
            with --base-url ironic-python-agent.conf, a part of ironic.conf; it
            prints deploy_iso, deploy_kernel and deploy_ramdisk for nodes.
  All files of a layout get their names together at the end. With images of
  several architectures, those of x86_64 have the plain names, and the others
  are called ironic-python-agent_ARCH.kernel and so on.

A bundle holds what the manifest lists: the same input gives the same bytes,
with SOURCE_DATE_EPOCH as the time of its files, or 1970.

Exit codes:
  0  the folder is complete
  1  an input or a host is missing or wrong; other hosts are prepared
  2  the command line or a variable is wrong

Examples:
  ironic-coreos prepare --inventory ramdisk.yaml --iso fedora-coreos.iso \\
    --base-url http://192.0.2.1/boot -o /srv/boot --group nginx
  ironic-coreos prepare --inventory ramdisk.yaml --artifacts iso \\
    --iso x86.iso --iso aarch64=arm.iso -o isos --prune
  ironic-coreos prepare --inventory ramdisk.yaml --images downloads \\
    --base-url http://192.0.2.1 -o boot --bundle boot.tar.gz
`;

export function declarePrepare(command: Command, context: Context): void {
  command
    .description(
      'Makes the folder from which the hosts of an inventory boot the agent: live images, configs, boot scripts, ' +
        'checksums and a manifest.',
    )
    .option('--inventory <file>', 'settings and hosts, as YAML or JSON')
    .addOption(
      choice('--profile <name>', `whose configs, as for render: ${profileNames.join(', ')}`, profileNames),
    )
    .option('-o, --output <folder>', 'the folder')
    .option('--base-url <url>', 'where the folder is served')
    .option('--artifacts <names>', 'what to make, with commas between: see below')
    .addOption(choice('--layout <name>', `${layoutNames.join(', ')}: see below`, layoutNames));
  declareImages(command);
  command
    .optionsGroup('Result:')
    .option('--discovery', 'also prepare the inspection of machines that are not listed')
    .option('--grow', 'make ISOs longer where a config does not fit')
    .option('--mode <octal>', 'permissions of files that hold a secret (default: 0600)')
    .option('--group <group>', 'the group that may read them, such as that of the web server')
    .option('--prune', 'remove what earlier runs made and nobody needs any more')
    .option('--force', 'write into a folder that holds other files')
    .option('--fail-fast', 'stop at the first host that is wrong')
    .option('--bundle <file>', 'pack the folder into FILE.tar or FILE.tar.gz, too')
    .addHelpText('after', notes)
    .action(async (options: PrepareOptions) => {
      const { prepare } = await import('./prepare.ts');
      context.finish(await prepare(options, context.io));
    });
  refuseRepeatedOptions(command);
}

function declareImages(command: Command): void {
  command.optionsGroup('Images (FILE, or ARCHITECTURE=FILE):');
  const files: readonly Option[] = [
    repeated('--iso <file>', 'live ISO; kernel, initramfs and root filesystem are taken from it'),
    repeated('--kernel <file>', 'kernel; those of aarch64 are unpacked'),
    repeated('--initramfs <file>', 'initramfs'),
    repeated('--rootfs <file>', 'root filesystem'),
  ];
  for (const option of files) command.addOption(option);
  command.option('--images <folder>', 'a folder of downloads, by the names of their releases');
  command.addOption(
    repeated('--agent-archive <file>', "the agent's container image, for hosts without a registry"),
  );
}

/** Declares `prepare`. */

import { type ConfigArtifact, configArtifacts, hostArtifacts } from '../../core/artifacts.ts';
import { startOrder } from '../../hosts/plan/artifacts.ts';
import { networkLoaders } from '../../kargs/folder.ts';
import { command } from '../../io/commandLine.ts';
import { prepareOptions } from './options.ts';

function helpOf(name: ConfigArtifact): string {
  const lines = hostArtifacts[name].help.replaceAll(/(.{1,65})(?: |$)/g, '$1\n               ').trimEnd();
  return `  ${name.padEnd(12)} ${lines}\n`;
}

export const prepareCommand = command({
  description:
    'Create a folder for a web server from which the hosts of an inventory boot the agent: base images, configs, ' +
    'boot scripts, checksums and a manifest',
  options: prepareOptions,
  reference: `
Inventory:
  The inventory has the format of "render --inventory". Each of its hosts gets a
  config, and boot scripts by MAC address. Kernel arguments come from its
  settings boot.*, host.consoles and proxy.*. Without a list of hosts, or with
  --discovery, the command also writes a config for unlisted machines.

Output folder:
  images/ARCH-ID/ironic-python-agent.{kernel,initramfs,rootfs}   shared
  agents/ARCH-ID/NAME        agent archives, shared
  hosts/NAME/ID/config.ign, config.img, initramfs.img, live.iso, minimal.iso
             the ID changes with the content; files that no boot script names
             have no ID, except initramfs.img
  discovery/…                for machines that are not listed
  boot.ipxe, autoexec.ipxe, inspector.ipxe, ipxe/…, dnsmasq.conf
  grub/…, pxelinux.cfg/…     by MAC address
  manifest.json, SHA256SUMS  list of all files and inputs, checksums
  .ironic-coreos/            state for the next run; do not serve it

Artifacts:
${configArtifacts.map(helpOf).join('')}  ${networkLoaders.join(', ')}   boot scripts; they start the first artifact that exists
               of ${startOrder.join(', ')}
  Default: ign and all boot scripts, with an https URL only those for iPXE.
  Hosts with a static network also get archive, because ign requires DHCP.

DHCP:
  dnsmasq.conf is a complete configuration of dnsmasq; its first lines are the
  commands that install the boot loaders. With --dhcp-range FIRST,LAST dnsmasq
  assigns these addresses. By default, and with --dhcp-range ADDRESS,proxy, it
  adds the boot files to the replies of the DHCP server of the network; for a
  base URL without an IPv4 address, the option is required.
  --dhcp kea writes kea-classes.json, and --dhcp isc dhcpd-classes.conf, to be
  included in the configuration of Kea or dhcpd of ISC.
  --loaders writes shim and GRUB of the live ISO to grub/, and names shim in
  these files: UEFI with Secure Boot starts it by TFTP or HTTP.

Layouts:
  folder    the folder above (default)
  metal3    html/images/ironic-python-agent.{kernel,initramfs,rootfs,iso} and
            html/ironic-python-agent.ign in /shared, as ironic-image expects
            them. Settings come from the environment of configure-coreos-ipa
            (ROOTFS_FILE, IGNITION_FILE, ISO_FILE and the settings of that
            profile) or of ironic-image (IRONIC_IP, HTTP_PORT). Without images,
            the config is embedded in the existing ISO.
            IRONIC_USE_COREOS_IPA=true selects this layout. --base-url is the
            URL of html/ (default: IRONIC_HTTP_URL, IRONIC_EXTERNAL_HTTP_URL, or
            derived from the address); only an agent archive requires it.
  bifrost   ironic-python-agent.{kernel,initramfs,rootfs,iso,ign} in
            /var/lib/ironic/httpboot, and with --base-url (the URL of that
            folder) bifrost-variables.yaml: kernel arguments, image URLs and
            deploy interfaces for "bifrost-cli install -e @FILE". Prints
            deploy_iso, deploy_kernel and deploy_ramdisk for nodes, as file URLs
            if Ironic can read them.
  All files of metal3 and bifrost are replaced together at the end. With images
  of several architectures, the images for x86_64 have the plain names, and the
  others the names ironic-python-agent_ARCH.kernel and so on.

Updates:
  The next run writes only changed files. Large files are recognized by inode,
  size and timestamps, other files by their content. All boot scripts are
  replaced together at the end, and the files that the previous scripts name
  stay: those of a host until its next change, base images until you use
  --prune. --prune removes files that are no longer needed; those that this run
  has replaced stay until the next run. Other files in the folder are never
  changed. Images are cloned if the filesystem supports it, else hard-linked: do
  not change them in place.

Agent archive:
  --agent-archive, or agent.archive of the inventory, is verified and copied
  once. Configs refer to it by URL; a full ISO contains it. Hosts load the image
  from it and require no registry. The command prints the memory that hosts
  require, and writes it to the manifest.

Secrets:
  Only the owner can read files with secrets, unless you use --mode or --group.
  A warning and the manifest list their URLs.

Bundle:
  A bundle contains the files of the manifest. The same input results in the
  same bytes, with SOURCE_DATE_EPOCH (default: 0) as the time of all files.
`,
  exitCodes: { 1: 'failure: an input or a host is missing or invalid; valid hosts are written' },
  examples: `
  ironic-coreos prepare --inventory ramdisk.yaml --iso fedora-coreos.iso \\
    --base-url http://192.0.2.1/boot -o /srv/boot --group nginx
  ironic-coreos prepare --inventory ramdisk.yaml --artifacts iso \\
    --iso x86.iso --iso aarch64=arm.iso -o isos --prune
  ironic-coreos prepare --inventory ramdisk.yaml --images downloads \\
    --base-url http://192.0.2.1 -o boot --bundle boot.tar.gz
`,
  load: async () => (await import('./prepare.ts')).prepare,
});

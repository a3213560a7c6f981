/** Arguments and options that several commands share. */

import type { Command } from 'commander';
import { choice, declareOptions } from '../../io/commandLine.ts';

/** Sections of the help of both `customize` commands. */
export const CUSTOMIZE_NOTES = `
Installation:
  With --installer-config or any --dest-* option, the installer runs on boot.
  Scripts and installer configs keep their file names on the live system, so
  each file needs a unique name.

Ignition configs:
  Configs are validated with Ignition's own rules; an invalid config is not
  embedded. A file named *.yaml is YAML with the keys of Ignition (not Butane).
  To skip the validation, use --no-validate, set IRONIC_COREOS_VALIDATE=0 in the
  environment, or run the program as coreos-installer. A config with an
  unsupported newer spec version is embedded without validation.
`;

/** Options that are declared after these belong to the group "Live system". */
export function declareCustomizeOptions(command: Command): Command {
  declareOptions(command.optionsGroup('Installed system:'), {
    '--dest-ignition <path>': { list: 'Ignition config to merge' },
    '--dest-device <path>': 'disk to install to on boot, without confirmation',
    '--dest-console <spec>': {
      list: 'console of the kernel and the boot loader, for example ttyS0,115200n8',
    },
    '--dest-karg-append <arg>': { list: 'append a kernel argument' },
    '--dest-karg-delete <arg>': { list: 'delete a default kernel argument' },
  });
  declareOptions(command.optionsGroup('Live and installed system:'), {
    '--network-keyfile <path>': { list: 'NetworkManager keyfile' },
    '--network-nmstate <path>': { list: 'nmstate file, as YAML or JSON' },
    '--network-data <path>': { list: 'OpenStack network data (network_data.json)' },
    '--ignition-ca <path>': { list: 'CA certificate that Ignition trusts, as PEM' },
  });
  return declareOptions(command.optionsGroup('Live system:'), {
    '--pre-install <path>': { list: 'script to run before the installer' },
    '--post-install <path>': { list: 'script to run after the installer' },
    '--installer-config <path>': { list: 'options of coreos-installer install, as YAML' },
    '--live-ignition <path>': { list: 'Ignition config to merge' },
  });
}

/** Adds the options for the network settings to embed. */
export function declareNetworkFiles(command: Command): Command {
  return declareOptions(command, {
    '-k, --keyfile <path>': { list: 'NetworkManager keyfile' },
    '--nmstate <path>': { list: 'nmstate file to convert to keyfiles' },
    '--network-data <path>': { list: 'OpenStack network data (network_data.json) to convert to keyfiles' },
  });
}

/** The help of `--overwrite` for commands that write several files. */
export const OVERWRITE_FILES = 'replace existing files, each when the new file is complete';

/** Adds the options for the output of extracted network settings. */
export function declareNetworkOutput(command: Command): Command {
  return command
    .option('-C, --directory <path>', 'folder to write the files to (default: standard output)')
    .option('--overwrite', OVERWRITE_FILES)
    .addOption(choice('--format <form>', 'text or json (default: text)', ['text', 'json']));
}

export const ISO =
  'live ISO of CoreOS: a file, a block device, a URL, or "-" for standard input, which is buffered in TMPDIR';

/** The help of `--mode`. */
export const NEW_FILE_MODE =
  'permissions of the new file (default: 0600 if it contains a secret, else according to the umask)';

/** Adds the options of a command that changes an ISO. */
export function declareResult(command: Command): Command {
  declareOptions(command, {
    '-o, --output <path>':
      'new file to write; "-" is standard output (default: edit the ISO in place; requires a file or a block device)',
  });
  return declareNewFile(command);
}

/** Adds the options of a command that writes a new file. */
export function declareNewFile(command: Command): Command {
  return command
    .option('--overwrite', 'replace an existing file when the new file is complete')
    .option('--mode <octal>', NEW_FILE_MODE);
}

/** Adds the options of a command that embeds files in an image. */
export function declareEmbedding(command: Command): Command {
  return declareResult(command).option('--grow', 'enlarge the image if its reserved area is too small');
}

/** Adds the options for files that are embedded together with the Ignition config. */
export function declareAddedFiles(command: Command): Command {
  return declareOptions(command, {
    '--initrd-file <path:name>': { list: 'file to add to the initramfs; not visible in the live system' },
    '--initrd-archive <path>': { list: 'tar or cpio archive of files to add to the initramfs' },
    '--iso-file <path:name>': { list: 'file to add to the medium, mounted as /run/media/iso/coreos/NAME' },
  });
}

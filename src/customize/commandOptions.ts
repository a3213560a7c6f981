/** Arguments and options that several image commands share, with their help. */

import type { Command } from 'commander';
import { repeated, choice } from '../io/commandLine.ts';

/** The notes below the help. */
export const CUSTOMIZE_NOTES = `
Options with a path, console or argument can be repeated. With any --dest-*
option or --installer-config, the installer runs on boot. Script and config
files keep their names on the live system, so no two may have the same.

Ignition configs are checked first, as Ignition would check them, and an invalid
one is refused. They may be YAML, in files named *.yaml, with the keys of
Ignition (not Butane). IRONIC_COREOS_VALIDATE=0 in the environment does what
--no-validate does, and so does starting the program under the name
coreos-installer. Configs of newer specs than are known are embedded unchecked.
`;

/** The options stand in groups; what is declared next belongs to the live system. */
export function declareCustomizeOptions(command: Command): Command {
  return command
    .optionsGroup('Installed system:')
    .addOption(repeated('--dest-ignition <path>', 'merge an Ignition config'))
    .option('--dest-device <path>', 'install to this disk on boot, without asking')
    .addOption(repeated('--dest-console <spec>', 'console of kernel and boot loader, e.g. ttyS0,115200n8'))
    .addOption(repeated('--dest-karg-append <arg>', 'append a kernel argument'))
    .addOption(repeated('--dest-karg-delete <arg>', 'delete a default kernel argument'))
    .optionsGroup('Live and installed system:')
    .addOption(repeated('--network-keyfile <path>', 'connection of NetworkManager'))
    .addOption(repeated('--network-nmstate <path>', 'network settings of nmstate, as YAML or JSON'))
    .addOption(repeated('--ignition-ca <path>', 'certificate authority that Ignition trusts, as PEM'))
    .optionsGroup('Live system:')
    .addOption(repeated('--pre-install <path>', 'script to run before the installer'))
    .addOption(repeated('--post-install <path>', 'script to run after the installer'))
    .addOption(repeated('--installer-config <path>', 'options of coreos-installer install, as YAML'))
    .addOption(repeated('--live-ignition <path>', 'merge an Ignition config'));
}

/** Adds the options that say which settings to take. */
export function declareNetworkFiles(command: Command): Command {
  return command
    .addOption(repeated('-k, --keyfile <path>', 'keyfile of NetworkManager; repeatable'))
    .addOption(repeated('--nmstate <path>', 'nmstate description to convert to keyfiles; repeatable'));
}

/** Adds the options that say what becomes of settings that were found. */
export function declareNetworkOutput(command: Command): Command {
  return command
    .option('-C, --directory <path>', 'write the files to a folder instead of printing them')
    .addOption(choice('--format <form>', 'text (default) or json', ['text', 'json']));
}

export const ISO =
  'live ISO of CoreOS: a file, a block device, a URL, or "-" for standard input, which is kept in TMPDIR meanwhile';

/** The description of `--mode`. */
export const NEW_FILE_MODE =
  'permissions of the new file (default: as the umask gives, and 0600 where it holds a secret)';

/** Adds the options that say where the result goes. */
export function declareResult(command: Command): Command {
  return declareNewFile(
    command.option(
      '-o, --output <path>',
      'write the result to a new file; "-" is standard output (default: change the ISO itself, which has to be a file or a device)',
    ),
  );
}

/** Adds the options about the new file of commands that write one. */
export function declareNewFile(command: Command): Command {
  return command
    .option('--overwrite', 'replace a file of that name, once the new one is complete')
    .option('--mode <octal>', NEW_FILE_MODE);
}

/** Adds the options of a command that puts something into an image. */
export function declareEmbedding(command: Command): Command {
  return declareResult(command).option('--grow', 'make the image longer where its embed area is too small');
}

/** Adds the options for what goes in beside the Ignition config. */
export function declareAddedFiles(command: Command): Command {
  return command
    .addOption(
      repeated(
        '--initrd-file <path:name>',
        'file for the initramfs alone, gone once the root is mounted; repeatable',
      ),
    )
    .addOption(
      repeated('--initrd-archive <path>', 'the same, all files of a tar or cpio archive; repeatable'),
    )
    .addOption(
      repeated('--iso-file <path:name>', 'file for the medium, then /run/media/iso/coreos/NAME; repeatable'),
    );
}

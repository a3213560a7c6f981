/** The options that `iso customize` and `pxe customize` share. */

import type { Command } from 'commander';
import { repeated } from '../io/commandLine.ts';

/** For the end of the help. */
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

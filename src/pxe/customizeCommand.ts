/** Declares `pxe customize`. */

import type { Command } from 'commander';
import type { CustomizeOptions } from '../customize/options.ts';
import { type Context, EXIT_CODES, refuseRepeatedOptions } from '../io/commandLine.ts';
import { CUSTOMIZE_NOTES, declareCustomizeOptions } from '../customize/commandOptions.ts';
import { declareNewFile, type NewFileOptions } from '../customize/outputOptions.ts';

const NOTES = `${CUSTOMIZE_NOTES}
Where an Ignition config comes out, the boot entry has to have the kernel
arguments ignition.firstboot ignition.platform.id=metal.
${EXIT_CODES}
Examples:
  ironic-coreos pxe customize --live-ignition ironic-agent.ign \\
    -o ironic-python-agent.initramfs coreos-live-initramfs.img
  ironic-coreos pxe customize --dest-device /dev/sda --dest-ignition site.ign \\
    -o - coreos-live-initramfs.img > install.img
`;

/** As commander gives them. */
interface ParsedOptions extends CustomizeOptions, NewFileOptions {
  readonly output: string;
}

export function declarePxeCustomize(pxe: Command, context: Context): void {
  const command = pxe
    .command('customize')
    .summary('customise a live initramfs, e.g. to install on its own')
    .description(
      'Writes a customised copy of the initramfs of a live PXE image: what it installs, where, and with which ' +
        'settings, and the live system itself.',
    )
    .argument('<initramfs>', 'initramfs of a live PXE image of CoreOS');
  declareCustomizeOptions(command)
    .optionsGroup('Output:')
    .option('--no-validate', 'take Ignition configs without checking what they say')
    .requiredOption('-o, --output <path>', 'write the result to a new file; "-" is standard output');
  declareNewFile(command)
    .addHelpText('after', NOTES)
    .action(async (initrd: string, options: ParsedOptions) => {
      const { customize } = await import('./customize.ts');
      context.finish(await customize({ ...options, initrd }, context.io));
    });
  refuseRepeatedOptions(command);
}

/** Declares `iso extract minimal-iso`. */

import type { Command } from 'commander';
import { type Context, EXIT_CODES, refuseRepeatedOptions } from '../../io/commandLine.ts';
import { declareNewFile, ISO, type NewFileOptions } from '../../customize/outputOptions.ts';

const NOTES = `
The minimal ISO is a tenth of the size, and fetches its root filesystem when it
boots: from the URL in coreos.live.rootfs_url=, which --rootfs-url sets.
The live ISO has to be as it was released; customise the minimal ISO instead.
${EXIT_CODES}
Examples:
  ironic-coreos iso extract minimal-iso coreos.iso > minimal.iso
  ironic-coreos iso extract minimal-iso --output-rootfs rootfs.img \\
    --rootfs-url https://192.0.2.1/rootfs.img coreos.iso minimal.iso
`;

/** As commander gives them. */
interface MinimalIsoOptions extends NewFileOptions {
  readonly outputRootfs?: string;
  readonly rootfsUrl?: string;
}

/** @param extract the group `iso extract` */
export function declareMinimalIso(extract: Command, context: Context): void {
  const command = extract
    .command('minimal-iso')
    .summary('extract the minimal ISO')
    .description('Extracts the minimal ISO, which has no root filesystem, from a live ISO.')
    .argument('<ISO>', ISO)
    .argument('[OUTPUT_ISO]', 'new file to write the minimal ISO to; "-" is standard output', '-')
    .option('--output-rootfs <path>', 'write the root filesystem to a new file as well')
    .option('--rootfs-url <url>', 'boot with the root filesystem from this URL');
  declareNewFile(command)
    .addHelpText('after', NOTES)
    .action(async (iso: string, output: string, options: MinimalIsoOptions) => {
      const { extractMinimalIso } = await import('./minimalIso.ts');
      context.finish(await extractMinimalIso({ ...options, iso, output }, context.io));
    });
  refuseRepeatedOptions(command);
}

/** Declares `iso customize`. */

import type { Command } from 'commander';
import type { CustomizeOptions } from '../customize/options.ts';
import { type Context, EXIT_CODES, refuseRepeatedOptions, repeated } from '../io/commandLine.ts';
import { CUSTOMIZE_NOTES, declareCustomizeOptions } from '../customize/commandOptions.ts';
import { declareEmbedding, type EmbeddingOptions, ISO } from '../customize/outputOptions.ts';

const NOTES = `${CUSTOMIZE_NOTES}
Everything that is embedded is replaced. Live kernel arguments are made from the
defaults of the image, in this order: --live-karg-delete, -append, -replace.
${EXIT_CODES}
Examples:
  ironic-coreos iso customize --live-ignition ironic-agent.ign \\
    --network-nmstate worker-0.yaml -o worker-0.iso coreos.iso
  ironic-coreos iso customize --dest-device /dev/sda --dest-ignition site.ign \\
    --dest-console ttyS0,115200n8 -o install.iso coreos.iso
`;

/** As commander gives them. */
interface ParsedOptions extends CustomizeOptions, EmbeddingOptions {
  readonly liveKargAppend?: readonly string[];
  readonly liveKargDelete?: readonly string[];
  readonly liveKargReplace?: readonly string[];
  readonly force?: boolean;
}

export function declareIsoCustomize(command: Command, context: Context): void {
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
  declareEmbedding(command)
    .addHelpText('after', NOTES)
    .action(async (path: string, options: ParsedOptions) => {
      const { customize } = await import('./customize.ts');
      context.finish(await customize({ ...options, iso: path }, context.io));
    });
  refuseRepeatedOptions(command);
}

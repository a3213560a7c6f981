/** Declares `iso network`. */

import type { Command } from 'commander';
import { type Context, EXIT_CODES, refuseRepeatedOptions } from '../../io/commandLine.ts';
import {
  declareNetworkFiles,
  declareNetworkOutput,
  type NetworkFileOptions,
  type NetworkOutputOptions,
} from '../../customize/networkOptions.ts';
import {
  declareEmbedding,
  declareResult,
  type EmbeddingOptions,
  ISO,
  type ResultOptions,
} from '../../customize/outputOptions.ts';

const EMBED_NOTES = `
The files keep their names without folders. An nmstate description becomes a
file for each connection, such as eth0.nmconnection. The initramfs brings this
network up, and hands it to the installed system where an installation says so
(copy-network).
${EXIT_CODES}
Examples:
  ironic-coreos iso network embed -k bond0.nmconnection \\
    -k eth0.nmconnection -o ipa.iso coreos.iso
  ironic-coreos iso network embed -f --nmstate worker-0.yaml coreos.iso
`;

const EXTRACT_NOTES = `${EXIT_CODES}
Examples:
  ironic-coreos iso network extract coreos.iso
  ironic-coreos iso network extract -C connections coreos.iso
`;

const REMOVE_NOTES = `${EXIT_CODES}
Example:
  ironic-coreos iso network remove coreos.iso
`;

export function declareIsoNetwork(network: Command, context: Context): void {
  declareEmbed(network.command('embed'), context);
  declareExtract(network.command('extract'), context);
  declareRemove(network.command('remove'), context);
}

interface ParsedEmbed extends EmbeddingOptions, NetworkFileOptions {
  readonly force?: boolean;
}

function declareEmbed(command: Command, context: Context): void {
  command
    .summary('embed network settings')
    .description('Embeds network settings in a live ISO. An Ignition config that is embedded stays.')
    .argument('<ISO>', ISO)
    .option('-f, --force', 'replace all embedded network settings');
  declareEmbedding(declareNetworkFiles(command))
    .addHelpText('after', EMBED_NOTES)
    .action(async (iso: string, options: ParsedEmbed) => {
      const { embedNetwork } = await import('./embed.ts');
      context.finish(await embedNetwork({ ...options, iso }, context.io));
    });
  refuseRepeatedOptions(command);
}

function declareExtract(command: Command, context: Context): void {
  command
    .summary('extract the embedded network settings')
    .description('Prints the embedded network settings, or writes them to files.')
    .argument('<ISO>', ISO);
  declareNetworkOutput(command)
    .addHelpText('after', EXTRACT_NOTES)
    .action(async (iso: string, options: NetworkOutputOptions) => {
      const { extractNetwork } = await import('./extract.ts');
      context.finish(await extractNetwork({ ...options, iso }, context.io));
    });
  refuseRepeatedOptions(command);
}

function declareRemove(command: Command, context: Context): void {
  command
    .summary('take the embedded network settings out')
    .description('Takes all network settings out of a live ISO. Having none is no error.')
    .argument('<ISO>', ISO);
  declareResult(command)
    .addHelpText('after', REMOVE_NOTES)
    .action(async (iso: string, options: ResultOptions) => {
      const { removeNetwork } = await import('./remove.ts');
      context.finish(await removeNetwork({ ...options, iso }, context.io));
    });
  refuseRepeatedOptions(command);
}

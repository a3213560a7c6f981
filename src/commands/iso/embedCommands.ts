/** Declares `iso ignition`, the deprecated names of its commands, and `iso network`. */

import type { Command } from 'commander';
import {
  argumentRun,
  declareTable,
  type CommandTable,
  type Context,
  EXIT_CODES,
  declareRun,
  FILES_DIR,
} from '../../io/commandLine.ts';
import {
  declareAddedFiles,
  declareEmbedding,
  declareNetworkFiles,
  declareNetworkOutput,
  declareResult,
  ISO,
} from '../customize/commandOptions.ts';
import type { ConfigOptions } from '../../hosts/input/configFiles.ts';
import type { OutputOptions } from '../../imagefile/imageOutput.ts';
import type { EmbeddingOptions } from './ignition.ts';

const CONFIG = 'Ignition config to embed (default: standard input)';

const EMBED_NOTES = `
The config is validated with Ignition's own rules; an invalid config is not
embedded. To skip the validation, use --no-validate, set
IRONIC_COREOS_VALIDATE=0 in the environment, or run the program as
coreos-installer.
${EXIT_CODES}
Examples:
  ironic-coreos iso ignition embed -i ironic-agent.ign -o ipa.iso coreos.iso
  ironic-coreos render --inventory ramdisk.yaml |
    ironic-coreos iso ignition embed -f coreos.iso
`;

const SHOW_NOTES = `${EXIT_CODES}
Examples:
  ironic-coreos iso ignition show ipa.iso | jq .storage.files
  ironic-coreos iso ignition show http://192.0.2.1/images/ipa.iso
`;

const REMOVE_NOTES = `${EXIT_CODES}
Examples:
  ironic-coreos iso ignition remove ipa.iso
  ironic-coreos iso ignition remove -o plain.iso ipa.iso
`;

const EMBED_NETWORK_NOTES = `
The files keep their names, without folders. An nmstate file or OpenStack
network data is converted to one keyfile per connection, for example
eth0.nmconnection. The initramfs configures the network with these files.
coreos-installer copies them to the installed system only with its option
copy-network.
${EXIT_CODES}
Examples:
  ironic-coreos iso network embed -k bond0.nmconnection \\
    -k eth0.nmconnection -o ipa.iso coreos.iso
  ironic-coreos iso network embed -f --nmstate worker-0.yaml coreos.iso
`;

const EXTRACT_NETWORK_NOTES = `${EXIT_CODES}
Examples:
  ironic-coreos iso network extract coreos.iso
  ironic-coreos iso network extract -C connections coreos.iso
`;

const REMOVE_NETWORK_NOTES = `${EXIT_CODES}
Example:
  ironic-coreos iso network remove coreos.iso
`;

const IGNITION_TABLE: CommandTable = {
  embed: {
    summary: 'Embed an Ignition config',
    declare: (command, context) =>
      declareEmbed(command.option('-i, --ignition-file <path>', CONFIG), context),
  },
  show: { summary: 'Print the embedded Ignition config', declare: declareShow },
  remove: { summary: 'Remove the embedded Ignition config', declare: declareRemove },
};

const NETWORK_TABLE: CommandTable = {
  embed: { summary: 'Embed network settings', declare: declareEmbedNetwork },
  extract: { summary: 'Extract the embedded network settings', declare: declareExtractNetwork },
  remove: { summary: 'Remove the embedded network settings', declare: declareRemoveNetwork },
};

export function declareIsoIgnition(ignition: Command, context: Context): Promise<void> {
  return declareTable(ignition, IGNITION_TABLE, context);
}

export function declareIsoNetwork(network: Command, context: Context): Promise<void> {
  return declareTable(network, NETWORK_TABLE, context);
}

/** The option for the config is `--ignition-file`, and `--config` for the deprecated command. */
interface ParsedEmbed extends EmbeddingOptions, ConfigOptions, OutputOptions {
  readonly config?: string;
}

function declareEmbed(command: Command, context: Context): void {
  command
    .description('Embed an Ignition config in a live ISO. Embedded network settings are kept.')
    .argument('<ISO>', ISO)
    .option('-f, --force', 'replace an embedded config')
    .option('--files-dir <folder>', FILES_DIR)
    .option('--no-validate', 'do not validate the config');
  const run = async (iso: string, { config, ignitionFile = config, ...options }: ParsedEmbed) =>
    (await import('./ignition.ts')).embed({ ...options, iso, ignitionFile }, context.io);
  declareRun(declareAddedFiles(declareEmbedding(command)), EMBED_NOTES, run, context);
}

function declareShow(command: Command, context: Context): void {
  command.description('Print the embedded Ignition config, byte for byte').argument('<ISO>', ISO);
  const run = argumentRun(['iso'], context, async () => (await import('./ignition.ts')).show);
  declareRun(command, SHOW_NOTES, run, context);
}

function declareRemove(command: Command, context: Context): void {
  command
    .description(
      'Remove the embedded Ignition config from a live ISO. Succeeds also if the ISO contains no config.',
    )
    .argument('<ISO>', ISO);
  const run = argumentRun(['iso'], context, async () => (await import('./ignition.ts')).remove);
  declareRun(declareResult(command), REMOVE_NOTES, run, context);
}

/** The deprecated commands of `iso`, for scripts that were written for coreos-installer. */
export function declareDeprecated(command: Command, context: Context): void {
  const name = command.name();
  if (name === 'embed') declareEmbed(command.option('-c, --config <path>', CONFIG), context);
  else if (name === 'show') declareShow(command, context);
  else declareRemove(command, context);
  command.hook('preAction', () => {
    context.io.stderr.write(`\`iso ${name}\` is deprecated; use \`iso ignition ${name}\`.  Continuing.\n`);
  });
}

function declareEmbedNetwork(command: Command, context: Context): void {
  command
    .description('Embed network settings in a live ISO. An embedded Ignition config is kept.')
    .argument('<ISO>', ISO)
    .option('-f, --force', 'replace all embedded network settings');
  const run = argumentRun(['iso'], context, async () => (await import('./network.ts')).embedNetwork);
  declareRun(declareEmbedding(declareNetworkFiles(command)), EMBED_NETWORK_NOTES, run, context);
}

function declareExtractNetwork(command: Command, context: Context): void {
  command
    .description('Print the embedded network settings of a live ISO, or write them to files')
    .argument('<ISO>', ISO);
  const run = argumentRun(['iso'], context, async () => (await import('./network.ts')).extractNetwork);
  declareRun(declareNetworkOutput(command), EXTRACT_NETWORK_NOTES, run, context);
}

function declareRemoveNetwork(command: Command, context: Context): void {
  command
    .description(
      'Remove all network settings from a live ISO. Succeeds also if the ISO contains no network settings.',
    )
    .argument('<ISO>', ISO);
  const run = argumentRun(['iso'], context, async () => (await import('./network.ts')).removeNetwork);
  declareRun(declareResult(command), REMOVE_NETWORK_NOTES, run, context);
}

/** Declares `iso ignition`, and the older spellings of its commands. */

import type { Command } from 'commander';
import {
  type Context,
  declareTable,
  EXIT_CODES,
  refuseRepeatedOptions,
  type TableEntry,
} from '../../io/commandLine.ts';
import {
  type AddedFileOptions,
  declareAddedFiles,
  declareEmbedding,
  declareResult,
  type EmbeddingOptions,
  ISO,
  type ResultOptions,
} from '../../customize/outputOptions.ts';

const CONFIG = 'Ignition config to embed (default: standard input)';

const EMBED_NOTES = `
The config is checked first, as Ignition would check it, and an invalid one is
refused. IRONIC_COREOS_VALIDATE=0 in the environment does what --no-validate
does, and so does starting the program under the name coreos-installer.
${EXIT_CODES}
Examples:
  ironic-coreos iso ignition embed -i ironic-agent.ign -o ipa.iso coreos.iso
  ironic-coreos render --api-url https://192.0.2.1 |
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

const EMBED: TableEntry = {
  name: 'embed',
  summary: 'embed an Ignition config',
  declare: (command, context) => declareEmbed(command.option('-i, --ignition-file <path>', CONFIG), context),
};
const SHOW: TableEntry = {
  name: 'show',
  summary: 'print the embedded Ignition config',
  declare: declareShow,
};
const REMOVE: TableEntry = {
  name: 'remove',
  summary: 'take the embedded Ignition config out',
  declare: declareRemove,
};

const TABLE: readonly TableEntry[] = [EMBED, SHOW, REMOVE];

/** The older spellings, commands of `iso` itself. */
export const DEPRECATED_TABLE: readonly TableEntry[] = [
  deprecated({
    ...EMBED,
    declare: (command, context) => declareEmbed(command.option('-c, --config <path>', CONFIG), context),
  }),
  deprecated(SHOW),
  deprecated(REMOVE),
];

export function declareIsoIgnition(ignition: Command, context: Context): void {
  declareTable(ignition, TABLE, context);
}

/** Options under the names that both spellings of the command give them. */
interface ParsedEmbed extends EmbeddingOptions, AddedFileOptions {
  readonly ignitionFile?: string;
  readonly config?: string;
  readonly force?: boolean;
  readonly validate?: boolean;
}

function declareEmbed(command: Command, context: Context): void {
  command
    .description('Embeds an Ignition config in a live ISO. Network settings that are embedded stay.')
    .argument('<ISO>', ISO)
    .option('-f, --force', 'replace an embedded config')
    .option('--no-validate', 'embed the config without checking it');
  declareAddedFiles(declareEmbedding(command))
    .addHelpText('after', EMBED_NOTES)
    .action(async (iso: string, { config, ignitionFile = config, ...options }: ParsedEmbed) => {
      const { embed } = await import('./embed.ts');
      context.finish(await embed({ ...options, iso, ignitionFile }, context.io));
    });
  refuseRepeatedOptions(command);
}

function declareShow(command: Command, context: Context): void {
  command
    .description('Prints the embedded Ignition config, byte for byte.')
    .argument('<ISO>', ISO)
    .addHelpText('after', SHOW_NOTES)
    .action(async (iso: string) => {
      const { show } = await import('./show.ts');
      context.finish(await show({ iso }, context.io));
    });
}

function declareRemove(command: Command, context: Context): void {
  command
    .description('Takes the embedded Ignition config out of a live ISO. Having none is no error.')
    .argument('<ISO>', ISO);
  declareResult(command)
    .addHelpText('after', REMOVE_NOTES)
    .action(async (iso: string, options: ResultOptions) => {
      const { remove } = await import('./remove.ts');
      context.finish(await remove({ ...options, iso }, context.io));
    });
  refuseRepeatedOptions(command);
}

/** The older spelling of coreos-installer: works, is not shown, and says what to use. */
function deprecated(entry: TableEntry): TableEntry {
  const { name } = entry;
  const declare: TableEntry['declare'] = (command, context) => {
    entry.declare(command, context);
    command.hook('preAction', () => {
      context.io.stderr.write(`\`iso ${name}\` is deprecated; use \`iso ignition ${name}\`.  Continuing.\n`);
    });
  };
  return { ...entry, hidden: true, declare };
}

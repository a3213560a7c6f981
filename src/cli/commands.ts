/** The table of all commands. A command declares its options in its folder, and loads its code when it runs. */

import { Argument, Command, CommanderError } from 'commander';
import { programVersion } from '../core/programVersion.ts';
import type { CommandDescription } from './describeCommand.ts';
import {
  declareTable,
  type CommandTable,
  type Context,
  EXIT_CODES,
  refuseRepeatedOptions,
} from '../io/commandLine.ts';
import { prepareCommands } from './globalOptions.ts';

/** Each group in the order in which a new user needs its commands. */
const TABLE: CommandTable = {
  quickstart: {
    summary: 'Run the whole workflow once with sample data',
    group: 'Start:',
    load: async () => (await import('../commands/quickstart/command.ts')).declareQuickstart,
  },
  init: {
    summary: 'Write an inventory with comments as a start',
    load: async () => (await import('../commands/init/command.ts')).declareInit,
  },
  import: {
    summary: 'Write an inventory from objects of other programs',
    load: async () => (await import('../commands/import/command.ts')).declareImport,
  },
  render: {
    summary: 'Render the Ignition config that runs ironic-python-agent',
    load: async () => (await import('../commands/render/command.ts')).declareRender,
  },
  validate: {
    summary: 'Validate Ignition configs, agent configs and images',
    load: async () => (await import('../commands/validate/command.ts')).declareValidate,
  },
  explain: {
    summary: 'Explain a rule, an error or the cause of a failed boot',
    load: async () => (await import('../commands/explain/command.ts')).declareExplain,
  },
  inspect: {
    summary: 'Show what an image or a config contains and boots',
    group: 'Images:',
    load: async () => (await import('../commands/inspect/command.ts')).declareInspect,
  },
  download: {
    summary: 'Download a CoreOS image and verify it',
    load: async () => (await import('../commands/download/command.ts')).declareDownload,
  },
  'list-stream': {
    summary: 'List the images of a CoreOS stream',
    load: async () => (await import('../commands/download/command.ts')).declareListStream,
  },
  iso: {
    summary: 'Customize CoreOS live ISOs',
    load: async () => (await import('../commands/iso/command.ts')).declareIso,
  },
  pxe: {
    summary: 'Prepare kernel arguments and initramfs files for network boot',
    load: async () => (await import('../commands/pxe/command.ts')).declarePxe,
  },
  prepare: {
    summary: 'Write a folder from which a web server boots the hosts',
    group: 'Serve:',
    load: async () => (await import('../commands/prepare/command.ts')).declarePrepare,
  },
  serve: {
    summary: 'Serve an image for each host of an inventory over HTTP',
    load: async () => (await import('../commands/serve/command.ts')).declareServe,
  },
  try: {
    summary: 'Impersonate Ironic and report how far each ramdisk gets',
    load: async () => (await import('../commands/try/command.ts')).declareTry,
  },
  boot: {
    summary: 'Boot machines by their BMCs until their agents call home',
    load: async () => (await import('../commands/boot/command.ts')).declareBoot,
  },
  controller: {
    summary: 'Build the images that Metal3 PreprovisioningImages request',
    load: async () => (await import('../commands/controller/command.ts')).declareController,
  },
  deploy: {
    summary: 'Write what Ironic and Metal3 need to install hosts',
    group: 'Deploy:',
    load: async () => (await import('../commands/deploy/command.ts')).declareDeploy,
  },
  ignition: {
    summary: 'Merge Ignition configs, or translate them to another version',
    group: 'Tools:',
    load: async () => (await import('../commands/ignition/command.ts')).declareIgnition,
  },
  completion: {
    summary: 'Print a script that completes command lines in a shell',
    declare: declareCompletion,
  },
  __complete: { summary: 'Print what can follow on a command line', hidden: true, declare: declareComplete },
  man: { summary: 'Print the manual page of a command, or write all pages', declare: declareMan },
  help: { summary: 'Print the help of a command', declare: declareHelp },
  version: { summary: 'Print the version', declare: declareVersion },
};

const NOTES = `
Run 'ironic-coreos COMMAND --help' for help on a command.
Documentation: https://www.npmjs.com/package/ironic-coreos

Output:
  Data goes to standard output, messages go to standard error.

Exit codes:
  0  success, or valid
  1  failure, or invalid
  2  usage error

Environment:
  NO_COLOR, FORCE_COLOR  same as --color never and --color always
  COLUMNS                width of the help

Examples:
  ironic-coreos quickstart
  ironic-coreos render --api-url https://192.0.2.1 \\
    --agent-image registry.example.com/ipa -o ironic-agent.ign
  ironic-coreos iso ignition embed -i ironic-agent.ign coreos.iso
`;

/** The program, with only the commands that the arguments need. */
export async function declareCommands(context: Context): Promise<Command> {
  const program = new Command('ironic-coreos')
    .description('Prepare CoreOS to run ironic-python-agent')
    .usage('[options] COMMAND')
    .option('-V, --version', 'print the version')
    .on('option:version', () => {
      context.print(`${programVersion()}\n`);
      throw new CommanderError(0, 'commander.version', 'the version is printed');
    })
    .enablePositionalOptions() // `COMMAND --version` is a usage error
    .addHelpText('after', NOTES);
  await declareTable(program, TABLE, context);
  prepareCommands(program, context);
  return program;
}

/** Declares and describes the whole program, which takes about 50 ms. */
async function describe(context: Context): Promise<CommandDescription> {
  const { describeCommand } = await import('./describeCommand.ts');
  return describeCommand(await declareCommands({ ...context, args: 'unknown' }));
}

const COMPLETION_NOTES = `
With each tab, the script asks the program, so it needs no update.
${EXIT_CODES}
Examples:
  source <(ironic-coreos completion bash)
  ironic-coreos completion bash \\
    > ~/.local/share/bash-completion/completions/ironic-coreos
  ironic-coreos completion zsh > "\${fpath[1]}/_ironic-coreos"
  ironic-coreos completion fish \\
    > ~/.config/fish/completions/ironic-coreos.fish
`;

const COMPLETE_NOTES = `
Prints each word and its description, and at the end the kind of the word:
words, file or folder.
${EXIT_CODES}
Example:
  ironic-coreos __complete -- iso kargs ''
`;

const HELP_NOTES = `
Exit codes:
  0  success
  2  unknown command

Examples:
  ironic-coreos help iso ignition embed
  ironic-coreos help
`;

const VERSION_NOTES = `${EXIT_CODES}
Example:
  ironic-coreos version
`;

const MAN_NOTES = `
Environment:
  SOURCE_DATE_EPOCH  date of the pages, in seconds since 1970
${EXIT_CODES}
Examples:
  ironic-coreos man iso ignition embed | man -l -
  ironic-coreos man -C ~/.local/share/man/man1
`;

function declareCompletion(command: Command, context: Context): void {
  const shells = new Argument('<SHELL>', 'bash, zsh or fish');
  shells.argChoices = ['bash', 'zsh', 'fish'];
  command
    .description(
      'Print a script that completes commands, options, values, hosts, rules and file names in bash, zsh or fish',
    )
    .addArgument(shells)
    .addHelpText('after', COMPLETION_NOTES)
    .action(async (shell: string) => {
      const { completion } = await import('./completion.ts');
      context.finish(await completion(shell, context.io));
    });
}

function declareComplete(command: Command, context: Context): void {
  command
    .description('Print what can follow on a command line; the scripts of `completion` run this command')
    .argument('[WORD...]', 'words of the command line; the last one is to be completed')
    .addHelpText('after', COMPLETE_NOTES)
    .action(async (words: readonly string[]) => {
      const { complete } = await import('./completion.ts');
      context.finish(await complete(words, await describe(context), context.io));
    });
}

function declareMan(command: Command, context: Context): void {
  command
    .description('Print the manual page of a command or of the program, or write all pages to a folder')
    .argument('[COMMAND...]', 'words of the command, for example: iso kargs (default: the program)')
    .option('-C, --directory <folder>', 'folder to write all pages to; created if missing')
    .addHelpText('after', MAN_NOTES)
    .action(async (words: readonly string[], { directory }: { readonly directory?: string }) => {
      const { man } = await import('./man.ts');
      context.finish(await man(words, directory, await describe(context), context.io));
    });
  refuseRepeatedOptions(command);
}

/** `placeGlobalOptions` turns `help COMMAND` into `COMMAND --help`. */
function declareHelp(command: Command): void {
  command
    .description('Print the help of a command or of the program')
    .argument('[COMMAND...]', 'words of the command, for example: iso kargs (default: the program)')
    .addHelpText('after', HELP_NOTES);
}

function declareVersion(command: Command, { print }: Context): void {
  command
    .description('Print the version of the program, like --version')
    .addHelpText('after', VERSION_NOTES)
    .action(() => print(`${programVersion()}\n`));
}

/** The command tree: names, options and help texts. What a command does is in `commands/`, loaded when it runs. */

import { Argument, Command } from 'commander';
import type { CommandDescription } from './describeCommand.ts';
import {
  declareTable,
  type TableEntry,
  type Context,
  EXIT_CODES,
  refuseRepeatedOptions,
} from '../io/commandLine.ts';
import { prepareCommands } from './globalOptions.ts';

/** In the order in which a newcomer meets them. */
const TABLE: readonly TableEntry[] = [
  {
    name: 'quickstart',
    summary: 'try everything once, with nothing at hand',
    declare: async (command, context) =>
      (await import('../quickstart/command.ts')).declareQuickstart(command, context),
  },
  {
    name: 'render',
    summary: 'render the Ignition config that runs ironic-python-agent',
    declare: async (command, context) =>
      (await import('../render/command.ts')).declareRender(command, context),
  },
  {
    name: 'validate',
    summary: 'check Ignition configs as Ignition would',
    declare: async (command, context) =>
      (await import('../validate/command.ts')).declareValidate(command, context),
  },
  {
    name: 'explain',
    summary: 'say what a rule of validate means',
    declare: async (command, context) =>
      (await import('../validate/command.ts')).declareExplain(command, context),
  },
  {
    name: 'inspect',
    summary: 'say what an image is and what it would boot',
    declare: async (command, context) =>
      (await import('../inspect/command.ts')).declareInspect(command, context),
  },
  {
    name: 'ignition',
    summary: 'Merge Ignition configs, or change their version.',
    declare: async (command, context) =>
      (await import('../merge/command.ts')).declareIgnition(command, context),
  },
  {
    name: 'download',
    summary: 'download a CoreOS image, checked',
    declare: async (command, context) =>
      (await import('../download/command.ts')).declareDownload(command, context),
  },
  {
    name: 'list-stream',
    summary: 'list the images of a stream',
    declare: async (command, context) =>
      (await import('../download/command.ts')).declareListStream(command, context),
  },
  {
    name: 'iso',
    summary: 'Customise live ISOs of CoreOS.',
    declare: async (command, context) => (await import('../iso/command.ts')).declareIso(command, context),
  },
  {
    name: 'pxe',
    summary: 'Prepare network boot of the ramdisk.',
    declare: async (command, context) => (await import('../pxe/command.ts')).declarePxe(command, context),
  },
  {
    name: 'deploy',
    summary: 'Write what Ironic and Metal3 need to install hosts.',
    declare: async (command, context) =>
      (await import('../deploy/command.ts')).declareDeploy(command, context),
  },
  {
    name: 'prepare',
    summary: 'make a folder for a web server from which hosts boot the agent',
    declare: async (command, context) =>
      (await import('../prepare/command.ts')).declarePrepare(command, context),
  },
  {
    name: 'serve',
    summary: 'serve each host its own image from one shared copy',
    declare: async (command, context) => (await import('../serve/command.ts')).declareServe(command, context),
  },
  {
    name: 'try',
    summary: 'play Ironic, and tell how far a ramdisk comes',
    declare: async (command, context) => (await import('../try/command.ts')).declareTry(command, context),
  },
  {
    name: 'controller',
    summary: 'make the images that a Metal3 cluster asks for',
    declare: async (command, context) =>
      (await import('../controller/command.ts')).declareController(command, context),
  },
  {
    name: 'dev',
    summary: 'Look into images; may change at any time.',
    hidden: true,
    declare: async (command, context) => (await import('../dev/command.ts')).declareDev(command, context),
  },
  {
    name: 'pack',
    summary: 'Prepare live ISOs as they are built.',
    hidden: true,
    declare: async (command, context) => (await import('../pack/command.ts')).declarePack(command, context),
  },
];

const NOTES = `
Data go to standard output, everything else to standard error.
Of one command: ironic-coreos COMMAND --help

Exit codes:
  0  done, or valid
  1  failed, or not valid
  2  the command line is wrong

Environment:
  NO_COLOR, FORCE_COLOR  as --color never and --color always

Examples:
  ironic-coreos quickstart
  ironic-coreos render --api-url https://192.0.2.1 -o ironic-agent.ign
  ironic-coreos iso ignition embed -i ironic-agent.ign coreos.iso
`;

/** The program with those of its commands that the arguments ask for. */
export async function declareCommands(context: Context): Promise<Command> {
  const program = new Command('ironic-coreos')
    .description('Prepares CoreOS to run ironic-python-agent.')
    .version('0.1.0', '-V, --version', 'print the version')
    .enablePositionalOptions() // of a command, --version is a mistake
    .addHelpText('after', NOTES);
  const describe = async (): Promise<CommandDescription> => {
    const { describeCommand } = await import('./describeCommand.ts');
    return describeCommand(await declareCommands({ ...context, args: 'unknown' }));
  };
  await declareTable(program, [...TABLE, ...programCommands(describe)], context);
  prepareCommands(program, context);
  return program;
}

const COMPLETION_NOTES = `
The script has all commands, options and values as they are now; make it anew
after an update.
${EXIT_CODES}
Examples:
  source <(ironic-coreos completion bash)
  ironic-coreos completion bash \\
    > ~/.local/share/bash-completion/completions/ironic-coreos
  ironic-coreos completion zsh > "\${fpath[1]}/_ironic-coreos"
  ironic-coreos completion fish \\
    > ~/.config/fish/completions/ironic-coreos.fish
`;

const HELP_NOTES = `
Exit codes:
  0  done
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
SOURCE_DATE_EPOCH in the environment is the date of the pages.
${EXIT_CODES}
Examples:
  ironic-coreos man iso ignition embed | man -l -
  ironic-coreos man -C ~/.local/share/man/man1
`;

/** @param describe gives the whole program, which takes its time */
function programCommands(describe: () => Promise<CommandDescription>): readonly TableEntry[] {
  return [
    {
      name: 'completion',
      summary: 'write a script by which a shell completes command lines',
      declare: (command, context) => declareCompletion(command, context, describe),
    },
    {
      name: 'man',
      summary: 'print the manual page of a command, or write all',
      declare: (command, context) => declareMan(command, context, describe),
    },
    { name: 'help', summary: 'print the help of a command', declare: declareHelp },
    { name: 'version', summary: 'print the version', declare: declareVersion },
  ];
}

function declareCompletion(
  command: Command,
  context: Context,
  describe: () => Promise<CommandDescription>,
): void {
  const shells = new Argument('<SHELL>', 'bash, zsh or fish');
  shells.argChoices = ['bash', 'zsh', 'fish'];
  command
    .description('Writes a script by which bash, zsh or fish completes commands, options, values and files.')
    .addArgument(shells)
    .addHelpText('after', COMPLETION_NOTES)
    .action(async (shell: string) => {
      const { completion } = await import('./completion.ts');
      context.finish(await completion({ shell, program: await describe() }, context.io));
    });
}

function declareMan(command: Command, context: Context, describe: () => Promise<CommandDescription>): void {
  command
    .description('Prints the manual page of a command, without one that of the program; or writes all pages.')
    .argument('[COMMAND...]', 'its words, such as iso kargs')
    .option('-C, --directory <folder>', 'write all pages to this folder, which is made if need be')
    .addHelpText('after', MAN_NOTES)
    .action(async (words: readonly string[], options: { readonly directory?: string }) => {
      const { man } = await import('./man.ts');
      context.finish(await man({ ...options, words, program: await describe() }, context.io));
    });
  refuseRepeatedOptions(command);
}

/** `placeGlobalOptions` reads it as `COMMAND --help`. */
function declareHelp(command: Command): void {
  command
    .description('Prints the help of a command, or of the program.')
    .argument('[COMMAND...]', 'its words, such as iso kargs')
    .addHelpText('after', HELP_NOTES);
}

function declareVersion(command: Command, { print }: Context): void {
  command
    .description('Prints the version of the program, as --version does.')
    .addHelpText('after', VERSION_NOTES)
    .action(() => print(`${command.parent?.version() ?? ''}\n`));
}

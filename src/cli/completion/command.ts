/** Declares the commands about the program itself: `completion`, `man`, `help` and `version`. */

import { Argument, type Command } from 'commander';
import type { CommandDescription } from '../commandDescription.ts';
import { type Context, EXIT_CODES, refuseRepeatedOptions, type TableEntry } from '../../io/commandLine.ts';

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
export function tellingCommands(describe: () => CommandDescription): readonly TableEntry[] {
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

function declareCompletion(command: Command, context: Context, describe: () => CommandDescription): void {
  const shells = new Argument('<SHELL>', 'bash, zsh or fish');
  shells.argChoices = ['bash', 'zsh', 'fish'];
  command
    .description('Writes a script by which bash, zsh or fish completes commands, options, values and files.')
    .addArgument(shells)
    .addHelpText('after', COMPLETION_NOTES)
    .action(async (shell: string) => {
      const { completion } = await import('./completion.ts');
      context.finish(await completion({ shell, program: describe() }, context.io));
    });
}

function declareMan(command: Command, context: Context, describe: () => CommandDescription): void {
  command
    .description('Prints the manual page of a command, without one that of the program; or writes all pages.')
    .argument('[COMMAND...]', 'its words, such as iso kargs')
    .option('-C, --directory <folder>', 'write all pages to this folder, which is made if need be')
    .addHelpText('after', MAN_NOTES)
    .action(async (words: readonly string[], options: { readonly directory?: string }) => {
      const { man } = await import('../man/man.ts');
      context.finish(await man({ ...options, words, program: describe() }, context.io));
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

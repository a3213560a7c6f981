/** Declares what tells of the commands themselves: `completion` and `man`. */

import { type Command, Argument } from 'commander';
import type { CommandDescription } from '../commands/commandDescription.ts';
import type { TableEntry } from './commandTable.ts';
import type { Context } from './context.ts';
import { EXIT_CODES } from './exitCodes.ts';
import { refuseRepeatedOptions } from './repeatedOptions.ts';

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
      const { completion } = await import('../commands/completion/completion.ts');
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
      const { man } = await import('../commands/man/man.ts');
      context.finish(await man({ ...options, words, program: describe() }, context.io));
    });
  refuseRepeatedOptions(command);
}

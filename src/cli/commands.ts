/** The table of all commands. A command declares its options in its folder, and loads its code when it runs. */

import { Command, CommanderError } from 'commander';
import { programVersion } from '../core/programVersion.ts';
import { choice, command, type CommandTable, folder, freeText } from '../io/commandLine.ts';
import { type Context, ProgramCommand } from './program.ts';

/** Each group in the order in which a new user needs its commands. */
const table: CommandTable = {
  quickstart: {
    summary: 'Run the whole workflow once with sample data',
    group: 'Start:',
    load: async () => (await import('../commands/quickstart/command.ts')).quickstartCommand,
  },
  init: {
    summary: 'Write an inventory with comments as a start',
    load: async () => (await import('../commands/init/command.ts')).initCommand,
  },
  import: {
    summary: 'Write an inventory from objects of other programs',
    load: async () => (await import('../commands/import/command.ts')).importCommand,
  },
  render: {
    summary: 'Render the Ignition config that runs ironic-python-agent',
    load: async () => (await import('../commands/render/command.ts')).renderCommand,
  },
  validate: {
    summary: 'Validate Ignition configs, agent configs and images',
    load: async () => (await import('../commands/validate/command.ts')).validateCommand,
  },
  explain: {
    summary: 'Explain a rule, an error or the cause of a failed boot',
    load: async () => (await import('../commands/explain/command.ts')).explainCommand,
  },
  inspect: {
    summary: 'Show what an image or a config contains and boots',
    group: 'Images:',
    load: async () => (await import('../commands/inspect/command.ts')).inspectCommand,
  },
  download: {
    summary: 'Download a CoreOS image and verify it',
    load: async () => (await import('../commands/download/command.ts')).downloadCommand,
  },
  'list-stream': {
    summary: 'List the images of a CoreOS stream',
    load: async () => (await import('../commands/download/command.ts')).listStreamCommand,
  },
  iso: {
    summary: 'Customize CoreOS live ISOs',
    load: async () => (await import('../commands/iso/command.ts')).iso,
  },
  pxe: {
    summary: 'Prepare kernel arguments and initramfs files for network boot',
    load: async () => (await import('../commands/pxe/command.ts')).pxe,
  },
  prepare: {
    summary: 'Write a folder from which a web server boots the hosts',
    group: 'Serve:',
    load: async () => (await import('../commands/prepare/command.ts')).prepareCommand,
  },
  serve: {
    summary: 'Serve an image for each host of an inventory over HTTP',
    load: async () => (await import('../commands/serve/command.ts')).serveCommand,
  },
  preflight: {
    summary: 'Ask the servers that hosts need, before a machine boots',
    load: async () => (await import('../commands/preflight/command.ts')).preflightCommand,
  },
  try: {
    summary: 'Impersonate Ironic and report how far each ramdisk gets',
    load: async () => (await import('../commands/try/command.ts')).tryCommand,
  },
  boot: {
    summary: 'Boot machines by their BMCs until their agents call home',
    load: async () => (await import('../commands/boot/command.ts')).bootCommand,
  },
  controller: {
    summary: 'Build the images that Metal3 PreprovisioningImages request',
    load: async () => (await import('../commands/controller/command.ts')).controllerCommand,
  },
  deploy: {
    summary: 'Write what Ironic and Metal3 need to install hosts',
    group: 'Deploy:',
    load: async () => (await import('../commands/deploy/command.ts')).deploy,
  },
  ignition: {
    summary: 'Merge Ignition configs, or translate them to another version',
    group: 'Tools:',
    load: async () => (await import('../commands/ignition/command.ts')).ignition,
  },
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

/** The program. It declares a command when the command line names it. */
export function createProgram(context: Context): ProgramCommand {
  const program = new ProgramCommand('ironic-coreos', context);
  return program
    .description('Prepare CoreOS to run ironic-python-agent')
    .option('-V, --version', 'print the version')
    .on('option:version', () => {
      context.print(`${programVersion()}\n`);
      throw new CommanderError(0, 'commander.version', 'the version is printed');
    })
    .addNotes(() => NOTES)
    .addHelpCommand(new Command('help').description('Print the help of a command').helpGroup('Tools:'))
    .addCommands({ ...table, ...shellCommands(program) });
}

function shellCommands(program: ProgramCommand): CommandTable {
  const completion = command({
    summary: 'Print a script that completes command lines in a shell',
    description:
      'Print a script that completes commands, options, values, hosts, rules and file names in bash, zsh or fish',
    options: {
      '<SHELL>': choice(['bash', 'zsh', 'fish'], 'bash, zsh or fish'),
    },
    details: `
With each tab, the script asks the program, so it needs no update.
`,
    examples: `
  source <(ironic-coreos completion bash)
  ironic-coreos completion bash \\
    > ~/.local/share/bash-completion/completions/ironic-coreos
  ironic-coreos completion zsh > "\${fpath[1]}/_ironic-coreos"
  ironic-coreos completion fish \\
    > ~/.config/fish/completions/ironic-coreos.fish
`,
    load: async () => (await import('./completion.ts')).printScript,
  });
  const complete = command({
    summary: 'Print what can follow on a command line',
    isHidden: true,
    description: 'Print what can follow on a command line; the scripts of `completion` run this command',
    options: {
      '[WORD...]': freeText('words of the command line; the last one is to be completed'),
    },
    details: `
Prints each word and its description, and at the end the kind of the word:
words, file or folder.
`,
    examples: `
  ironic-coreos __complete -- iso kargs ''
`,
    load: async () => {
      const { complete: run } = await import('./completion.ts');
      return async ({ word }, io) => run(word, program, io);
    },
  });
  const man = command({
    summary: 'Print the manual page of a command, or write all pages',
    description: 'Print the manual page of a command or of the program, or write all pages to a folder',
    options: {
      '[COMMAND...]': freeText('words of the command, for example: iso kargs (default: the program)'),
      '-C, --directory <folder>': folder('folder to write all pages to; created if missing'),
    },
    details: `
Environment:
  SOURCE_DATE_EPOCH  date of the pages, in seconds since 1970
`,
    examples: `
  ironic-coreos man iso ignition embed | man -l -
  ironic-coreos man -C ~/.local/share/man/man1
`,
    load: async () => {
      const { man: run } = await import('./man.ts');
      return async (options, io) => run(options, program, io);
    },
  });
  return { completion, __complete: complete, man };
}

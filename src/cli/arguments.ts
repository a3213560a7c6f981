/**
 * Where commander reads a command line otherwise than those for which scripts are written: clap, of coreos-installer, and
 * Go's `flag`, of the image-customization-controller.
 */

import type { Command } from 'commander';

/**
 * The arguments as commander has to get them.
 * @param args without interpreter and script
 */
export function adaptArguments(args: readonly string[], program: Command): string[] {
  const adapted = withTwoDashes(withoutSigns(args), program);
  return namesUnknownCommand(adapted, program) ? adapted.filter((arg) => !isHelp(arg)) : [...adapted];
}

/** `-o=FILE` is `-oFILE`; commander would take the sign for a part of the value. */
function withoutSigns(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  return args.map((arg, index) =>
    (end < 0 || index < end) && /^-[a-zA-Z]=./.test(arg) ? arg.slice(0, 2) + arg.slice(3) : arg,
  );
}

/** `-listen` is `--listen` to those that are started in place of a program that takes its flags so. */
function withTwoDashes(args: readonly string[], program: Command): readonly string[] {
  const [name = ''] = args;
  const service = program.commands.find((command) => command.name() === name);
  if (service === undefined || !goPrograms.has(name)) return args;
  const flags = new Set(service.options.map(({ long }) => long));
  return args.map((arg) => (flags.has(`-${arg.replace(/=.*/s, '')}`) ? `-${arg}` : arg));
}

const goPrograms: ReadonlySet<string> = new Set(['serve', 'controller']);

/** With `--help` commander would show the help of the group, and call that a success. */
function namesUnknownCommand(args: readonly string[], program: Command): boolean {
  let command = program;
  for (const arg of args) {
    if (arg.startsWith('-') || command.commands.length === 0) return false;
    const next = command.commands.find((it) => it.name() === arg || it.aliases().includes(arg));
    if (next === undefined) return true;
    command = next;
  }
  return false;
}

function isHelp(arg: string): boolean {
  return arg === '-h' || arg === '--help';
}

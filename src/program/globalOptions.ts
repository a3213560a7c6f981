/** The options that every command has, before its name or behind it: how much is said, and in which colours. */

import { type Command, Option } from 'commander';
import { talkAsChosen, type TalkChoice } from '../commands/output/talk.ts';
import type { Io } from '../io/io.ts';
import { choice } from './choice.ts';

/** An `io` for commands that minds the options, and the choice that they make. */
export function createTalk(io: Io): { readonly io: Io; readonly chosen: TalkChoice } {
  const chosen: TalkChoice = { talk: 'usual', color: 'auto' };
  return { io: talkAsChosen(io, chosen), chosen };
}

/** Declares them; a command that has one of these names already, as other programs do, keeps its own meaning. */
export function declareGlobalOptions(command: Command, chosen: TalkChoice): void {
  const chooseTalk = (talk: TalkChoice['talk']) => () => {
    chosen.talk = talk;
  };
  declare(command, choice('--color <when>', 'auto (default), always or never', COLORS), (when) => {
    chosen.color = COLORS.find((name) => name === when) ?? command.error(wrongColor(when));
  });
  declare(command, new Option('--quiet', 'say nothing but errors'), chooseTalk('errors'));
  declare(command, new Option('--verbose', 'also say what is read, and why'), chooseTalk('everything'));
}

/** The heading of these options in the help. */
export const GLOBAL_OPTIONS = 'Global options:';
const COLORS = ['auto', 'always', 'never'] as const;

function declare(command: Command, option: Option, take: (value: string) => void): void {
  if (command.options.some(({ long }) => long === option.long)) return;
  command.addOption(option.helpGroup(GLOBAL_OPTIONS));
  command.on(`option:${option.name()}`, take);
}

function wrongColor(when: string): string {
  return `error: --color: unknown value ${JSON.stringify(when)}\nhint: use one of ${COLORS.join(', ')}`;
}

/** The global options before the name of the command, and the rest, which begins with that name. */
export function splitGlobalOptions(args: readonly string[]): {
  readonly leading: readonly string[];
  readonly rest: readonly string[];
} {
  let end = 0;
  for (let arg = args[0]; arg !== undefined && LEADING.test(arg); arg = args[end])
    end += arg === '--color' ? 2 : 1;
  return { leading: args.slice(0, end), rest: args.slice(end) };
}

const LEADING = /^--(?:quiet|verbose|color(?:=.*)?)$/s;

/**
 * `completion`: a script for bash, zsh or fish. With each tab, it asks the hidden command `__complete` for the words
 * that can follow on the command line, so it needs no update with the program.
 */

import { readAsset } from '../core/assets.ts';
import type { Option } from 'commander';
import type { Completion } from '../io/commandLine.ts';
import { collectDiagnostics } from '../io/report/report.ts';
import type { ExitCode, Io } from '../io/io.ts';
import { writeStdout } from '../io/stdout.ts';
import { DeclaredArgument, DeclaredOption, type ProgramCommand } from './program.ts';

export async function printScript({ shell }: { readonly shell: string }, io: Io): Promise<ExitCode> {
  await writeStdout(io, [Buffer.from(readAsset(`templates/completion/${shell}`))]);
  return 0;
}

/** A word that can follow on the command line. */
interface Offer {
  readonly word: string;
  /** One line; empty if there is nothing to say. */
  readonly text: string;
}

/**
 * Prints the offers, each as a line `WORD<tab>TEXT`, and at the end how the shell completes the word: `:words` with these
 * offers, `:file` or `:folder` with its own names. The value of `--option=value` is offered without `--option=`.
 * @param words of the command line, without the program; the last one is to be completed, and may be empty. Bash passes `=`
 *   as a word of its own
 */
export async function complete(words: readonly string[], program: ProgramCommand, io: Io): Promise<ExitCode> {
  const { command, given, option } = await readWords(words.slice(0, -1), program);
  const last = words.at(-1) ?? '';
  const [name] = /^--[^=]+(?==)/.exec(last) ?? [];
  const joined = name === undefined ? undefined : findOption(name, command);
  const typed = joined === undefined ? last.replace(/^=$/, '') : last.replace(/^[^=]+=/, '');
  const value = (joined ?? option)?.declared.value;
  // All arguments of a command have the same completion.
  const [first] = command.registeredArguments;
  const argument = first instanceof DeclaredArgument ? first.declared : undefined;
  const offers =
    value !== undefined
      ? await offersOf(value.completion, typed, words, io)
      : typed.startsWith('-')
        ? optionOffers(command, given)
        : command.children.length > 0
          ? command.children.map((child) => ({ word: child.name(), text: child.summary() }))
          : await offersOf(argument?.value?.completion ?? 'any', typed, words, io);
  const lines =
    typeof offers === 'string'
      ? [`:${offers}`]
      : [
          ...offers
            .filter(({ word }) => word.startsWith(typed))
            .map(({ text, word }) => `${word}\t${shortText(text)}`),
          ':words',
        ];
  await writeStdout(io, [Buffer.from(`${lines.join('\n')}\n`)]);
  return 0;
}

/** The command, the options before, and the option whose value follows. */
async function readWords(words: readonly string[], program: ProgramCommand) {
  let command = program;
  let option: DeclaredOption | undefined;
  const given = new Set<Option>();
  for (const word of words) {
    if (word === '=') continue;
    if (option !== undefined) option = undefined;
    else if (word.startsWith('-')) {
      const found = findOption(word.replace(/=.*/, ''), command);
      if (found === undefined) continue;
      given.add(found);
      if (found.required && !word.includes('=')) option = found;
    } else {
      command = command.children.find((child) => child.name() === word) ?? command;
      await command.declare();
    }
  }
  return { command, given, option };
}

function findOption(name: string, { options }: ProgramCommand): DeclaredOption | undefined {
  return options
    .filter((option) => option instanceof DeclaredOption)
    .find(({ long, short }) => long === name || short === name);
}

function optionOffers(command: ProgramCommand, given: ReadonlySet<Option>): Offer[] {
  return command
    .printAll()
    .createHelp()
    .visibleOptions(command)
    .filter((option) => !given.has(option) || (option instanceof DeclaredOption && option.declared.isList))
    .flatMap(({ description: text, long, short }) =>
      [short, long].flatMap((word) => (word === undefined ? [] : { word, text })),
    );
}

/** @param typed the begin of the value */
async function offersOf(
  completion: Completion,
  typed: string,
  words: readonly string[],
  io: Io,
): Promise<readonly Offer[] | 'file' | 'folder'> {
  switch (completion) {
    case 'file':
    case 'folder':
      return completion;
    case 'any':
      return [];
    case 'host':
      return listHosts(words, io);
    case 'ids': {
      const before = typed.slice(0, typed.lastIndexOf(',') + 1);
      const { explanations } = await import('../io/report/explanations.ts');
      return explanations().map(({ id, message }) => ({ word: before + id, text: message }));
    }
    default:
      return completion.map((word) => ({ word, text: '' }));
  }
}

/** The hosts of the inventory on the command line. Without a readable one, there is nothing to offer. */
async function listHosts(words: readonly string[], io: Io): Promise<Offer[]> {
  const plain = words.flatMap((word) => word.split(/(?<=^--inventory)=/)).filter((word) => word !== '=');
  const file = plain[plain.lastIndexOf('--inventory') + 1] ?? '';
  if (!plain.includes('--inventory')) return [];
  const { readInventoryDocument } = await import('../hosts/settings/inventory.ts');
  try {
    const { inventory } = await readInventoryDocument(file, collectDiagnostics(io).io);
    return (inventory.hosts ?? []).map(({ mac, name }) => ({ word: name, text: mac ?? '' }));
  } catch {
    return [];
  }
}

/** The text for one line of a menu: without the default in parentheses, at most 72 characters. */
function shortText(text: string): string {
  const plain = text.replaceAll(/\s+/g, ' ').replace(/ \(default: [^()]*\)$/, '');
  return plain.length <= LONGEST ? plain : `${plain.slice(0, LONGEST - 1).replace(/\s\S*$/, '')}…`;
}

const LONGEST = 72;

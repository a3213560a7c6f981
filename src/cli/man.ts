/** `man`: manual pages, one for each command, made from the texts of its help. */

import { quoteText } from '../core/foreignText.ts';
import { join, resolve } from 'node:path';
import type { Option } from 'commander';
import { append, groupBy } from '../core/lists.ts';
import { UsageError } from '../core/errors.ts';
import type { ExitCode, Io } from '../io/io.ts';
import { sourceDate } from '../io/sourceDate.ts';
import { makeFolder, writeIfChanged } from '../io/files/newFile.ts';
import { writeStdout } from '../io/stdout.ts';
import { hintChoices } from '../io/report/choices.ts';
import type { ProgramCommand } from './program.ts';
import { programVersion } from '../core/programVersion.ts';

/**
 * @param options `command`: the words of the command whose page is printed; empty for the page of the program. `directory`: all
 *   pages are written to this folder, which is created if missing
 */
export async function man(
  {
    command: words,
    directory,
  }: { readonly command: readonly string[]; readonly directory?: string | undefined },
  program: ProgramCommand,
  io: Io,
): Promise<ExitCode> {
  const commands = await program.withDescendants();
  const date = (sourceDate(io) ?? new Date()).toISOString().slice(0, 10);
  if (directory === undefined) {
    await writeStdout(io, [Buffer.from(formatManPage(findCommand(words, program), date))]);
    return 0;
  }
  if (words.length > 0)
    throw new UsageError('-C writes all pages', { hint: `remove -C, or remove "${words.join(' ')}"` });
  const folder = resolve(io.cwd, directory);
  await makeFolder(folder, directory);
  for (const command of commands) {
    const name = `${pageName(command)}.1`;
    const page = Buffer.from(formatManPage(command, date));
    await writeIfChanged(join(folder, name), page, { shownPath: join(directory, name) });
  }
  return 0;
}

function findCommand(words: readonly string[], program: ProgramCommand): ProgramCommand {
  let command = program;
  for (const word of words) {
    const names = command.children.map((child) => child.name());
    const child = command.children[names.indexOf(word)];
    if (child === undefined) {
      const hint = names.length === 0 ? `${command.path} has no commands` : hintChoices(word, names);
      throw new UsageError(`unknown command: ${quoteText(word)}`, { hint });
    }
    command = child;
  }
  return command;
}

/** `ironic-coreos-iso-kargs` */
function pageName({ path }: ProgramCommand): string {
  return path.replaceAll(' ', '-');
}

/** The page of one command. The commands of a group have their own pages. @param date in the form `2026-11-21` */
function formatManPage(command: ProgramCommand, date: string): string {
  const { children, path } = command;
  const words = path.split(' ');
  const help = command.printAll().createHelp();
  const { intro, sections } = formatNotes(command.notes);
  const summary = (command.summary() || command.description()).replace(/\.$/, '');
  const phrase = summary.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
  const groups = groupBy(
    help.visibleOptions(command),
    ({ helpGroupHeading = 'Options:' }) => helpGroupHeading,
  );
  const options = Array.from(groups, ([group, members]) => [
    ...(group === 'Options:' ? [] : [`.SS ${escapeRoff(group.replace(/:$/, ''))}`]),
    ...members.flatMap((option) => formatOption(option, help.optionDescription(option))),
  ]);
  const parents = words.slice(0, -1).map((_word, index) => words.slice(0, index + 1).join('-'));
  const related = [...parents, ...children.map(pageName)].map((name) => `.BR ${escapeRoff(name)} (1)`);
  return [
    `.TH ${pageName(command).toUpperCase()} 1 ${date} "${words[0]} ${programVersion()}"`,
    '.SH NAME',
    `${escapeRoff(pageName(command))} \\- ${escapeRoff(phrase)}`,
    '.SH SYNOPSIS',
    `.B ${escapeRoff(path)}`,
    escapeRoff(command.usage()),
    '.SH DESCRIPTION',
    escapeRoff(command.description()),
    ...intro,
    ...section(
      'ARGUMENTS',
      command.registeredArguments.flatMap((one) => [
        '.TP',
        `.I ${escapeRoff(one.name())}`,
        escapeRoff(help.argumentDescription(one)),
      ]),
    ),
    ...section('OPTIONS', options.flat()),
    ...section(
      'COMMANDS',
      children.flatMap((child) => [
        '.TP',
        `.BR ${escapeRoff(pageName(child))} (1)`,
        escapeRoff(child.summary()),
      ]),
    ),
    ...sections,
    ...section('SEE ALSO', [...related.slice(0, -1).map((name) => `${name},`), ...related.slice(-1)]),
    '',
  ].join('\n');
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`.SH ${title}`, ...lines];
}

function formatOption({ flags, long, short }: Option, text: string): string[] {
  const names = [short, long].flatMap((name) => (name ? [`\\fB${escapeRoff(name)}\\fR`] : []));
  const [, placeholder] = /<(.*)>$/.exec(flags) ?? [];
  const value = placeholder === undefined ? '' : ` \\fI${escapeRoff(placeholder)}\\fR`;
  return ['.TP', `${names.join(', ')}${value}`, escapeRoff(text)];
}

/** Headings of the help that have another name in man(7). */
const SECTIONS: ReadonlyMap<string, string> = new Map([
  ['Exit codes', 'EXIT STATUS'],
  ['Example', 'EXAMPLES'],
]);

/**
 * The notes of the help as lines of roff: those before the first heading, and the sections.
 * @param notes wrapped lines; headings end with a colon, the lines of a section are indented
 */
export function formatNotes(notes: string) {
  const intro: string[] = [];
  const sections: string[] = [];
  let isIntro = true;
  for (const block of blocksOf(notes)) {
    const [first = ''] = block;
    const heading = /^([A-Z][^:]*):$/.exec(first)?.[1];
    if (heading !== undefined) {
      isIntro = false;
      sections.push(`.SH ${escapeRoff(SECTIONS.get(heading) ?? heading.toUpperCase())}`);
    }
    const body = heading === undefined ? block : block.slice(1);
    const target = isIntro ? intro : sections;
    append(target, formatBody(body, target.at(-1)?.startsWith('.SH ') === true));
  }
  return { intro, sections };
}

/** Splits the text at empty lines and before headings. */
function blocksOf(notes: string): string[][] {
  const blocks: string[][] = [[]];
  for (const line of notes.split('\n')) {
    if (line === '' || /^[A-Z][^:]*:$/.test(line)) blocks.push([]);
    if (line !== '') blocks.at(-1)?.push(line);
  }
  return blocks.filter(({ length }) => length > 0);
}

/** Indented lines are not filled, because they may be commands or tables. Other lines are filled. */
function formatBody(lines: readonly string[], isFirst: boolean): string[] {
  if (lines.length === 0) return [];
  const start = isFirst ? [] : ['.PP'];
  if (lines.every((line) => !line.startsWith(' '))) return [...start, ...lines.map(escapeRoff)];
  return [...start, '.nf', ...lines.map((line) => escapeRoff(line)), '.fi'];
}

export function escapeRoff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^[.']/, '\\&$&')
    .replaceAll('…', '...')
    .replaceAll("'", '\\(aq');
}

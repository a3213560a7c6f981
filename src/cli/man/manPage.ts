/** A manual page in the macros of man(7), which every system has. */

import type { CommandDescription, OptionDescription } from '../commandDescription.ts';
import { escapeRoff, formatNotes } from './manNotes.ts';

/** What the page belongs to; the date is `2026-11-21`. */
export interface Release {
  readonly version: string;
  readonly date: string;
}

/** `ironic-coreos-iso-kargs` */
export function pageName({ words }: CommandDescription): string {
  return words.join('-');
}

/** The whole page of one command; those of its commands are pages of their own. */
export function formatManPage(command: CommandDescription, { date, version }: Release): string {
  const { commands, notes, purpose, summary, words } = command;
  const [program = ''] = words;
  const { intro, sections } = formatNotes(notes);
  return [
    `.TH ${pageName(command).toUpperCase()} 1 ${date} "${program} ${version}"`,
    '.SH NAME',
    `${escapeRoff(pageName(command))} \\- ${escapeRoff(asPhrase(summary))}`,
    '.SH SYNOPSIS',
    `.B ${escapeRoff(words.join(' '))}`,
    escapeRoff(command.usage),
    '.SH DESCRIPTION',
    escapeRoff(purpose),
    ...intro,
    ...formatArguments(command),
    ...formatOptions(command.options),
    ...(commands.length === 0 ? [] : ['.SH COMMANDS', ...commands.flatMap(formatCommand)]),
    ...sections,
    ...formatSeeAlso(command),
    '',
  ].join('\n');
}

/** Within a line, whether it is a sentence or not. */
function asPhrase(summary: string): string {
  return summary.replace(/\.$/, '').replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}

function formatArguments({ arguments: all }: CommandDescription): string[] {
  if (all.length === 0) return [];
  return [
    '.SH ARGUMENTS',
    ...all.flatMap(({ name, text }) => ['.TP', `.I ${escapeRoff(name)}`, escapeRoff(text)]),
  ];
}

function formatOptions(options: readonly OptionDescription[]): string[] {
  const groups = new Map<string, OptionDescription[]>();
  for (const option of options) groups.set(option.group, [...(groups.get(option.group) ?? []), option]);
  const blocks = Array.from(groups, ([group, members]) => [
    ...(group === 'Options:' ? [] : [`.SS ${escapeRoff(group.replace(/:$/, ''))}`]),
    ...members.flatMap(formatOption),
  ]);
  return ['.SH OPTIONS', ...blocks.flat()];
}

function formatOption({ long, placeholder, short, text }: OptionDescription): string[] {
  const names = [short, long].flatMap((name) => (name === undefined ? [] : [`\\fB${escapeRoff(name)}\\fR`]));
  const value =
    placeholder === undefined ? '' : ` \\fI${escapeRoff(placeholder.replaceAll(/[<>]/g, ''))}\\fR`;
  return ['.TP', `${names.join(', ')}${value}`, escapeRoff(text)];
}

function formatCommand(command: CommandDescription): string[] {
  return ['.TP', `.BR ${escapeRoff(pageName(command))} (1)`, escapeRoff(command.summary)];
}

function formatSeeAlso({ words, commands }: CommandDescription): string[] {
  const parents = words.slice(0, -1).map((_word, index) => words.slice(0, index + 1).join('-'));
  const names = [...parents, ...commands.map(pageName)];
  if (names.length === 0) return [];
  return [
    '.SH SEE ALSO',
    ...names.map((name, index) => `.BR ${escapeRoff(name)} (1)${index + 1 < names.length ? ',' : ''}`),
  ];
}

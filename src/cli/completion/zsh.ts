/** Completion for zsh 5 and newer, by `_arguments` of its completion system. */

import {
  type ArgumentDescription,
  type CommandDescription,
  type OptionDescription,
  type Value,
  withDescendants,
} from '../commandDescription.ts';
import { quoteWord, shortText } from './shellWords.ts';

/** The script: a file `_ironic-coreos` in a folder of `fpath`, or to be read behind `compinit`. */
export function formatZshCompletion(program: CommandDescription): string {
  const name = program.words.join(' ');
  return [
    `#compdef ${name}`,
    `# zsh completion for ${name}: source <(${name} completion zsh), behind compinit`,
    '',
    ...withDescendants(program).flatMap((command) => [
      ...(command.commands.length > 0 ? formatGroup(command) : formatLeaf(command)),
      '',
    ]),
    `if [[ $funcstack[1] == ${functionOf(program)} ]]; then`,
    `  ${functionOf(program)} "$@"`,
    'else',
    `  compdef ${functionOf(program)} ${name}`,
    'fi',
    '',
  ].join('\n');
}

function formatGroup(command: CommandDescription): string[] {
  const { commands, options } = command;
  const names = commands.map(({ words, summary }) =>
    quoteWord(`${words.at(-1) ?? ''}:${shortText(summary)}`),
  );
  return [
    `${functionOf(command)}() {`,
    '  local curcontext="$curcontext" state line',
    '  local -a names',
    ...formatArguments([...options.map(formatOption), "'1: :->name'", "'*:: :->rest'"], '-C'),
    '  case $state in',
    '    name)',
    `      names=(${names.join(' ')})`,
    "      _describe -t commands 'command' names",
    '      ;;',
    '    rest)',
    '      case $line[1] in',
    ...commands.map((child) => `        ${child.words.at(-1) ?? ''}) ${functionOf(child)} ;;`),
    '      esac',
    '      ;;',
    '  esac',
    '}',
  ];
}

function formatLeaf(command: CommandDescription): string[] {
  const specs = [...command.options.map(formatOption), ...command.arguments.map(formatArgument)];
  return [`${functionOf(command)}() {`, ...formatArguments(specs, '-S'), '}'];
}

function formatArguments(specs: readonly string[], mode: string): string[] {
  return [
    `  _arguments -s ${mode} \\`,
    ...specs.map((spec, i) => `    ${spec}${i + 1 < specs.length ? ' \\' : ''}`),
  ];
}

/** The names exclude each other where an option may be given once. */
function formatOption({ isRepeated, long, placeholder, short, text, value }: OptionDescription): string {
  const names = short === undefined ? [long] : [short, long];
  const takes =
    placeholder === undefined ? '' : `:${escape(placeholder.replaceAll(/[<>[\]]/g, ''))}:${actionOf(value)}`;
  const described = `[${escape(shortText(text))}]${takes}`;
  const before = isRepeated ? '*' : names.length > 1 ? `(${names.join(' ')})` : '';
  return names
    .map((name) => {
      // The value may follow at once, behind a sign, or as the next word.
      const joint = placeholder === undefined ? '' : name === long ? '=' : '+';
      return quoteWord(`${before}${name}${joint}${described}`);
    })
    .join(' ');
}

function formatArgument({ isRepeated, name, value }: ArgumentDescription): string {
  return quoteWord(`${isRepeated ? '*' : ''}:${escape(name)}:${actionOf(value)}`);
}

function actionOf(value: Value): string {
  if (value === 'any') return '';
  if (value === 'file') return '_files';
  return value === 'folder' ? '_files -/' : `(${value.join(' ')})`;
}

function functionOf({ words }: CommandDescription): string {
  return `_${words.join('_')}`;
}

/** In a specification these characters have a meaning. */
function escape(text: string): string {
  return text.replaceAll(/[[\]:\\]/g, '\\$&');
}

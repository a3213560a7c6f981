/**
 * Completion for bash 3.2 and newer, also without the package bash-completion. Files and folders are left to bash, which
 * knows how to quote them. Behind a `:` and in the first part of `path:name` nothing is completed in a special way.
 */

import {
  type CommandDescription,
  type OptionDescription,
  type Value,
  withDescendants,
} from '../commandDescription.ts';
import { quoteWord } from './shellWords.ts';

/** The script, to be read by the shell: `source <(ironic-coreos completion bash)`. */
export function formatBashCompletion(program: CommandDescription): string {
  const name = program.words.join(' ');
  const groups = withDescendants(program).filter(({ commands }) => commands.length > 0);
  return [
    `# bash completion for ${name}: source <(${name} completion bash)`,
    '',
    HEAD.trim(),
    '    case "$path $word" in',
    `      ${groups
      .flatMap((group) => group.commands.map(pathOf))
      .map(quotePath)
      .join('|')}) path+=" $word" ;;`,
    '    esac',
    '  done',
    '',
    '  local names= options= value= argument=any',
    '  case "$path" in',
    ...withDescendants(program).flatMap(formatCommand),
    '  esac',
    TAIL.trim(),
    `complete -F _ironic_coreos ${name}`,
    '',
  ].join('\n');
}

/** `=` is a word of its own to bash. */
const HEAD = `
_ironic_coreos() {
  local cur=\${COMP_WORDS[COMP_CWORD]} option=\${COMP_WORDS[COMP_CWORD-1]} path= word
  COMPREPLY=()
  if [[ $cur == = ]]; then
    cur=
  elif [[ $option == = && COMP_CWORD -gt 1 ]]; then
    option=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
`.replace('\n', '');

const TAIL = `
  if [[ -z $value && $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$cur"))
    return
  fi
  case "\${value:-$argument}" in
    any) [[ -n $value ]] || COMPREPLY=($(compgen -W "$names" -- "$cur")) ;;
    file) compopt -o default 2>/dev/null || _ironic_coreos_paths -f ;;
    folder) compopt -o dirnames 2>/dev/null || _ironic_coreos_paths -d ;;
    *) COMPREPLY=($(compgen -W "\${value:-$argument}" -- "$cur")) ;;
  esac
}

_ironic_coreos_paths() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen "$1" -- "$cur"))
}
`;

function formatCommand(command: CommandDescription): string[] {
  const options = command.options.flatMap(({ short, long }) => [short ?? [], long].flat());
  const [argument] = command.arguments;
  const cases = casesOf(command.options);
  return [
    `    ${quoteWord(pathOf(command))})`,
    `      options=${quoteWord(options.join(' '))}`,
    ...(command.commands.length > 0
      ? [`      names=${quoteWord(command.commands.map(({ words }) => words.at(-1)).join(' '))}`]
      : []),
    ...(argument === undefined ? [] : [`      argument=${quoteWord(formatValue(argument.value))}`]),
    ...(cases.length > 0 ? ['      case "$option" in', ...cases, '      esac'] : []),
    '      ;;',
  ];
}

/** One for all options with the same values. */
function casesOf(options: readonly OptionDescription[]): string[] {
  const flags = new Map<string, string[]>();
  for (const { short, long, placeholder, value } of options) {
    if (placeholder === undefined) continue;
    const text = formatValue(value);
    flags.set(text, [...(flags.get(text) ?? []), ...(short === undefined ? [] : [short]), long]);
  }
  return Array.from(flags, ([value, names]) => `        ${names.join('|')}) value=${quoteWord(value)} ;;`);
}

function formatValue(value: Value): string {
  return typeof value === 'string' ? value : value.join(' ');
}

/** The words behind the program's, each with a space before it. */
function pathOf({ words }: CommandDescription): string {
  return words
    .slice(1)
    .map((word) => ` ${word}`)
    .join('');
}

function quotePath(path: string): string {
  return quoteWord(path);
}

/** `completion`: a script that completes the commands, options and values of this version in bash, zsh or fish. */

import { quoteText } from '../core/foreignText.ts';
import { groupBy } from '../core/lists.ts';
import { UsageError } from '../core/errors.ts';
import type { ExitCode, Io } from '../io/io.ts';
import { writeStdout } from '../io/stdout.ts';
import { hintChoices } from '../io/report/choices.ts';
import {
  type ArgumentDescription,
  type CommandDescription,
  type OptionDescription,
  type Value,
  withDescendants,
} from './describeCommand.ts';

const formats: ReadonlyMap<string, (program: CommandDescription) => string> = new Map([
  ['bash', formatBashCompletion],
  ['zsh', formatZshCompletion],
  ['fish', formatFishCompletion],
]);

/** @throws UsageError for any other shell */
export async function completion(shell: string, program: CommandDescription, io: Io): Promise<ExitCode> {
  const format = formats.get(shell);
  if (format === undefined)
    throw new UsageError(`unknown shell: ${quoteText(shell)}`, {
      hint: hintChoices(shell, [...formats.keys()]),
    });
  await writeStdout(io, [Buffer.from(format(program))]);
  return 0;
}

/** The script for `source <(ironic-coreos completion bash)`. */
function formatBashCompletion(program: CommandDescription): string {
  const name = program.words.join(' ');
  const paths = withDescendants(program).flatMap(({ commands }) => commands.map(pathOf));
  return [
    `# bash completion for ${name}: source <(${name} completion bash)`,
    '',
    BASH_HEAD.trim(),
    '    case "$path $word" in',
    `      ${paths.map((path) => quoteWord(` ${path}`)).join('|')}) path+=" $word" ;;`,
    '    esac',
    '  done',
    '',
    '  local names= options= value= argument=any',
    '  case "$path" in',
    ...withDescendants(program).flatMap(bashCase),
    '  esac',
    BASH_TAIL.trim(),
    `complete -F _ironic_coreos ${name}`,
    '',
  ].join('\n');
}

/** Bash splits `--option=value` into three words: `=` is one of them. */
const BASH_HEAD = `
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

const BASH_TAIL = `
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

function bashCase(command: CommandDescription): string[] {
  const options = command.options.flatMap(flagsOf);
  const [argument] = command.arguments;
  const cases = bashCases(command.options);
  return [
    `    ${quoteWord(command.words.length === 1 ? '' : ` ${pathOf(command)}`)})`,
    `      options=${quoteWord(options.join(' '))}`,
    ...(command.commands.length > 0
      ? [`      names=${quoteWord(command.commands.map(({ words }) => words.at(-1)).join(' '))}`]
      : []),
    ...(argument === undefined ? [] : [`      argument=${quoteWord(bashValue(argument.value))}`]),
    ...(cases.length > 0 ? ['      case "$option" in', ...cases, '      esac'] : []),
    '      ;;',
  ];
}

/** One case of the `case` statement for all options with the same values. */
function bashCases(options: readonly OptionDescription[]): string[] {
  const withValue = options.filter(({ placeholder }) => placeholder !== undefined);
  return Array.from(
    groupBy(withValue, ({ value }) => bashValue(value)),
    ([value, same]) => `        ${same.flatMap(flagsOf).join('|')}) value=${quoteWord(value)} ;;`,
  );
}

function flagsOf({ long, short }: OptionDescription): string[] {
  return short === undefined ? [long] : [short, long];
}

function bashValue(value: Value): string {
  return typeof value === 'string' ? value : value.join(' ');
}

/** The script: the file `_ironic-coreos` in a folder of `fpath`, or input of `source` after `compinit`. */
function formatZshCompletion(program: CommandDescription): string {
  const name = program.words.join(' ');
  return [
    `#compdef ${name}`,
    `# zsh completion for ${name}: source <(${name} completion zsh), after compinit`,
    '',
    ...withDescendants(program).flatMap((command) => [
      ...(command.commands.length > 0 ? zshGroup(command) : zshLeaf(command)),
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

function zshGroup(command: CommandDescription): string[] {
  const { commands, options } = command;
  const names = commands.map(({ words, summary }) =>
    quoteWord(`${words.at(-1) ?? ''}:${shortText(summary)}`),
  );
  return [
    `${functionOf(command)}() {`,
    '  local curcontext="$curcontext" state line',
    '  local -a names',
    ...zshArguments([...options.map(zshOption), "'1: :->name'", "'*:: :->rest'"], '-C'),
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

function zshLeaf(command: CommandDescription): string[] {
  const specs = [...command.options.map(zshOption), ...command.arguments.map(zshArgument)];
  return [`${functionOf(command)}() {`, ...zshArguments(specs, '-S'), '}'];
}

function zshArguments(specs: readonly string[], mode: string): string[] {
  return [
    `  _arguments -s ${mode} \\`,
    ...specs.map((spec, i) => `    ${spec}${i + 1 < specs.length ? ' \\' : ''}`),
  ];
}

/** If an option may be given only once, its short and long name exclude each other. */
function zshOption(option: OptionDescription): string {
  const { isRepeated, long, placeholder, text, value } = option;
  const names = flagsOf(option);
  const argument =
    placeholder === undefined
      ? ''
      : `:${escapeSpec(placeholder.replaceAll(/[<>[\]]/g, ''))}:${zshAction(value)}`;
  const described = `[${escapeSpec(shortText(text))}]${argument}`;
  const before = isRepeated ? '*' : names.length > 1 ? `(${names.join(' ')})` : '';
  return names
    .map((name) => {
      // `=` and `+` let the value follow in the same word (`--option=value`, `-ovalue`) or as the next word.
      const joint = placeholder === undefined ? '' : name === long ? '=' : '+';
      return quoteWord(`${before}${name}${joint}${described}`);
    })
    .join(' ');
}

function zshArgument({ isRepeated, name, value }: ArgumentDescription): string {
  return quoteWord(`${isRepeated ? '*' : ''}:${escapeSpec(name)}:${zshAction(value)}`);
}

function zshAction(value: Value): string {
  if (value === 'any') return '';
  if (value === 'file') return '_files';
  return value === 'folder' ? '_files -/' : `(${value.join(' ')})`;
}

function functionOf({ words }: CommandDescription): string {
  return `_${words.join('_')}`;
}

/** Escapes the characters that have a meaning in a specification of `_arguments`. */
function escapeSpec(text: string): string {
  return text.replaceAll(/[[\]:\\]/g, '\\$&');
}

/** The script for `~/.config/fish/completions/ironic-coreos.fish`, or input of `source`. */
function formatFishCompletion(program: CommandDescription): string {
  const name = program.words.join(' ');
  const all = withDescendants(program);
  const paths = all.map(pathOf).filter((path) => path !== '');
  return [
    `# fish completion for ${name}: ${name} completion fish | source`,
    '',
    `set -g __ironic_coreos_commands ${paths.map(quoteFish).join(' ')}`,
    '',
    FISH_FUNCTIONS.trim(),
    '',
    `complete -c ${name} -f`,
    ...all.flatMap((command) => fishLines(name, command)),
    '',
  ].join('\n');
}

const FISH_FUNCTIONS = `
function __ironic_coreos_is -a wanted
    set -l words (commandline -opc)
    set -l path
    for word in $words[2..-1]
        if contains -- (string join ' ' $path $word) $__ironic_coreos_commands
            set path $path $word
        end
    end
    test "$path" = "$wanted"
end
`;

function fishLines(name: string, command: CommandDescription): string[] {
  const start = `complete -c ${name} -n ${quoteFish(`__ironic_coreos_is ${quoteFish(pathOf(command))}`)}`;
  const commands = command.commands.map(
    ({ words, summary }) =>
      `${start} -a ${quoteFish(words.at(-1) ?? '')} -d ${quoteFish(shortText(summary))}`,
  );
  const options = command.options.map(({ short, long, placeholder, text, value }) => {
    const flags = `${short === undefined ? '' : ` -s ${short.slice(1)}`} -l ${long.slice(2)}`;
    return `${start}${flags}${placeholder === undefined ? '' : ` -r${fishValue(value)}`} -d ${quoteFish(shortText(text))}`;
  });
  const values = command.arguments.slice(0, 1).map(({ value }) => `${start}${fishValue(value)}`);
  return [...commands, ...values.filter((line) => line !== start), ...options];
}

function fishValue(value: Value): string {
  if (value === 'any') return ' -f';
  if (value === 'file') return ' -F';
  return ` -f -a ${quoteFish(value === 'folder' ? '(__fish_complete_directories)' : value.join(' '))}`;
}

/** Quotes a word for fish, which has escape sequences between single quotes. */
function quoteFish(text: string): string {
  return quoteWord(text.replaceAll('\\', '\\\\')).replaceAll(`'\\''`, `\\'`);
}

/** The words of the command without the name of the program. */
function pathOf({ words }: CommandDescription): string {
  return words.slice(1).join(' ');
}

/** Quotes a word for bash and zsh. Texts of the help have no line feeds. */
function quoteWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The text for one line of a menu: without the default in parentheses, at most 72 characters. */
function shortText(text: string): string {
  const plain = text.replace(/ \(default: [^()]*\)$/, '');
  return plain.length <= LONGEST ? plain : `${plain.slice(0, LONGEST - 1).replace(/\s\S*$/, '')}…`;
}

const LONGEST = 72;

/** Completion for fish 3 and newer. */

import { type CommandDescription, type Value, withDescendants } from '../commandDescription.ts';
import { quoteWord, shortText } from './shellWords.ts';

/** The script, for `~/.config/fish/completions/ironic-coreos.fish` or to be read at once. */
export function formatFishCompletion(program: CommandDescription): string {
  const name = program.words.join(' ');
  const all = withDescendants(program);
  const paths = all.map(pathOf).filter((path) => path !== '');
  return [
    `# fish completion for ${name}: ${name} completion fish | source`,
    '',
    `set -g __ironic_coreos_commands ${paths.map(quote).join(' ')}`,
    '',
    FUNCTIONS.trim(),
    '',
    `complete -c ${name} -f`,
    ...all.flatMap((command) => formatCommand(name, command)),
    '',
  ].join('\n');
}

const FUNCTIONS = `
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

function formatCommand(name: string, command: CommandDescription): string[] {
  const start = `complete -c ${name} -n ${quote(`__ironic_coreos_is ${quote(pathOf(command))}`)}`;
  const commands = command.commands.map(
    ({ words, summary }) => `${start} -a ${quote(words.at(-1) ?? '')} -d ${quote(shortText(summary))}`,
  );
  const options = command.options.map(({ short, long, placeholder, text, value }) => {
    const flags = `${short === undefined ? '' : ` -s ${short.slice(1)}`} -l ${long.slice(2)}`;
    return `${start}${flags}${placeholder === undefined ? '' : ` -r${formatValue(value)}`} -d ${quote(shortText(text))}`;
  });
  const values = command.arguments.slice(0, 1).map(({ value }) => `${start}${formatValue(value)}`);
  return [...commands, ...values.filter((line) => line !== start), ...options];
}

function formatValue(value: Value): string {
  if (value === 'any') return ' -f';
  if (value === 'file') return ' -F';
  return ` -f -a ${quote(value === 'folder' ? '(__fish_complete_directories)' : value.join(' '))}`;
}

function pathOf({ words }: CommandDescription): string {
  return words.slice(1).join(' ');
}

/** fish has escapes in quotes. */
function quote(text: string): string {
  return quoteWord(text.replaceAll('\\', '\\\\')).replaceAll(`'\\''`, `\\'`);
}

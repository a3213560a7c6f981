/** Additional podman arguments of the user, checked like podman checks them. */

import { describeProblem } from '../../agent/lint/podmanArguments.ts';
import { argumentProblems, requiredValue, takesFreeText } from '../../agent/lint/podmanCommand.ts';
import type { InputValue } from '../../agent/settingInputs.ts';
import { quoteShellWord } from '../../formats/shell.ts';
import { FormatError, UsageError } from '../../core/errors.ts';
import { inPlace, type Reading, valuesOf } from './reading.ts';

/** Words for `podman pull`. */
export function readPullArgs(reading: Reading): string[] {
  const values = valuesOf(reading, 'agent.podman.pullArgs');
  // The default of configure-coreos-ipa.
  if (values.length === 0 && reading.profile === 'configure-coreos-ipa') return ['--tls-verify=false'];
  return values.flatMap((value) => pullWords(value, reading));
}

function pullWords(value: InputValue, { parse }: Reading): string[] {
  return value.origin === 'environment' ? inPlace(value, parse.pullArgs) : [inPlace(value, parsePodmanArg)];
}

/** Podman would use a word that is not a flag as the image. */
export function parsePodmanArg(text: string): string {
  if (/^-[^\0]+$/s.test(text)) return text;
  throw new FormatError('is not a flag', { hint: 'write flag and value with "=": --memory=2g' });
}

/**
 * Separate from reading, which is cached, because each host has its own ignored rules.
 * @throws UsageError for arguments that podman would reject: the container would never start
 */
export function checkPodmanArgs(reading: Reading): void {
  for (const value of valuesOf(reading, 'agent.podman.args')) {
    checkWords('run', [value.text], value, reading);
  }
  // The script does not check its arguments.
  if (reading.profile === 'configure-coreos-ipa') return;
  for (const value of valuesOf(reading, 'agent.podman.pullArgs')) {
    checkWords('pull', pullWords(value, reading), value, reading);
  }
}

function checkWords(
  verb: 'run' | 'pull',
  words: readonly string[],
  value: InputValue,
  { io }: Reading,
): void {
  const [problem] = argumentProblems(verb, words);
  if (problem !== undefined) {
    const { rule, message, hint } = describeProblem(problem, (argument) => formatArg(argument, value));
    if (io.ignored?.includes(rule.id) === true) return;
    throw new UsageError(`${value.name}: ${message}`, { hint, at: value.at, rule: rule.id });
  }
  const option = requiredValue(verb, words);
  if (option === undefined) return;
  throw new UsageError(`${value.name}: ${option} requires a value`, {
    hint: `use ${formatArg(`${option}=VALUE`, value)}`,
    at: value.at,
  });
}

/** The argument as the user would write it, without values that may be secret. */
function formatArg(argument: string, { name, origin }: InputValue): string {
  const [, option = ''] = /^--([\w-]+)=/.exec(argument) ?? [];
  const text = takesFreeText(option) ? `--${option}=VALUE` : argument;
  return origin === 'flag' ? quoteShellWord(`${name}=${text}`) : text;
}

/**
 * `ipa-…` arguments, from which the agent takes the defaults of its options. It takes values as they are and converts
 * numbers while it starts, so a wrong one means no agent.
 *
 * Not checked: values that need a library of the agent to be judged, such as cipher suites.
 */

import { findRemovedIpaOption, ipaKnowledge, suggestIpaOption, type IpaOption } from '../ipa/ipaOptions.ts';
import { errorRule, type Issue, warningRule } from '../ignition/rule.ts';
import { argumentName, argumentValue } from './bootSettings.ts';

const ipaNoValue = errorRule(
  'ipa-parameter-value-missing',
  'the agent ignores a parameter without a value',
  'write NAME=VALUE, e.g. insecure=1',
);
const ipaUnknown = warningRule(
  'ipa-parameter-unknown',
  'the agent does not know this kernel parameter and ignores it',
  'see the options of ironic-python-agent that have a kernel parameter',
);
const ipaValue = errorRule(
  'ipa-parameter-value',
  'the agent does not take this value',
  'give a value of the type of this option',
);
const ipaSecret = warningRule(
  'ipa-parameter-secret',
  'the value is a secret, and every program on the machine can read the kernel command line',
  'leave it to Ironic, which hands out secrets when the agent calls it',
);

/** The kernel argument for `NAME=VALUE`; the name as in a file (`ntp_server`) or as an argument (`ipa-ntp-server`). */
export function ipaArgument(assignment: string): string {
  const name = argumentName(assignment);
  return parameterName(name) + assignment.slice(name.length);
}

function parameterName(name: string): string {
  if (name === '' || name.startsWith('ipa-')) return name;
  const plain = name.replaceAll('-', '_');
  const option = parameterOptions().find((candidate) => candidate.name === plain);
  return option?.kernelParam ?? `ipa-${name.replaceAll('_', '-')}`;
}

/** What is wrong with an argument whose name starts with `ipa-`. */
export function checkIpaArgument(text: string): readonly Issue[] {
  const name = argumentName(text);
  const value = argumentValue(text);
  if (value === undefined) return [{ rule: ipaNoValue, path: [] }];
  const option = parameterOptions().find((candidate) => candidate.kernelParam === name);
  if (option === undefined) return isOtherParameter(name) ? [] : [unknownParameter(name)];
  const secret: readonly Issue[] = option.sensitive === true ? [{ rule: ipaSecret, path: [] }] : [];
  return [...secret, ...checkValue(option, value)];
}

function parameterOptions(): readonly IpaOption[] {
  return ipaKnowledge().options.filter((option) => option.kernelParam !== undefined);
}

function isOtherParameter(name: string): boolean {
  return ipaKnowledge().kernelParameters.some((parameter) => parameter.name === name);
}

function unknownParameter(name: string): Issue {
  const plain = name.slice('ipa-'.length).replaceAll('-', '_');
  const removed = findRemovedIpaOption(plain);
  if (removed !== undefined) {
    return {
      rule: ipaUnknown,
      path: [],
      hint: `ironic-python-agent ${removed.last} was the last to know it`,
    };
  }
  const option = suggestIpaOption('DEFAULT', plain);
  if (option === undefined) return { rule: ipaUnknown, path: [] };
  const hint =
    option.kernelParam === undefined
      ? `set ${option.name} in the configuration file of the agent: it has no kernel parameter`
      : `did you mean ${option.kernelParam}?`;
  return { rule: ipaUnknown, path: [], hint };
}

function checkValue(option: IpaOption, value: string): readonly Issue[] {
  const { choices, pattern, type } = option;
  if (choices !== undefined) {
    return choices.includes(value) ? [] : [wrongValue(option, `one of ${choices.join(', ')}`)];
  }
  if (pattern !== undefined && !new RegExp(pattern).test(value)) {
    return [wrongValue(option, `what matches ${pattern}`)];
  }
  if (type === 'boolean' && !booleanText.test(value)) return [wrongValue(option, '1 or 0')];
  if (type === 'float' && !floatText.test(value)) return [wrongValue(option, 'a number')];
  if (type === 'integer') return checkRange(option, value, option);
  if (type === 'port') return checkRange(option, value, { min: 0, max: 65_535 });
  return [];
}

/** The texts that oslo_utils takes for true or false; with any other the default silently stays. */
const booleanText = /^(?:1|t|true|on|y|yes|0|f|false|off|n|no)$/i;
const floatText = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

interface Range {
  readonly min?: number;
  readonly max?: number;
}

function checkRange(
  option: IpaOption,
  value: string,
  { min = -Infinity, max = Infinity }: Range,
): readonly Issue[] {
  if (!/^[+-]?\d{1,15}$/.test(value)) return [wrongValue(option, 'a whole number')];
  if (Number(value) < min) return [wrongValue(option, `at least ${min}`)];
  return Number(value) > max ? [wrongValue(option, `at most ${max}`)] : [];
}

function wrongValue(option: IpaOption, expected: string): Issue {
  return { rule: ipaValue, path: [], message: `${option.name} has to be ${expected}`, hint: option.help };
}

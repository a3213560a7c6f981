/**
 * `ipa-…` arguments, which set the defaults of the options of the agent. The agent converts numbers when it starts, and exits
 * if a value is invalid.
 *
 * Not checked: values that require a library of the agent, for example cipher suites.
 */

import { findCollectorProblem } from '../ipa/collectors.ts';
import { findRemovedIpaOption, ipaKnowledge, suggestIpaOption, type IpaOption } from '../ipa/ipaOptions.ts';
import { lintWarning, type Rule } from '../core/rule.ts';
import { confRules } from '../ipa/confRules.ts';
import { findValueProblem } from '../ipa/confValues.ts';
import { type KernelArgument, parseArgument } from './argument.ts';

export const ipaSecret = lintWarning(
  'ipa-parameter-secret',
  'the value is a secret, and every program on the machine can read the kernel command line',
  'remove the parameter; Ironic sends secrets to the agent in the lookup',
);

const { collector: collectorRule, unknown, unusable, value: valueRule } = confRules;

/** The kernel argument for `NAME=VALUE`, with the name of an option (`ntp_server`) or of an argument (`ipa-ntp-server`). */
export function ipaArgument(assignment: string): string {
  const { name } = parseArgument(assignment);
  if (name === '' || name.startsWith('ipa-')) return assignment;
  const plain = name.replaceAll('-', '_');
  const option = parameterOptions().find((candidate) => candidate.name === plain);
  return (option?.kernelParam ?? `ipa-${name.replaceAll('_', '-')}`) + assignment.slice(name.length);
}

export function checkIpaArgument({ name, value }: KernelArgument): readonly Rule[] {
  if (value === undefined) {
    const message = 'the agent ignores a parameter without a value';
    return [{ ...unusable, message, hint: 'use NAME=VALUE, for example debug=1' }];
  }
  const option = parameterOptions().find((candidate) => candidate.kernelParam === name);
  if (option === undefined)
    return ipaKnowledge().kernelParameters.some((parameter) => parameter.name === name)
      ? []
      : [unknownParameter(name)];
  const hasVersion = option.name === 'api_url' && /\/v1\/*(?:,|$)/.test(value);
  const collector = option.name === 'inspection_collectors' ? findCollectorProblem(value) : undefined;
  return [
    option.sensitive === true && ipaSecret,
    hasVersion && {
      ...unusable,
      message: 'the URL contains the path /v1, which the agent appends',
      hint: 'remove /v1 from the end of the URL',
    },
    collector && { ...collectorRule, ...collector },
    findInvalid(option, value),
  ].filter((rule) => typeof rule === 'object');
}

function parameterOptions(): readonly IpaOption[] {
  return ipaKnowledge().options.filter((option) => option.kernelParam !== undefined);
}

function unknownParameter(name: string): Rule {
  const plain = name.slice('ipa-'.length).replaceAll('-', '_');
  const removed = findRemovedIpaOption(plain);
  const option = suggestIpaOption('DEFAULT', plain);
  const hint =
    removed !== undefined
      ? `remove the parameter; ironic-python-agent ${removed.last} was the last release that supports it`
      : option === undefined
        ? 'use an option of ironic-python-agent that has a kernel parameter'
        : option.kernelParam === undefined
          ? `set ${option.name} in the configuration file of the agent; it has no kernel parameter`
          : `use ${option.kernelParam}`;
  const message = 'the agent does not support this kernel parameter, and ignores it';
  return { ...unknown, message, hint };
}

/** Numbers that the agent converts itself; without a value, others are not set. */
const convertedNumbers = new Set([
  'advertise_port',
  'image_download_max_duration',
  'ip_lookup_attempts',
  'ip_lookup_sleep',
  'listen_port',
  'lookup_interval',
  'lookup_timeout',
]);

function findInvalid(option: IpaOption, value: string): Rule | undefined {
  const { name } = option;
  // Any other value than 1, yes, on or true turns debug messages off.
  if (name === 'debug') return undefined;
  if (value !== '' || !convertedNumbers.has(name)) return findValueProblem(value, option);
  return {
    ...valueRule,
    message: `${name} requires an integer`,
    hint: 'set an integer, or remove the parameter',
  };
}

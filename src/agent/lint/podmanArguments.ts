/** Lint of the options in the podman commands of units. */

import { type Issue, lintError, lintNote, type Rule } from '../../ignition/rule.ts';
import { brokenSetting, isRequired, type LintedUnit, type UnitCommand } from './subject.ts';
import type { Problem } from '../../core/finding.ts';
import { knownPodmanVersion, type OptionProblem, optionTable } from './podmanCommand.ts';

export const podmanArgumentRules = {
  unknown: lintError(
    'agent-podman-option',
    'unknown option: podman refuses to start the container',
    'use an option that podman-run(1) describes',
  ),
  blank: lintError(
    'agent-podman-blank',
    'one argument contains an option and more text: podman refuses to start the container',
    'write --option=value as one argument, and each option as a separate argument',
  ),
  value: lintError(
    'agent-podman-value',
    'invalid value of an option: podman refuses to start the container',
    'use a value that podman-run(1) describes for the option',
  ),
  shell: lintError(
    'agent-podman-shell',
    'systemd runs no shell: podman gets the operator and the words after it as arguments',
    'write each command in a line ExecStartPre= or ExecStart= of its own, without operators such as && and >',
  ),
  since: lintNote(
    'agent-podman-since',
    'older releases of podman do not support the option and refuse to start the container',
    'check the release of podman in the image with "podman --version"',
  ),
};

/** The release in RHEL 9.2, the oldest in use; options of later releases are reported as notes. */
const WIDESPREAD_VERSION = '4.4';

export function checkPodmanArguments({ commands }: LintedUnit): Issue[] {
  return commands.filter(isRequired).flatMap((command) => [
    ...command.podman.problems.map((problem) => {
      // The value is omitted because it may be a secret.
      const { instead, kind } = problem;
      const { rule, ...texts } = describeProblem(
        instead === undefined || kind === 'value'
          ? problem
          : { ...problem, instead: instead.replace(/=.*$/s, '=VALUE') },
      );
      return brokenSetting(rule, command.setting, texts);
    }),
    ...reportOperator(command),
    ...reportVersions(command),
  ]);
}

/** The rule that an option breaks, and its correction; `write` formats an argument for the config. */
export function describeProblem(
  problem: OptionProblem,
  write: (argument: string) => string = (argument) => argument,
): Problem & { readonly rule: Rule } {
  const { instead, kind, option } = problem;
  const rule = podmanArgumentRules[kind];
  const shown = /^--?[\w-]{1,60}$/.test(option) ? option : 'an option';
  const message = describeKind[kind]({ ...problem, option: shown });
  if (instead !== undefined) return { rule, message, hint: `use ${write(instead)}` };
  const listed = `remove ${shown}; ${problem.command.replace(' ', '-')}(1) lists the options`;
  return { rule, message, hint: kind === 'unknown' ? listed : rule.hint };
}

const describeKind: Readonly<Record<OptionProblem['kind'], (problem: OptionProblem) => string>> = {
  blank: ({ command, option }) => `${option} and more text are one argument, which ${command} refuses`,
  unknown: ({ command, option }) =>
    `unknown option ${option}: ${command} of podman ${knownPodmanVersion()} does not support it`,
  value: ({ command, option, reason }) => `${command} refuses ${option}: ${reason}`,
};

function reportOperator({ podman: { operator }, setting }: UnitCommand): Issue[] {
  if (operator === undefined) return [];
  const message = `systemd runs no shell: podman gets ${operator} and the words after it as arguments`;
  return [brokenSetting(podmanArgumentRules.shell, setting, { message })];
}

function reportVersions({ podman, setting }: UnitCommand): Issue[] {
  const table = optionTable(podman.verb)?.options;
  const messages = podman.options.flatMap(({ name }) => {
    const { since, last } = table?.get(name) ?? {};
    if (since !== undefined && compareReleases(since, WIDESPREAD_VERSION) > 0) {
      return [`--${name} requires podman ${since}; older releases refuse it`];
    }
    return last === undefined
      ? []
      : [`podman supports --${name} up to release ${last}; newer releases refuse it`];
  });
  return [...new Set(messages)].map((message) =>
    brokenSetting(podmanArgumentRules.since, setting, { message }),
  );
}

function compareReleases(one: string, other: string): number {
  const [major = 0, minor = 0] = one.split('.').map(Number);
  const [otherMajor = 0, otherMinor = 0] = other.split('.').map(Number);
  return major - otherMajor || minor - otherMinor;
}

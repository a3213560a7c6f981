/** Lint of the options in the podman commands of units. */

import { quoteText } from '../../core/foreignText.ts';
import { trimEndOf } from '../../core/trimming.ts';
import { type Issue, lintError, lintNote, type Rule } from '../../core/rule.ts';
import { brokenSetting, isRequired, type LintedUnit, type UnitCommand } from './subject.ts';
import type { Problem } from '../../core/finding.ts';
import {
  bindMounts,
  isOptionSet,
  knownPodmanVersion,
  type OptionProblem,
  optionTable,
  optionValues,
} from './podmanCommand.ts';

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
  conflict: lintError(
    'agent-podman-conflict',
    'options that exclude each other: podman refuses to start the container',
    'remove the option that the message names first, such as --hostname',
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
    ...reportConflicts(command),
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

/** Networks that are not bridges. */
const OTHER_NETWORK = /^(?:host|none|pasta|private|slirp4netns)(?:$|:)|^(?:container|ns):/;

/** Pairs of options that exclude each other with any value. */
const pairs = [
  ['no-hosts', 'add-host'],
  ['cpus', 'cpu-quota'],
  ['cpus', 'cpu-period'],
  ['no-healthcheck', 'health-cmd'],
] as const;

/** The checks of `podman create`, as far as the options of the agent's unit or usual additions meet them. */
function reportConflicts({ podman, setting }: UnitCommand): Issue[] {
  const has = (name: string): boolean =>
    optionTable(podman.verb)?.options.get(name)?.switch === true
      ? isOptionSet(podman, name)
      : podman.options.some((option) => option.name === name);
  const last = (...names: readonly string[]): string => optionValues(podman, ...names).at(-1)?.text ?? '';
  const networks = optionValues(podman, 'network', 'net').map(({ text }) => text);
  const other = networks.find((network) => OTHER_NETWORK.test(network));
  const shown = other?.replace(/:.*$/s, '');
  // A volume may repeat another mount.
  const mounts = bindMounts({ ...podman, options: podman.options.filter(({ name }) => name === 'mount') });
  const places = bindMounts(podman).map(({ source, target }) => ({ source, target: trimEndOf(target, '/') }));
  const twice = places.find(({ source, target }, index) =>
    places
      .slice(0, index)
      .some((it) => it.target === target && (it.source !== source || index < mounts.length)),
  );
  const conflicts: readonly (readonly [option: string, other: string])[] = [
    ...(other !== undefined && networks.length > 1
      ? [['the second --network', `--network ${shown}`] as const]
      : []),
    ...['ip', 'ip6', 'mac-address', 'network-alias']
      .filter((name) => other !== undefined && has(name))
      .map((name) => [`--${name}`, `--network ${shown}`] as const),
    ...((has('hostname') || has('h')) && last('uts') === 'host'
      ? [['--hostname', '--uts=host'] as const]
      : []),
    ...(has('shm-size') && /^(?:host|none)$/.test(last('ipc'))
      ? [['--shm-size', `--ipc=${last('ipc')}`] as const]
      : []),
    ...(has('rm') && !/^(?:|no|on-failure)$/.test(last('restart')) ? [['--restart', '--rm'] as const] : []),
    ...pairs.filter((pair) => pair.every(has)).map(([one, another]) => [`--${one}`, `--${another}`] as const),
    ...(twice === undefined
      ? []
      : [[`the second mount at ${quoteText(twice.target)}`, 'the first'] as const]),
  ];
  return conflicts.map(([option, excluded]) =>
    brokenSetting(podmanArgumentRules.conflict, setting, {
      message: `${option} and ${excluded} exclude each other`,
      hint: `remove ${option}`,
    }),
  );
}

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

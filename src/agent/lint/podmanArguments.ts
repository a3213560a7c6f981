/** Lint of the options in the podman commands of units. */

import { infoRule, warningRule, type Issue, type Rule } from '../../ignition/rule.ts';
import { type LintSubject, type UnitCommand } from './subject.ts';
import { brokenSetting } from './lintRule.ts';
import type { Problem } from '../../core/finding.ts';
import type { OptionProblem } from './podmanCommand.ts';
import { readAsset } from '../../assets.ts';
import { nearestName } from '../../formats/messageText.ts';

export const podmanArgumentRules = {
  unknown: warningRule(
    'agent-podman-option',
    'unknown option: podman refuses to start the container',
    'remove the option, or fix its name',
  ),
  blank: warningRule(
    'agent-podman-blank',
    'one argument contains an option and more text: podman refuses to start the container',
    'write --option=value as one argument, and each option as a separate argument',
  ),
  value: warningRule(
    'agent-podman-value',
    'invalid value of an option: podman refuses to start the container',
    'use a value that podman-run(1) describes for the option',
  ),
  since: infoRule(
    'agent-podman-since',
    'older releases of podman do not support the option and refuse to start the container',
    'check the release of podman in the image with "podman --version"',
  ),
};

/** The release in RHEL 9.2, the oldest in use; options of later releases are reported as notes. */
const widespreadVersion = '4.4';

export function checkPodmanArguments({ activeUnits }: LintSubject): Issue[] {
  return activeUnits
    .flatMap(({ commands }) => commands)
    .flatMap((command) => [...reportProblems(command), ...reportVersions(command)]);
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
  return { rule, message, hint: instead === undefined ? rule.hint : `use ${write(instead)}` };
}

const describeKind: Readonly<Record<OptionProblem['kind'], (problem: OptionProblem) => string>> = {
  blank: ({ command, option }) => `${option} and more text are one argument, which ${command} refuses`,
  unknown: ({ command, option }) =>
    `unknown option ${option}: ${command} of podman ${knownPodmanVersion()} does not support it`,
  value: ({ command, option, reason }) => `${command} refuses ${option}: ${reason}`,
};

function reportProblems({ podman, setting }: UnitCommand): Issue[] {
  return podman.problems.map((problem) => {
    const { rule, ...texts } = describeProblem(withoutValue(problem));
    return brokenSetting(rule, setting, texts);
  });
}

/** The value is omitted because it may be a secret. */
function withoutValue(problem: OptionProblem): OptionProblem {
  const { instead, kind } = problem;
  if (instead === undefined || kind === 'value') return problem;
  return { ...problem, instead: instead.replace(/=.*$/s, '=VALUE') };
}

function reportVersions({ podman, setting }: UnitCommand): Issue[] {
  const table = optionTable(podman.verb)?.options;
  const messages = podman.options.flatMap(({ name }) => {
    const { since, last } = table?.get(name) ?? {};
    if (since !== undefined && compareReleases(since, widespreadVersion) > 0) {
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

/** Description of one option. */
export interface PodmanOptionFacts {
  /** The option requires no value; a value is accepted only after "=". */
  readonly switch?: true;
  /** The short name, one letter. */
  readonly short?: string;
  /** The first minor release that supports it, such as `5.3`; absent if the oldest release in the table does. */
  readonly since?: string;
  /** The last minor release that supports it; absent if the newest release in the table does. */
  readonly last?: string;
}

interface PodmanKnowledge {
  /** The newest release in the table, such as `5.8.2`. */
  readonly podmanVersion: string;
  /** The oldest minor release in the table, such as `4.0`. */
  readonly oldestVersion: string;
  /** Options by command, then by name without dashes; `podman` is for options before the command. */
  readonly commands: Readonly<Record<string, Readonly<Record<string, PodmanOptionFacts>>>>;
}

/** How one command parses its options. */
export interface OptionTable {
  /** The command as users write it: `podman run`. */
  readonly command: string;
  /** By name without dashes, long and short ones. */
  readonly options: ReadonlyMap<string, NamedOption>;
  /** Whether options may follow the first operand; otherwise all words after it belong to the container. */
  readonly interspersed: boolean;
}

interface NamedOption extends PodmanOptionFacts {
  /** The long name. */
  readonly name: string;
}

let cached: { readonly version: string; readonly tables: ReadonlyMap<string, OptionTable> } | undefined;

/**
 * The podman options of the commands that units of the agent use (run, create and pull), from
 * `schemas/podman-options.json`, which `.ci/podmanOptions.js` generates from the sources of podman. `podman` returns the
 * options before a command; undefined for other commands.
 */
export function optionTable(command: string): OptionTable | undefined {
  return readTables().tables.get(command);
}

/** The newest release of podman in the table, such as `5.8.2`. */
function knownPodmanVersion(): string {
  return readTables().version;
}

function readTables(): NonNullable<typeof cached> {
  if (cached !== undefined) return cached;
  const { commands, podmanVersion }: PodmanKnowledge = JSON.parse(readAsset('schemas/podman-options.json'));
  const tables = Object.entries(commands).map(([name, options]): [string, OptionTable] => {
    const command = name === 'podman' ? name : `podman ${name}`;
    return [name, { command, options: nameOptions(options), interspersed: name === 'pull' }];
  });
  cached = { version: podmanVersion, tables: new Map(tables) };
  return cached;
}

function nameOptions(options: Readonly<Record<string, PodmanOptionFacts>>): Map<string, NamedOption> {
  return new Map(
    Object.entries(options).flatMap(([name, facts]) => {
      const option = { name, ...facts };
      return [name, ...(facts.short === undefined ? [] : [facts.short])].map((known) => [known, option]);
    }),
  );
}

/** The supported name that is most similar to an unknown one. */
export function suggestOption(table: OptionTable, name: string): string | undefined {
  const names = new Set(Array.from(table.options.values(), (option) => option.name));
  const plain = name.toLowerCase().replaceAll('_', '-');
  return names.has(plain) ? plain : nearestName(plain, names);
}

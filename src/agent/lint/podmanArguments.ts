/** The options of podman's command lines in units: whether podman has them. */

import type { Issue, Rule } from '../../ignition/rule.ts';
import { type LintSubject, type UnitCommand } from './subject.ts';
import { broken, type IssueTexts, note, warning } from './lintRule.ts';
import type { OptionProblem, PodmanCommand } from './podmanCommand.ts';
import { readAsset } from '../../assets.ts';
import { nearestName } from '../../formats/messageText.ts';

export const podmanArgumentRules = {
  unknown: warning(
    'agent-podman-option',
    'podman does not have an option of the command, and refuses to start the container',
    'remove the option, or fix its name',
  ),
  blank: warning(
    'agent-podman-blank',
    'a blank in one argument joins an option and its value, and podman refuses to start the container',
    'write --option=value as one argument, and each option as an argument of its own',
  ),
  since: note(
    'agent-podman-since',
    'older releases of podman do not have an option of the command, and refuse to start the container',
    'check the release of podman in the image with "podman --version"',
  ),
};

/** What RHEL 9.2 has, the oldest that is still in use; options that came later are worth a note. */
const widespreadVersion = '4.4';

export function checkPodmanArguments({ units }: LintSubject): Issue[] {
  return units
    .filter(({ unit }) => unit.mask !== true)
    .flatMap(({ commands }) => commands)
    .flatMap((command) => [...reportProblems(command), ...reportVersions(command)]);
}

/** The rule that an option breaks, and what to write in its place; `write` says how an argument is written here. */
export function describeProblem(
  { command, instead, kind, option }: OptionProblem,
  write: (argument: string) => string = (argument) => argument,
): Required<IssueTexts> & { readonly rule: Rule } {
  const shown = /^--?[\w-]{1,60}$/.test(option) ? option : 'an option';
  const message =
    kind === 'blank'
      ? `${shown} and more text are one argument, which ${command} refuses`
      : `unknown option ${shown}: ${command} of podman ${knownPodmanVersion()} does not have it`;
  const rule = kind === 'blank' ? podmanArgumentRules.blank : podmanArgumentRules.unknown;
  return { rule, message, hint: instead === undefined ? rule.hint : `use ${write(instead)}` };
}

function reportProblems({ podman, setting, unitName }: UnitCommand): Issue[] {
  return podman.problems.map((problem) => {
    const { rule, message, hint } = describeProblem(withoutValue(problem));
    return broken(rule, setting.path, { message: `${unitName}: ${setting.name}=: ${message}`, hint });
  });
}

/** The value may be a secret. */
function withoutValue({ instead, ...problem }: OptionProblem): OptionProblem {
  return instead === undefined ? problem : { ...problem, instead: instead.replace(/=.*$/s, '=VALUE') };
}

function reportVersions({ podman, setting, unitName }: UnitCommand): Issue[] {
  return optionsByVersion(podman).map((message) =>
    broken(podmanArgumentRules.since, setting.path, {
      message: `${unitName}: ${setting.name}=: ${message}`,
    }),
  );
}

function optionsByVersion({ options, verb }: PodmanCommand): string[] {
  const known = optionTable(verb)?.options;
  const messages = options.flatMap(({ name }) => {
    const { since, last } = known?.get(name) ?? {};
    if (since !== undefined && compareReleases(since, widespreadVersion) > 0) {
      return [`--${name} requires podman ${since}; older releases refuse it`];
    }
    return last === undefined ? [] : [`podman has --${name} up to release ${last}; newer ones refuse it`];
  });
  return [...new Set(messages)];
}

function compareReleases(one: string, other: string): number {
  const [major = 0, minor = 0] = one.split('.').map(Number);
  const [otherMajor = 0, otherMinor = 0] = other.split('.').map(Number);
  return major - otherMajor || minor - otherMinor;
}

/** What is known of one option. */
export interface PodmanOptionFacts {
  /** It takes no value, unless one is given behind "=". */
  readonly switch?: true;
  /** Its name of one letter. */
  readonly short?: string;
  /** The first minor release with it, such as `5.3`; absent where the oldest known one has it. */
  readonly since?: string;
  /** The last minor release with it; absent where the newest known one has it. */
  readonly last?: string;
}

interface PodmanKnowledge {
  /** The newest release that is known, such as `5.8.2`. */
  readonly podmanVersion: string;
  /** The oldest minor release that is known, such as `4.0`. */
  readonly oldestVersion: string;
  /** By command, `podman` for options in front of it: its options by their names without dashes. */
  readonly commands: Readonly<Record<string, Readonly<Record<string, PodmanOptionFacts>>>>;
}

/** How one command reads its options. */
export interface OptionTable {
  /** As the user calls it: `podman run`. */
  readonly command: string;
  /** By name without dashes, long and short ones. */
  readonly options: ReadonlyMap<string, NamedOption>;
  /** Whether options may follow the first operand; else all that follows belongs to the container. */
  readonly interspersed: boolean;
}

interface NamedOption extends PodmanOptionFacts {
  /** The long name. */
  readonly name: string;
}

let tables: ReadonlyMap<string, OptionTable> | undefined;
let version = '';

/**
 * The options of podman, of the commands that a unit of the agent uses: run, create and pull. The knowledge is data:
 * `schemas/podman-options.json`, which `.ci/podmanOptions.js` writes from podman's sources. By `podman` for the options
 * in front of a command, else by the name of the command; undefined for other commands.
 */
export function optionTable(command: string): OptionTable | undefined {
  tables ??= readTables();
  return tables.get(command);
}

/** The newest release of podman that is known, such as `5.8.2`. */
function knownPodmanVersion(): string {
  tables ??= readTables();
  return version;
}

function readTables(): ReadonlyMap<string, OptionTable> {
  const knowledge: PodmanKnowledge = JSON.parse(readAsset('schemas/podman-options.json'));
  version = knowledge.podmanVersion;
  return new Map(
    Object.entries(knowledge.commands).map(([name, options]) => [
      name,
      {
        command: name === 'podman' ? name : `podman ${name}`,
        options: nameOptions(options),
        interspersed: name === 'pull',
      },
    ]),
  );
}

function nameOptions(options: Readonly<Record<string, PodmanOptionFacts>>): Map<string, NamedOption> {
  return new Map(
    Object.entries(options).flatMap(([name, facts]) => {
      const option = { name, ...facts };
      return [name, ...(facts.short === undefined ? [] : [facts.short])].map((known) => [known, option]);
    }),
  );
}

/** The name that an unknown one probably means. */
export function suggestOption(table: OptionTable, name: string): string | undefined {
  const names = new Set(Array.from(table.options.values(), (option) => option.name));
  const plain = name.toLowerCase().replaceAll('_', '-');
  return names.has(plain) ? plain : nearestName(plain, names);
}

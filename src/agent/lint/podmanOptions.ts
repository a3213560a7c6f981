/**
 * The options of podman, of the commands that a unit of the agent uses: run, create and pull. The knowledge is data:
 * `schemas/podman-options.json`, which `.ci/podmanOptions.js` writes from podman's sources.
 */

import { readAsset } from '../../assets.ts';
import { nearestName } from '../../formats/editDistance.ts';

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

export interface NamedOption extends PodmanOptionFacts {
  /** The long name. */
  readonly name: string;
}

let tables: ReadonlyMap<string, OptionTable> | undefined;
let version = '';

/** By `podman` for the options in front of a command, else by the name of the command; undefined for other commands. */
export function optionTable(command: string): OptionTable | undefined {
  tables ??= readTables();
  return tables.get(command);
}

/** The newest release of podman that is known, such as `5.8.2`. */
export function knownPodmanVersion(): string {
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

/** The context of a `deploy` command for one host, and its error reports. */

import type { RamdiskNetwork } from './documents/bareMetalHost.ts';
import { CliError, onCliError } from '../core/errors.ts';
import type { ExitCode, Io } from '../io/io.ts';
import { flagOf } from '../io/report/choices.ts';
import { collectDiagnostics, report, withoutRepeats } from '../io/report/report.ts';
import { readInstalledConfig, type ReadInstalledConfig } from './options.ts';
import { isMapping } from '../formats/mapping.ts';
import type { Issue } from '../ignition/rule.ts';
import type { Path } from '../core/finding.ts';
import { nameInput } from '../hosts/input/nameInput.ts';
import { readUserFile } from '../io/files/files.ts';

export interface HostContext {
  readonly io: Io;
  readonly wording: Wording;
  readonly readConfig: ReadInstalledConfig;
  /** The network of the host in the inventory, as text; undefined without one. */
  readonly readRamdiskNetwork: () => Promise<RamdiskNetwork | undefined>;
}

/** Limit for the cache: configs may be large, and a config of a single host is read only once. */
const maxConfigs = 8;

/** Reads a config that several hosts share only once, and repeats its reports for each host. */
export function cacheConfigs(): ReadInstalledConfig {
  const known = new Map<string, ReturnType<typeof readQuietly>>(); // the oldest first
  return async (file, io) => {
    if (file === undefined) return undefined;
    const entry = known.get(file) ?? readQuietly(file, io);
    known.set(file, entry);
    const [oldest = ''] = known.keys();
    if (known.size > maxConfigs) known.delete(oldest);
    const { answer, reported } = await entry;
    report(io, ...reported);
    if (answer instanceof CliError) throw answer;
    return answer;
  };
}

/** The config or its error, and what was reported about it. */
async function readQuietly(file: string, io: Io) {
  const { io: quiet, reported } = collectDiagnostics(io);
  const answer = await readInstalledConfig(file, quiet).catch(onCliError((error) => error));
  return { answer, reported };
}

/** Names of options in messages: flags, or places in an inventory. */
export interface Wording {
  /** The place of the value, or of one value of a repeatable option. */
  readonly place: (flag: string, detail?: string | number) => string;
  /** Replaces the flags in a sentence. */
  readonly reword: (text: string) => string;
}

/** For a host that options describe. */
export const wordingOfFlags: Wording = { place: (flag) => flag, reword: (text) => text };

/** Reports all issues once. Their paths begin with the name of the option. Returns 1 if one of them is an error. */
export function reportIssues(issues: readonly Issue[], io: Io, wording: Wording = wordingOfFlags): ExitCode {
  const { reword } = wording;
  const diagnostics = issues.map(({ rule, path, message = rule.message, hint = rule.hint }) => ({
    severity: rule.severity,
    message: `${subjectOf(path, wording)}${reword(message)}`,
    hint: hint && reword(hint),
  }));
  report(io, ...withoutRepeats(diagnostics));
  return issues.some(({ rule }) => rule.severity === 'error') ? 1 : 0;
}

/** The subject of a message, with the name of a hint or the number of an argument. Never a value: it may be secret. */
function subjectOf([option, detail]: Path, { place }: Wording): string {
  if (option === undefined) return '';
  const flag = flagOf(String(option));
  if (typeof detail === 'number') return `${place(flag, detail)} (number ${detail + 1}): `;
  const isNamed = option === 'rootDevice' && detail !== undefined;
  return isNamed ? `${place(flag, detail)} ${detail}: ` : `${place(flag)}: `;
}

/** The kinds of network descriptions: keys of which each has one, and what to do with one in place of the other. */
const networkKinds = {
  nmstate: {
    keys: 'interfaces routes route-rules dns-resolver hostname ovs-db ovn capture desired desiredState'.split(
      ' ',
    ),
    name: 'nmstate',
    hint: 'use --nmstate for nmstate',
  },
  networkData: {
    keys: ['links', 'networks', 'services'],
    name: 'OpenStack network data',
    hint: 'set network.networkData of the host in an inventory',
  },
} as const;

/**
 * The text of a YAML or JSON file that describes a network.
 * @param what for error messages
 * @throws CliError if the file cannot be read, contains no mapping, or is not of this kind
 */
export async function readNetworkFile(
  file: string,
  kind: keyof typeof networkKinds,
  what: string,
  io: Io,
): Promise<string> {
  const bytes = await readUserFile(file, io, { what, maxBytes: 1024 * 1024 });
  const text = Buffer.from(bytes).toString('utf8');
  const { parseYaml } = await import('../formats/yaml.ts');
  const { value } = await nameInput(file, () => parseYaml(text));
  if (!isMapping(value)) {
    throw new CliError(`${file}: ${what} must be a YAML mapping`, {
      code: 'ERR_FORMAT',
      hint: 'pass a YAML or JSON file with a mapping',
    });
  }
  const { keys, name } = networkKinds[kind];
  if (keys.some((key) => Object.hasOwn(value, key))) return text;
  const other = networkKinds[kind === 'nmstate' ? 'networkData' : 'nmstate'];
  const isOther = other.keys.some((key) => Object.hasOwn(value, key));
  throw new CliError(`${file}: ${what}: the file contains ${isOther ? other.name : `no ${name}`}`, {
    code: 'ERR_FORMAT',
    hint: isOther ? other.hint : `pass a file with the key "${keys[0]}"`,
  });
}

/** What the documents of a host need besides its options: the names and places of these, and its files. */

import { type Finding, hasErrors } from '../../core/finding.ts';
import { CliError, type FilePlace, only } from '../../core/errors.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { collectDiagnostics, report, withoutRepeats } from '../../io/report/report.ts';
import { bootModeOf } from '../../agent/hardwareChecks.ts';
import type { HardwareComparison } from '../../hosts/settings/hardwareCheck.ts';
import { withoutIgnored } from '../../io/report/ignored.ts';
import type { DeployHost } from './documents/host.ts';
import type { ReadNetwork } from './networkFile.ts';
import { type NameOption, readInstalledConfig } from './readOptions.ts';
import type { DeployOptions } from './options.ts';

/** Where the options of a host are from. */
export interface OptionSources {
  readonly nameOf: NameOption;
  /** The position of the value in the inventory, or of one hint or argument in it; undefined for a flag. */
  readonly locate: (option: string, detail?: string | number) => FilePlace | undefined;
  /** The network of the host in the inventory, as text; undefined without one. */
  readonly readRamdiskNetwork: (io: Io) => Promise<ReadNetwork | undefined>;
}

export type HostContext = ReturnType<ReturnType<typeof createContexts>>;

/** Contexts of hosts that share files. @param compare with the machines of `--hardware`; undefined without it */
export function createContexts(compare: HardwareComparison | undefined) {
  const readConfig = cacheConfigs();
  return (sources: OptionSources, io: Io) => ({
    ...sources,
    io,
    /** What differs between a host and its machine. */
    checkMachine: (
      { architecture, bootMac, name, rootDevice }: DeployHost,
      { spec }: DeployOptions,
      connections: ReadNetwork['connections'] = [],
    ): readonly Finding[] => {
      const expected = { rootDevice, bootMac, architecture, bootMode: bootModeOf(spec), connections };
      return withoutIgnored(compare?.(name, expected) ?? [], io);
    },
    /** Also reports problems of the config of the installed host; undefined if no file is given. */
    readConfig: (options: DeployOptions) => readConfig(options, io),
  });
}

/** Reads a config that several hosts share only once, because it may be standard input, and repeats its reports for each host. */
function cacheConfigs(): typeof readInstalledConfig {
  const known = new Map<string, ReturnType<typeof readQuietly>>();
  return async (options, io) => {
    const key = JSON.stringify([options.ignition, options.imageSource, options.filesDir]);
    const entry = known.get(key) ?? readQuietly(options, io);
    known.set(key, entry);
    const { answer, reported } = await entry;
    report(io, reported);
    if (answer instanceof CliError) throw answer;
    return answer;
  };
}

/** The config or its error, and what was reported about it. */
async function readQuietly(options: DeployOptions, io: Io) {
  const { io: quiet, reported } = collectDiagnostics(io);
  const answer = await readInstalledConfig(options, quiet).catch(only(CliError, (error) => error));
  return { answer, reported };
}

/**
 * Reports all issues once. Their paths begin with an option, followed by the name of a hint or the number of an argument.
 * The hint of a rule names an option by a placeholder: `{bmcAddress}`. Returns 1 if one of the issues is an error.
 */
export function reportIssues(issues: readonly Finding[], { io, nameOf, locate }: HostContext): ExitCode {
  const diagnostics = issues.map(({ severity, rule, path: [option, detail], message, hint }) => ({
    severity,
    rule,
    message: option === undefined ? message : `${subjectOf(nameOf(String(option)), detail)}: ${message}`,
    hint: hint?.replaceAll(/\{(\w+)\}/g, (_braces, name: string) => nameOf(name)),
    at: option === undefined ? undefined : locate(String(option), detail),
  }));
  report(io, withoutRepeats(diagnostics));
  return hasErrors(issues) ? 1 : 0;
}

/** The subject of a message. Never a value: it may be secret. */
function subjectOf(name: string, detail: string | number | undefined): string {
  if (typeof detail === 'number') return `${name} (number ${detail + 1})`;
  return detail === undefined ? name : `${name} ${detail}`;
}

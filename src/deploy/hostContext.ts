/** What a `deploy` command works with for one host, besides its options. */

import { CliError } from '../core/errors.ts';
import type { Io } from '../io/io.ts';
import { collectDiagnostics, report } from '../io/report/report.ts';
import type { Diagnostic } from '../core/diagnostic.ts';
import { type Wording, wordingOfFlags } from './deployIssues.ts';
import { readInstalledConfig, type ReadInstalledConfig } from './installOptions.ts';

export interface HostContext {
  readonly io: Io;
  readonly wording: Wording;
  readonly readConfig: ReadInstalledConfig;
  /** The network that an inventory has for the host, as text; undefined where there is none. */
  readonly readNmstate: () => Promise<string | undefined>;
}

/** For a host that is described by flags. */
export function contextOfFlags(io: Io): HostContext {
  return {
    io,
    wording: wordingOfFlags,
    readConfig: readInstalledConfig,
    readNmstate: () => Promise.resolve(undefined),
  };
}

/** An answer of the reader, with what it reported. */
interface Remembered {
  readonly file: string;
  readonly answer: Promise<Awaited<ReturnType<ReadInstalledConfig>> | CliError>;
  readonly reported: readonly Diagnostic[];
}

/** Configs may be large; hosts with one of their own do not ask for it twice. */
const mostConfigs = 8;

/** Reads a config that many hosts share once, and says for each of them what there is to say. */
export function rememberConfigs(read: ReadInstalledConfig = readInstalledConfig): ReadInstalledConfig {
  const known: Remembered[] = [];
  return async (file, io) => {
    if (file === undefined) return undefined;
    let remembered = known.find((one) => one.file === file);
    if (remembered === undefined) {
      const { io: quiet, reported } = collectDiagnostics(io);
      const answer = read(file, quiet).catch((error: unknown) => {
        if (error instanceof CliError) return error;
        throw error;
      });
      remembered = { file, answer, reported };
      known.push(remembered);
      if (known.length > mostConfigs) known.shift();
    }
    const answer = await remembered.answer;
    report(io, ...remembered.reported);
    if (answer instanceof CliError) throw answer;
    return answer;
  };
}

/** The Ignition config that a command is to embed: read, and checked as Ignition would check it. */

import { CliError } from '../errors.ts';
import { readStdin, readUserFile } from '../io/files.ts';
import type { Io } from '../io/io.ts';

export interface ConfigOptions {
  /** Path of the config; without, it is read from standard input. */
  readonly ignitionFile?: string | undefined;
  /** False takes any bytes. */
  readonly validate?: boolean;
}

const CONFIG = { what: 'Ignition config', maxBytes: 64 * 1024 * 1024 };

/**
 * The bytes of the config as they are. What there is to say about it goes to standard error.
 * @throws CliError where it cannot be read, or where Ignition would refuse it
 */
export async function readCheckedConfig(options: ConfigOptions, io: Io): Promise<Uint8Array> {
  const { ignitionFile } = options;
  const config = await (ignitionFile === undefined
    ? readStdin(io, CONFIG)
    : readUserFile(ignitionFile, io, CONFIG));
  if (wantsCheck(options, io)) await refuseInvalid(config, ignitionFile ?? 'standard input', io);
  return config;
}

/** Scripts written for coreos-installer embed what they like, and rely on that. */
export function wantsCheck({ validate = true }: Pick<ConfigOptions, 'validate'>, io: Io): boolean {
  return validate && io.env['IRONIC_COREOS_VALIDATE'] !== '0' && io.programName !== 'coreos-installer';
}

/** What only this program has to say against a config is told, and keeps nobody from embedding it. */
async function refuseInvalid(config: Uint8Array, name: string, io: Io): Promise<void> {
  const { checkConfig } = await import('./validateDocument.ts');
  const { formatTextReport } = await import('../reporters/text.ts');
  const { report, shown } = await checkConfig(config, { lint: 'auto', now: new Date() });
  io.stderr.write(formatTextReport(report, { name, bytes: shown }));
  if (report.valid) return;
  throw new CliError('The Ignition config is not valid; nothing was written', {
    hint: 'mend the config, or embed it as it is with --no-validate',
  });
}

/** `iso ignition embed`: puts an Ignition config into a live ISO, after checking it as Ignition would. */

import { CliError } from '../../../errors.ts';
import { embedIgnition } from '../../../image/embeddedIgnition.ts';
import { readStdin, readUserFile } from '../../../io/files.ts';
import type { ExitCode, Io } from '../../../io/io.ts';
import { rewriteLiveIso } from '../../../io/rewriteImage.ts';

export interface EmbedOptions {
  readonly iso: string;
  /** Path of the config; without, it is read from standard input. */
  readonly ignitionFile?: string | undefined;
  /** A new file, or `-` for standard output; without, the image itself is changed. */
  readonly output?: string | undefined;
  /** Replaces an embedded config. */
  readonly force?: boolean;
  /** False embeds any bytes. */
  readonly validate?: boolean;
}

const CONFIG = { what: 'Ignition config', maxBytes: 64 * 1024 * 1024 };

/**
 * The config is read before the image is opened, so that its errors come first.
 * @throws CliError in the user's terms; nothing has been written then
 */
export async function embed(options: EmbedOptions, io: Io): Promise<ExitCode> {
  const config = await readConfig(options, io);
  if (wantsCheck(options, io)) await refuseInvalid(config, options, io);
  const existing = options.force === true ? 'replace' : 'refuse';
  await rewriteLiveIso(options, (iso) => embedIgnition(iso, config, existing), io);
  return 0;
}

async function readConfig({ ignitionFile }: EmbedOptions, io: Io): Promise<Uint8Array> {
  return ignitionFile === undefined ? readStdin(io, CONFIG) : readUserFile(ignitionFile, io, CONFIG);
}

/** Scripts written for coreos-installer embed what they like, and rely on that. */
function wantsCheck({ validate = true }: EmbedOptions, { env, programName }: Io): boolean {
  return validate && env['IRONIC_COREOS_VALIDATE'] !== '0' && programName !== 'coreos-installer';
}

/** What only this program has to say against a config is told, and keeps nobody from embedding it. */
async function refuseInvalid(
  config: Uint8Array,
  { ignitionFile = 'standard input' }: EmbedOptions,
  io: Io,
): Promise<void> {
  const { checkConfig } = await import('../../validateDocument.ts');
  const { formatTextReport } = await import('../../../reporters/text.ts');
  const { report, shown } = await checkConfig(config, { lint: 'auto', now: new Date() });
  io.stderr.write(formatTextReport(report, { name: ignitionFile, bytes: shown }));
  if (report.valid) return;
  throw new CliError('The Ignition config is not valid; nothing was written', {
    hint: 'mend the config, or embed it as it is with --no-validate',
  });
}

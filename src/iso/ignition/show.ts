/** `iso ignition show`: prints the embedded Ignition config, byte for byte. */

import { CliError } from '../../core/errors.ts';
import { readIgnition } from '../../image/embeddedIgnition.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { readLiveIso } from '../../io/images/rewriteImage.ts';
import { writeStdout } from '../../io/stdout.ts';

export interface ShowOptions {
  readonly iso: string;
}

/** @throws CliError where the image has no config */
export async function show({ iso }: ShowOptions, io: Io): Promise<ExitCode> {
  const config = await readLiveIso(iso, io, readIgnition);
  if (config === undefined) {
    throw new CliError('No embedded Ignition config.', { hint: 'embed one with `iso ignition embed`' });
  }
  await writeStdout(io, [config]);
  return 0;
}

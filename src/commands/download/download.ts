/** `download`: fetches a CoreOS image, verifies it, and gives it its final name only if it is valid. */

import { resolve } from 'node:path';
import { selectImage } from './artifacts/streamMetadata.ts';
import { planImage, type PlannedFile, planUrl } from './artifacts/plan.ts';
import { machineName } from '../../core/architecture.ts';
import { once } from '../../core/once.ts';
import { downloadFile } from './downloadFile.ts';
import type { OutputPath } from './downloadPartial.ts';
import { createHttpClient } from '../../http/client/httpClient.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { showTransfer } from '../../io/progress.ts';
import { defaultRetries } from '../../http/client/retries.ts';
import { lineForOutput, writeStdout } from '../../io/stdout.ts';
import { printable } from '../../core/foreignText.ts';
import { flagOf, refuseUnused } from '../../io/report/choices.ts';
import { report } from '../../io/report/report.ts';
import { readStreamMetadata, type StreamAccess } from './streams.ts';
import type { DownloadOptions } from './options.ts';

/** Downloads all files of the image at the same time, and prints their paths in the order of their names. */
export async function download(options: DownloadOptions, io: Io): Promise<ExitCode> {
  const { fetchRetries: retries } = options;
  const client = createHttpClient(io);
  const stop = new AbortController();
  io.signal?.addEventListener('abort', () => stop.abort(), { signal: stop.signal });
  try {
    const say = (text: string): void => void io.stderr.write(`${printable(text)}\n`);
    const policy = { ...defaultRetries, retries, signal: stop.signal, say };
    const files = await planFiles(options, { client, policy, io });
    // Only signatures require the OpenPGP code, which is slow to load.
    const trustedKeys = once(async () =>
      (await import('./downloadKeys.ts')).readTrustedKeys(options.gpgKeyring, io),
    );
    const folder = options.directory || '.';
    // Paths are shown as the folder was given, as coreos-installer shows them.
    const outputPath = (name: string): OutputPath => ({
      path: resolve(io.cwd, folder, name),
      shownPath: `${folder.replace(/\/?$/, '/')}${name}`,
    });
    const results = files.map((file) => {
      const transfer = showTransfer(io, file.name);
      const context = { client, policy, trustedKeys, outputPath, progress: transfer.update };
      return downloadFile(file, context).finally(() => transfer.end());
    });
    const written = await Promise.all(results).catch(async (error: unknown) => {
      stop.abort();
      await Promise.allSettled(results);
      throw error;
    });
    await writeStdout(
      io,
      written.map(({ shownPath }) => lineForOutput(shownPath, io)),
    );
    return 0;
  } finally {
    stop.abort(); // io.signal forgets it
    await client.close();
  }
}

async function planFiles(options: DownloadOptions, access: StreamAccess): Promise<readonly PlannedFile[]> {
  const { imageUrl, decompress = false, insecure = false, sha256 } = options;
  if (imageUrl !== undefined) {
    // An image URL leaves nothing to select.
    for (const name of ['stream', 'architecture', 'platform', 'format', 'streamBaseUrl'] as const) {
      if (options[name] === undefined) continue;
      const message = `${flagOf(name)} has no effect with --image-url`;
      report(access.io, { severity: 'warning', message, hint: `remove ${flagOf(name)}` });
    }
    return [planUrl(imageUrl, { decompress, insecure }, sha256)];
  }
  refuseUnused(options, [['imageUrl', ['sha256']]]);
  const { metadata, source } = await readStreamMetadata(options, access);
  const { architecture = machineName(process.arch), platform = 'metal', format = 'raw.xz' } = options;
  const { artifacts } = selectImage(metadata, { architecture, platform, format });
  return planImage(artifacts, source, { decompress, insecure });
}

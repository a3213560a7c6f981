/** `download`: fetches a CoreOS image, verifies it, and gives it its final name only if it is valid. */

import { resolve } from 'node:path';
import { selectImage } from './artifacts/streamMetadata.ts';
import { planImage, type PlannedFile, planUrl } from './artifacts/plan.ts';
import { machineName } from '../../core/architecture.ts';
import { UsageError } from '../../core/errors.ts';
import { once } from '../../core/once.ts';
import { type DownloadContext, downloadFile } from './downloadFile.ts';
import type { Place } from './downloadPartial.ts';
import type { KeySource, KeySourceOptions } from './downloadKeys.ts';
import { createHttpClient } from '../../http/client/httpClient.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { showTransfers, type TransfersProgress } from '../../io/progress.ts';
import { defaultRetries } from '../../http/client/retries.ts';
import { writeStdout } from '../../io/stdout.ts';
import { printable, quoteText } from '../../core/foreignText.ts';
import { flagOf } from '../../io/report/choices.ts';
import { report } from '../../io/report/report.ts';
import { lineForOutput } from '../../io/report/terminalText.ts';
import { readStreamMetadata, type StreamAccess, type StreamOptions } from './streams.ts';

export interface DownloadOptions extends StreamOptions {
  /** As printed by `uname -m`. Default: that of this machine. */
  readonly architecture?: string | undefined;
  /** Default: `metal`. */
  readonly platform?: string | undefined;
  /** Default: `raw.xz`. */
  readonly format?: string | undefined;
  /** An image without metadata; then the options of streams are ignored. */
  readonly imageUrl?: string | undefined;
  /** The checksum of the file at `imageUrl`. */
  readonly sha256?: string | undefined;
  /** Created if it does not exist. Default: the current folder. */
  readonly directory?: string | undefined;
  readonly decompress?: boolean | undefined;
  /** Whether to accept files without a signature. */
  readonly insecure?: boolean | undefined;
  /** A number, or `infinite`. */
  readonly fetchRetries?: string | undefined;
  /** File with trusted keys, instead of those of Fedora and Red Hat. */
  readonly gpgKeyring?: string | undefined;
}

/**
 * Downloads all files of the image at the same time, and prints their paths in the order of their names.
 * @throws CliError for the first failed file; the other downloads stop, and the next run resumes them
 */
export async function download(options: DownloadOptions, io: Io): Promise<ExitCode> {
  const retries = parseRetries(options.fetchRetries);
  const client = createHttpClient(io);
  const progress = await showTransfers(io);
  const stop = new AbortController();
  io.signal?.addEventListener('abort', () => stop.abort(), { signal: stop.signal });
  try {
    const say = (text: string): void => progress.say(printable(text));
    const policy = { ...defaultRetries, retries, signal: stop.signal, say };
    const files = await planFiles(options, { client, policy, io });
    const findKeys = keysFor({ client, policy, keyring: options.gpgKeyring }, io);
    const shared = { client, policy, findKeys, place: placeIn(options.directory ?? '.', io) };
    const results = files.map((file) => downloadShown(file, shared, progress));
    await printInOrder(results, io).catch(async (error: unknown) => {
      stop.abort();
      await Promise.allSettled(results);
      throw error;
    });
    return 0;
  } finally {
    stop.abort(); // io.signal forgets it
    progress.end();
    await client.close();
  }
}

async function planFiles(
  options: DownloadOptions,
  access: StreamAccess & { readonly io: Io },
): Promise<readonly PlannedFile[]> {
  const { imageUrl, decompress = false, insecure = false, sha256 } = options;
  if (imageUrl !== undefined) {
    reportUnused(options, access.io);
    return [planUrl(imageUrl, { decompress, insecure }, sha256)];
  }
  if (sha256 !== undefined) {
    throw new UsageError('--sha256 requires --image-url', {
      hint: 'remove --sha256; stream metadata contains the checksums',
    });
  }
  const { metadata, source } = await readStreamMetadata(options, access);
  const { architecture = machineName(process.arch), platform = 'metal', format = 'raw.xz' } = options;
  const { artifacts } = selectImage(metadata, { architecture, platform, format });
  return planImage(artifacts, source, { decompress, insecure });
}

/** An image URL leaves nothing to select. */
function reportUnused(options: DownloadOptions, io: Io): void {
  for (const name of ['stream', 'architecture', 'platform', 'format', 'streamBaseUrl'] as const) {
    if (options[name] === undefined) continue;
    const message = `${flagOf(name)} has no effect with --image-url`;
    report(io, { severity: 'warning', message, hint: `remove ${flagOf(name)}` });
  }
}

/** Loads the OpenPGP code on demand, because it is slow to load and only signatures require it. */
function keysFor(options: KeySourceOptions, io: Io): KeySource {
  const load = once(async () => (await import('./downloadKeys.ts')).createKeySource(options, io));
  return async (signature) => (await load())(signature);
}

function parseRetries(text: string | undefined): number {
  if (text === undefined) return defaultRetries.retries;
  if (text === 'infinite') return Infinity;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new UsageError(`invalid value ${quoteText(text)} for --fetch-retries`, {
    hint: 'use a number, or infinite',
  });
}

/** Paths are shown as the folder was given, as coreos-installer shows them. */
function placeIn(directory: string, { cwd }: Pick<Io, 'cwd'>): (name: string) => Place {
  const folder = directory === '' ? '.' : directory;
  return (name) => ({
    path: resolve(cwd, folder, name),
    shownPath: `${folder.replace(/\/?$/, '/')}${name}`,
  });
}

async function downloadShown(
  file: PlannedFile,
  shared: Omit<DownloadContext, 'progress'>,
  progress: TransfersProgress,
): Promise<Place> {
  const transfer = progress.begin(file.name);
  try {
    return await downloadFile(file, { ...shared, progress: transfer.update });
  } finally {
    transfer.end();
  }
}

/** The failure of any file ends the wait for all files. */
async function printInOrder(results: readonly Promise<Place>[], io: Io): Promise<void> {
  const failure = Promise.all(results).then(() => new Promise<never>(() => undefined)); // never fulfilled
  failure.catch(() => undefined);
  for (const result of results) {
    const { shownPath } = await Promise.race([result, failure]);
    await writeStdout(io, [lineForOutput(shownPath, io)]);
  }
}

/**
 * `--bundle`: packs the prepared folder into one archive, to copy it to a web server. The tar archive is reproducible: the
 * order of the files is given, the owner is root, all files have the same time, and the gzip header contains no name and time.
 */

import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import tar from 'tar-stream';
import { UsageError } from '../../core/errors.ts';
import { fileError } from '../../io/files/fileErrors.ts';
import type { Io } from '../../io/io.ts';
import { sourceDate } from '../../io/sourceDate.ts';
import { createFile, type NewFile } from '../../io/files/newFile.ts';
import type { PreparedFolder } from './folder/preparedFolder.ts';
import { compareTexts, type Manifest } from '../../hosts/artifacts/manifest.ts';
import { CHECKSUMS, MANIFEST } from '../../hosts/plan/servedPaths.ts';
import type { PrepareOptions } from './options.ts';

export interface Bundle {
  readonly output: NewFile;
  /** The time of all files. */
  readonly time: Date;
}

/** @throws UsageError for an unsupported file name extension, or an invalid SOURCE_DATE_EPOCH */
export function readBundle({ bundle }: PrepareOptions, io: Io): Bundle | undefined {
  if (bundle === undefined) return undefined;
  if (!/\.(?:tar|tar\.gz|tgz)$/.test(bundle)) {
    throw new UsageError('--bundle requires a name that ends in .tar, .tar.gz or .tgz', {
      hint: 'use a name such as boot.tar.gz',
    });
  }
  const path = resolve(io.cwd, bundle);
  const output = { path, shownPath: bundle, existing: 'replace', inputs: io.inputs } as const;
  return { output, time: sourceDate(io) ?? new Date(0) };
}

/**
 * Packs the manifest and all files that it lists. Other files in the folder are not packed.
 * @throws CliError if the archive cannot be written
 */
export async function writeBundle(
  { output, time }: Bundle,
  folder: PreparedFolder,
  manifest: Manifest,
): Promise<void> {
  const own = [CHECKSUMS, MANIFEST].map((path) => ({
    path,
    mode: folder.accessOf().mode.toString(8),
  }));
  const sorted = manifest.files.toSorted((one, other) => compareTexts(one.path, other.path));
  const { mode } = folder.accessOf(manifest.files.flatMap(({ secrets = [] }) => secrets));
  await createFile({ ...output, mode }, async ({ path }) => {
    const pack = tar.pack();
    const added = addAll(pack, folder.path, [...sorted, ...own], time).catch((error: unknown) => {
      pack.destroy(error instanceof Error ? error : new Error(String(error)));
      throw error;
    });
    const target = createWriteStream(path, { flags: 'r+' });
    const bytes = Readable.from(pack);
    const isCompressed = !output.path.endsWith('.tar');
    const written = isCompressed ? pipeline(bytes, createGzip(), target) : pipeline(bytes, target);
    await Promise.all([added, written]);
  });
}

/** Streams the files with backpressure: archives are larger than memory. */
async function addAll(
  pack: tar.Pack,
  root: string,
  files: readonly { readonly path: string; readonly mode: string }[],
  mtime: Date,
): Promise<void> {
  for (const { path: name, mode } of files) {
    const path = join(root, name);
    try {
      const { size } = await stat(path);
      const owner = { uid: 0, gid: 0, uname: '', gname: '' };
      const entry = pack.entry({ name, mode: Number.parseInt(mode, 8), mtime, size, ...owner });
      await pipeline(createReadStream(path, { highWaterMark: PIECE }), entry);
    } catch (error) {
      throw fileError(error, { path, what: 'File', action: 'read' });
    }
  }
  pack.finalize();
}

const PIECE = 1024 * 1024;

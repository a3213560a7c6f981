/**
 * `--bundle`: packs the prepared folder into one archive, to copy it to a web server. The tar archive is reproducible: the
 * order of the files is given, the owner is root, all files have the same time, and the gzip header contains no name, time
 * and system.
 */

import { open } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import tar from 'tar-stream';
import { CliError, UsageError } from '../core/errors.ts';
import { fileError } from '../io/files/fileErrors.ts';
import { writeAll } from '../io/files/handles.ts';
import type { Io } from '../io/io.ts';
import { checkNewFile, createFile, type NewFile } from '../io/files/newFile.ts';
import type { PreparedFolder } from './folder/preparedFolder.ts';
import { parseManifest } from '../hosts/artifacts/manifest.ts';
import { CHECKSUMS, MANIFEST } from '../hosts/artifacts/servedPaths.ts';
import { readUserFile } from '../io/files/files.ts';
import { type PrepareOptions, readAccess } from './options.ts';

/** @throws UsageError for an unsupported file name extension */
export function checkBundleName(name: string | undefined): void {
  if (name === undefined || /\.(?:tar|tar\.gz|tgz)$/.test(name)) return;
  throw new UsageError('--bundle requires a name that ends in .tar, .tar.gz or .tgz', {
    hint: 'use a name such as boot.tar.gz',
  });
}

/** Packs the manifest and all files that it lists if a bundle is wanted. Other files in the folder are not packed. */
export async function bundleFolder(folder: PreparedFolder, options: PrepareOptions, io: Io): Promise<void> {
  const { bundle } = options;
  if (bundle === undefined) return;
  const path = resolve(io.cwd, bundle);
  const limits = { what: 'Manifest', maxBytes: 1024 ** 3 };
  const text = await readUserFile(join(folder.path, MANIFEST), io, limits);
  const { files } = parseManifest(Buffer.from(text).toString());
  const access = await readAccess(options);
  const hasSecrets = files.some(({ secrets = [] }) => secrets.length > 0);
  const output: NewFile = {
    path,
    shownPath: bundle,
    existing: 'replace',
    mode: hasSecrets ? access.secret.mode : access.open.mode,
  };
  await checkNewFile(output);
  const listed = files.map(({ path: name, mode }) => ({ name, mode: Number.parseInt(mode, 8) }));
  const own = [CHECKSUMS, MANIFEST].map((name) => ({ name, mode: access.open.mode }));
  await writeBundle(
    [...listed, ...own].map(({ name, mode }) => ({ name, mode, source: join(folder.path, name) })),
    output,
    { compression: bundle.endsWith('.tar') ? 'none' : 'gzip', time: sourceDate(io) },
  );
}

/** https://reproducible-builds.org/specs/source-date-epoch/: seconds since 1970 (default: 0). */
function sourceDate({ env }: Io): number {
  const text = env['SOURCE_DATE_EPOCH'] ?? '';
  if (text === '') return 0;
  if (/^\d{1,11}$/.test(text)) return Number(text);
  throw new UsageError('SOURCE_DATE_EPOCH is not a number of seconds', {
    hint: 'set it to seconds since 1970, for example SOURCE_DATE_EPOCH=1790000000',
  });
}

interface BundledFile {
  /** Path in the archive, separated by slashes. */
  readonly name: string;
  /** Absolute path of a regular file. */
  readonly source: string;
  readonly mode: number;
}

interface BundleForm {
  readonly compression: 'gzip' | 'none';
  /** Time of all files in seconds since 1970. */
  readonly time: number;
}

/** @throws CliError if a file cannot be read or written; the archive is then not created */
async function writeBundle(
  files: readonly BundledFile[],
  output: NewFile,
  { compression, time }: BundleForm,
): Promise<void> {
  await createFile(output, async ({ handle }) => {
    const pack = tar.pack();
    let offset = 0;
    const sink = async (written: AsyncIterable<Uint8Array>): Promise<void> => {
      for await (const chunk of written) {
        await writeAll(handle, chunk, offset);
        offset += chunk.length;
      }
    };
    const chunks = bytesOf(pack);
    const writing = compression === 'gzip' ? pipeline(chunks, createGzip(), sink) : pipeline(chunks, sink);
    const added = addAll(pack, files, time).catch((error: unknown) => {
      pack.destroy(error instanceof Error ? error : new Error(String(error)));
      throw error;
    });
    await Promise.all([added, writing]);
    if (compression === 'gzip') await writeAll(handle, Uint8Array.of(OS_UNKNOWN), OS_OFFSET);
  });
}

/** The types of the library do not include the type of its chunks. */
async function* bytesOf(pack: AsyncIterable<unknown>): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of pack) if (chunk instanceof Uint8Array) yield chunk;
}

/** Offset of the operating system in a gzip header (RFC 1952, section 2.3.1). */
const OS_OFFSET = 9;
const OS_UNKNOWN = 255;

async function addAll(pack: tar.Pack, files: readonly BundledFile[], time: number): Promise<void> {
  for (const file of files) {
    await add(pack, file, time).catch((error: unknown) => {
      throw fileError(error, { path: file.source, what: 'File', action: 'read' });
    });
  }
  pack.finalize();
}

/** Streams the file with backpressure: archives are larger than memory. */
async function add(pack: tar.Pack, { name, source, mode }: BundledFile, time: number): Promise<void> {
  const handle = await open(source, 'r');
  try {
    const { size } = await handle.stat();
    const header = { name, size, mode, mtime: new Date(time * 1000), uid: 0, gid: 0, uname: '', gname: '' };
    const entry = pack.entry(header);
    await pipeline(
      piecesOf(handle.createReadStream({ autoClose: false, highWaterMark: PIECE }), size, name),
      entry,
    );
  } finally {
    await handle.close();
  }
}

const PIECE = 1024 * 1024;

async function* piecesOf(
  chunks: AsyncIterable<Uint8Array>,
  size: number,
  name: string,
): AsyncGenerator<Uint8Array, void> {
  let taken = 0;
  for await (const chunk of chunks) {
    taken += chunk.length;
    if (taken > size) break;
    yield chunk;
  }
  if (taken !== size)
    throw new CliError(`${name} changed while it was packed`, {
      code: 'ERR_IMAGE_CHANGED',
      hint: 'run the command again',
    });
}

/**
 * `--bundle`: packs the prepared folder into one archive, to copy it to a web server. The tar archive is reproducible: the
 * order of the files is given, the owner is root, all files have the same time, and the gzip header contains no name, time
 * and system.
 */

import { type FileHandle, open } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import tar from 'tar-stream';
import { CliError, UsageError } from '../../core/errors.ts';
import { isSameFile } from '../../io/files/shareFile.ts';
import { fileError } from '../../io/files/fileErrors.ts';
import { writeAll } from '../../io/files/handles.ts';
import type { Io } from '../../io/io.ts';
import { sourceDate } from '../../io/sourceDate.ts';
import { checkNewFile, createFile } from '../../io/files/newFile.ts';
import type { PreparedFolder } from './folder/preparedFolder.ts';
import type { Manifest } from '../../hosts/artifacts/manifest.ts';
import { CHECKSUMS, MANIFEST } from '../../hosts/plan/servedPaths.ts';
import type { AgentArchives } from '../../hosts/plan/agentArchives.ts';
import type { PrepareOptions } from './options.ts';

/** The archive to write. */
export interface Bundle {
  readonly output: { readonly path: string; readonly shownPath: string; readonly existing: 'replace' };
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
  const output = { path: resolve(io.cwd, bundle), shownPath: bundle, existing: 'replace' } as const;
  return { output, time: sourceDate(io) ?? new Date(0) };
}

/** Called before anything is written: images take long. @throws CliError if the archive cannot be created */
export async function checkBundle(bundle: Bundle | undefined): Promise<void> {
  if (bundle !== undefined) await checkNewFile(bundle.output);
}

/**
 * Packs the manifest and all files that it lists. Other files in the folder are not packed.
 * @throws UsageError if the archive would replace an agent archive, CliError if it cannot be written
 */
export async function writeBundle(
  { output, time }: Bundle,
  folder: PreparedFolder,
  manifest: Manifest,
  archives: AgentArchives,
): Promise<void> {
  const replaced = [
    ...archives.used().map(({ path }) => path),
    ...manifest.files.map(({ path }) => join(folder.path, path)).filter((path) => path === output.path),
  ];
  for (const path of replaced) {
    if (!(await isSameFile(path, output.path))) continue;
    throw new UsageError(`--bundle ${output.shownPath} would replace the agent archive`, {
      hint: 'use another name for the bundle',
    });
  }
  const { mode } = folder.accessOf();
  const files = [
    ...manifest.files.toSorted((one, other) =>
      Buffer.compare(Buffer.from(one.path), Buffer.from(other.path)),
    ),
    ...[CHECKSUMS, MANIFEST].map((path) => ({ path, mode: mode.toString(8) })),
  ];
  const secrets = manifest.files.flatMap((file) => file.secrets ?? []);
  const access = folder.accessOf(secrets);
  await createFile({ ...output, mode: access.mode }, async ({ handle }) => {
    const pack = tar.pack();
    const added = addAll(pack, folder.path, files, time).catch((error: unknown) => {
      pack.destroy(error instanceof Error ? error : new Error(String(error)));
      throw error;
    });
    await Promise.all([added, writeArchive(pack, handle, !output.path.endsWith('.tar'))]);
  });
}

async function writeArchive(pack: tar.Pack, handle: FileHandle, isCompressed: boolean): Promise<void> {
  let offset = 0;
  const sink = async (written: AsyncIterable<Uint8Array>): Promise<void> => {
    for await (const chunk of written) {
      await writeAll(handle, chunk, offset);
      offset += chunk.length;
    }
  };
  if (!isCompressed) return pipeline(bytesOf(pack), sink);
  await pipeline(bytesOf(pack), createGzip(), sink);
  await writeAll(handle, Uint8Array.of(OS_UNKNOWN), OS_OFFSET);
}

/** The types of the library do not include the type of its chunks. */
async function* bytesOf(pack: AsyncIterable<unknown>): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of pack) if (chunk instanceof Uint8Array) yield chunk;
}

/** Offset of the operating system in a gzip header (RFC 1952, section 2.3.1). */
const OS_OFFSET = 9;
const OS_UNKNOWN = 255;

async function addAll(
  pack: tar.Pack,
  root: string,
  files: readonly { readonly path: string; readonly mode: string }[],
  mtime: Date,
): Promise<void> {
  for (const { path: name, mode } of files) {
    const path = join(root, name);
    const owner = { uid: 0, gid: 0, uname: '', gname: '' };
    const header = { name, mode: Number.parseInt(mode, 8), mtime, ...owner };
    await add(pack, header, path).catch((error: unknown) => {
      throw fileError(error, { path, what: 'File', action: 'read' });
    });
  }
  pack.finalize();
}

/** Streams the file with backpressure: archives are larger than memory. */
async function add(pack: tar.Pack, header: Parameters<tar.Pack['entry']>[0], path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    const entry = pack.entry({ ...header, size });
    const chunks = handle.createReadStream({ autoClose: false, highWaterMark: PIECE });
    await pipeline(piecesOf(chunks, size, header.name), entry);
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
      hint: `run prepare again when no program writes to ${name}`,
    });
}

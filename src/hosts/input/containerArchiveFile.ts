/** Reads agent archives, each file once. */

import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { readContainerArchive, type ContainerArchive } from '../../formats/containerArchive.ts';
import { openInput } from '../../io/files/byteInput.ts';
import { fileError } from '../../io/files/fileErrors.ts';
import type { Io } from '../../io/io.ts';
import { FormatError, located, only } from '../../core/errors.ts';
import { refuseOtherFile } from './contentKind.ts';

/** A file, and where its name was given. */
interface NamedArchive {
  /** The path as the user gave it, relative to the current folder. */
  readonly path: string;
  /** The source of the path, for messages: `--agent-archive`. */
  readonly place: string;
}

type ArchiveIo = Pick<Io, 'cwd' | 'stdin'>;

export type ReadArchiveFile = (file: NamedArchive) => Promise<ContainerArchive>;

/**
 * A reader that checks each file once, unless the file changes. It throws CliError for files that are missing, damaged or
 * not an archive of a container image.
 */
export function createArchiveReader(io: ArchiveIo): ReadArchiveFile {
  const known = new Map<string, Promise<ContainerArchive>>();
  return async (file) => {
    const stamp = await stampOf(file, io);
    const archive = known.get(stamp) ?? readArchive(file, io);
    known.set(stamp, archive);
    return archive;
  };
}

async function stampOf({ path, place }: NamedArchive, { cwd }: ArchiveIo): Promise<string> {
  const absolute = resolve(cwd, path);
  const stats = await stat(absolute, { bigint: true }).catch((error: unknown) => {
    throw fileError(error, { path, what: whatIs(place), action: 'read' });
  });
  return [absolute, stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(':');
}

async function readArchive({ path, place }: NamedArchive, io: ArchiveIo): Promise<ContainerArchive> {
  const input = await openInput({ path, what: whatIs(place) }, io);
  try {
    return await located({ subject: `${place}: ${path}:`, hint: ARCHIVE_HINT }, () =>
      readContainerArchive(input.bytes()).catch(
        only(FormatError, async (error) => {
          await refuseOtherFile('an archive of a container image', path, io);
          throw error;
        }),
      ),
    );
  } finally {
    await input.close();
  }
}

const ARCHIVE_HINT = 'create the archive with: podman save --format oci-archive -o FILE IMAGE';

function whatIs(place: string): string {
  return `Agent archive (${place})`;
}

/** Reads agent archives, each file once. */

import { resolve } from 'node:path';
import { readContainerArchive, type ContainerArchive } from '../../formats/containerArchive.ts';
import { withOpened } from '../../imagefile/imageFile.ts';
import { fileError } from '../../io/files/fileErrors.ts';
import { stampOf } from '../../io/files/fileStates.ts';
import type { Io } from '../../io/io.ts';
import { located } from '../../core/errors.ts';
import { readAs } from './contentKind.ts';

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
    const { path, place } = file;
    const absolute = resolve(io.cwd, path);
    const state = await stampOf(absolute).catch((error: unknown) => {
      throw fileError(error, { path, what: whatIs(place), action: 'read' });
    });
    const stamp = `${absolute}:${state}`;
    const archive = known.get(stamp) ?? readArchive(file, io);
    known.set(stamp, archive);
    return archive;
  };
}

async function readArchive({ path, place }: NamedArchive, io: ArchiveIo): Promise<ContainerArchive> {
  return withOpened(io, async (open) => {
    const archive = await open(path, whatIs(place));
    return located({ subject: `${place}: ${path}:`, hint: ARCHIVE_HINT }, () =>
      readAs('an archive of a container image', archive, readContainerArchive),
    );
  });
}

const ARCHIVE_HINT = 'create the archive with: podman save --format oci-archive -o FILE IMAGE';

function whatIs(place: string): string {
  return `Agent archive (${place})`;
}

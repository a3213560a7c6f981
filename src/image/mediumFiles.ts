/**
 * Adds files to the medium: the files are appended to a live ISO, and listed in its folder `coreos`, which the live system
 * mounts at /run/media/iso/coreos. Unlike embedded files, they need no memory on the host. Their directory records are
 * written to the free end of the last sector of the folder, with Rock Ridge names if the folder uses them. They are not sorted as
 * ECMA-119 requires; Linux and the boot loaders accept that. The Joliet tree, which Linux ignores beside Rock Ridge, stays as it is.
 */

import { quoteText } from '../core/foreignText.ts';
import { CliError } from '../core/errors.ts';
import {
  MAX_RECORD,
  partCount,
  partOf,
  recordLength,
  writeDirectoryRecord,
} from '../formats/iso9660/directory.ts';
import { readSystemUse, writeAttributes, writeName } from '../formats/iso9660/rockRidge.ts';
import { encodeLatin1, SECTOR } from '../formats/iso9660/fields.ts';
import { type NodeKind, primaryIdentifiers } from '../formats/iso9660/names.ts';
import type { Addition } from './growth.ts';
import type { IsoEntry, IsoTree } from './isoTree.ts';
import type { Patch, RandomAccess } from './overlay.ts';
import { type KernelArgument, parseArguments } from '../kargs/argument.ts';
import { coreosArguments } from '../kargs/coreosArguments.ts';
import { livePaths } from './livePaths.ts';

export interface MediumFile {
  /** Name in the folder `coreos`. */
  readonly name: string;
  readonly content: RandomAccess;
}

/** The folder of an image to which files are added, which the live system mounts at /run/media/iso/coreos. */
export const MEDIUM_FOLDER = 'coreos';

const MODE = 0o100_444;
const MAX_NAME = 128;

/**
 * Returns the data to append for these files.
 * @param tree of the original image
 * @throws CliError if a name is invalid or exists, or the folder is full
 */
export async function planMediumFiles(tree: IsoTree, files: readonly MediumFile[]): Promise<Addition[]> {
  if (files.length === 0) return [];
  const folder = await tree.find(MEDIUM_FOLDER);
  if (folder?.kind !== 'directory') {
    throw new CliError(`The image contains no folder ${MEDIUM_FOLDER} for files`, {
      code: 'ERR_IMAGE',
      hint: 'use an image of 2021-09 or later',
    });
  }
  const entries = await tree.list(folder);
  refuseNames(entries, files);
  const identifiers = primaryIdentifiers(
    new Map<string, NodeKind>([
      ...entries.map(({ recordName, kind }): [string, NodeKind] => [recordName, kind]),
      ...files.map(({ name }): [string, NodeKind] => [name, 'file']),
    ]),
  );
  const bytes = await tree.readFile(folder, { maxBytes: SECTOR * SECTOR });
  // The first record is the folder itself, with its attributes.
  const { hasAttributes } = readSystemUse(bytes.subarray(recordLength(1, 0), bytes[0] ?? 0));
  // The new records follow the last one.
  const last = bytes.subarray(Math.max(0, bytes.length - SECTOR));
  let used = 0;
  for (let length = last[0] ?? 0; length > 0; length = last[used] ?? 0) used += length;
  const free = last.subarray(used);
  const room = free.every((byte) => byte === 0) ? free.length : 0;
  const start = folder.offset + bytes.length - free.length;
  let end = start;
  const additions = files.map(({ name, content }) => {
    const identifier = encodeLatin1(identifiers.get(name) ?? name);
    const systemUse = hasAttributes ? rockRidge(name) : new Uint8Array();
    const length = recordLength(identifier.length, systemUse.length);
    if (length > MAX_RECORD)
      throw new CliError(`The name is too long for the image: ${name}`, { code: 'ERR_SETTING' });
    const { size } = content;
    const count = partCount(size);
    const at = end;
    end += length * count;
    const pointAt = (offset: number): Patch[] =>
      Array.from({ length: count }, (_, part) => ({
        offset: at + part * length,
        data: writeDirectoryRecord({
          ...partOf({ sector: size === 0 ? 0 : offset / SECTOR, size }, part),
          identifier,
          isDirectory: false,
          date: RECORD_DATE,
          systemUse,
        }),
      }));
    return { data: content, size, pointAt };
  });
  if (end - start <= room) return additions;
  throw new CliError(
    `The folder ${MEDIUM_FOLDER} of the image is full: the file names require ${end - start} bytes, ${room} are free`,
    { code: 'ERR_IMAGE_SPACE', hint: 'use shorter names, or add the files as one archive' },
  );
}

function refuseNames(entries: readonly IsoEntry[], files: readonly MediumFile[]): void {
  const taken = new Set(entries.flatMap((it) => [it.name, it.recordName].map((name) => name.toLowerCase())));
  for (const { name } of files) {
    if (['', '.', '..'].includes(name) || /[/\\\p{Cc}]/u.test(name) || name.length > MAX_NAME) {
      throw new CliError(`Invalid file name: ${quoteText(name)}`, {
        code: 'ERR_SETTING',
        hint: `use at most ${MAX_NAME} characters, without slashes`,
      });
    }
    if (taken.has(name.toLowerCase())) {
      throw new CliError(`The image already contains a file ${MEDIUM_FOLDER}/${name}`, {
        code: 'ERR_FILE_EXISTS',
        hint: 'use another name, or use `iso reset` to remove added files',
      });
    }
    taken.add(name.toLowerCase());
  }
}

/**
 * @param current the kernel arguments of the image
 * @param kargs those that it gets
 * @throws CliError if the live system does not mount the medium, and so does not see files on it
 */
export async function refuseInvisible(tree: IsoTree, current = '', kargs = current): Promise<void> {
  if ((await tree.find(livePaths.rootfs)) === undefined) {
    throw new CliError('Files on a minimal ISO are not visible: the live system does not mount it', {
      code: 'ERR_IMAGE',
      hint: 'use the full live ISO, or serve the files over HTTP',
    });
  }
  const { name } = coreosArguments.fromRam;
  const argumentIn = (line: string): KernelArgument | undefined =>
    parseArguments(line).find((argument) => argument.name === name);
  if (argumentIn(kargs) === undefined) return;
  const present = argumentIn(current)?.text;
  throw new CliError(
    `Files on the medium are not visible: with ${name} the live system unmounts the medium`,
    {
      code: 'ERR_IMAGE',
      hint:
        present === undefined
          ? `omit ${name}, or use \`iso reset\` to remove the files that are on the medium`
          : `use \`iso kargs modify -d ${present}\``,
    },
  );
}

/** A constant, so that equal input creates equal images. */
const RECORD_DATE = new Date(0);

function rockRidge(name: string): Uint8Array {
  const attributes = writeAttributes({ mode: MODE, links: 1, date: RECORD_DATE }, 'named');
  return Uint8Array.from([...attributes, ...writeName(Buffer.from(name))]);
}

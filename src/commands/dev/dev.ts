/** `dev show` and `dev extract`: print the contents of an ISO or an initramfs, or extract the files of an initramfs. */

import { UsageError } from '../../core/errors.ts';
import { describeKargs, listIso } from '../../image/isoListing.ts';
import { openIsoTree } from '../../image/isoTree.ts';
import { readImage } from '../../imagefile/imageFile.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { readLiveIso } from '../../imagefile/rewriteImage.ts';
import { writeStdout } from '../../io/stdout.ts';
import { jsonBytes, parseTextOrJson } from '../../io/report/choices.ts';
import { listInitrd, sortedByPath, takeInitrdFiles } from '../../image/initrd.ts';
import { parseInitrdGlobs } from '../../formats/glob.ts';
import { withInitrd, withRepeatableInitrd } from '../../hosts/input/initrdInput.ts';
import { lineForOutput } from '../../io/report/terminalText.ts';
import { type ExtractionTarget, prepareExtraction } from '../../imagefile/extractFiles.ts';

export interface ShowIsoOptions {
  readonly iso: string;
  /** Prints offset and length of the embed area. */
  readonly ignition?: boolean;
  /** Prints the offsets of the kernel arguments. */
  readonly kargs?: boolean;
}

/**
 * Without an option, any ISO 9660 image is supported. Sizes and offsets are in bytes.
 * @throws UsageError if both options are set; CliError if the image cannot be read, or is not a CoreOS live ISO
 */
export async function showIso(options: ShowIsoOptions, io: Io): Promise<ExitCode> {
  await writeStdout(io, [jsonBytes(await describeIso(options, io))]);
  return 0;
}

async function describeIso({ iso: path, ignition, kargs }: ShowIsoOptions, io: Io): Promise<unknown> {
  if (ignition === true && kargs === true) {
    throw new UsageError('--ignition and --kargs are mutually exclusive', {
      hint: 'use --ignition or --kargs',
    });
  }
  if (kargs === true) return readLiveIso(path, io, async (iso) => describeKargs(await iso.kargsAreas()));
  if (ignition === true) {
    return readLiveIso(path, io, async ({ embedArea: { offset, length } }) => ({ offset, length }));
  }
  return readImage(path, io, async (image) => listIso(await openIsoTree(image)));
}

export interface ShowInitrdOptions {
  /** Path of the initramfs; `-` is standard input. */
  readonly initrd: string;
  /** Patterns for paths; without, all files are listed. */
  readonly globs?: readonly string[];
  /** `text` when it is left out. */
  readonly format?: string | undefined;
}

/**
 * Prints one path per line, sorted by bytes; as JSON, `files` is a list of `path` and `size` (bytes).
 * @throws CliError if the file is not an initramfs, or a pattern is invalid
 */
export async function showInitrd(
  { initrd, globs = [], format }: ShowInitrdOptions,
  io: Io,
): Promise<ExitCode> {
  const form = parseTextOrJson(format);
  const wants = parseInitrdGlobs(globs);
  const path = initrd === '-' ? undefined : initrd;
  const files = sortedByPath(await withInitrd(path, io, (source) => listInitrd(source, wants)));
  const output =
    form === 'json'
      ? jsonBytes({ files: files.map(([name, size]) => ({ path: name, size })) })
      : Buffer.concat(files.map(([name]) => lineForOutput(name, io)));
  await writeStdout(io, [output]);
  return 0;
}

export interface ExtractInitrdOptions extends Partial<ExtractionTarget> {
  /** Path of the initramfs; `-` is standard input. */
  readonly initrd: string;
  /** Patterns for paths; without, all files are written. */
  readonly globs?: readonly string[];
  /** Prints the path of each file. */
  readonly verbose?: boolean;
}

/**
 * Owners and permissions are not restored; files with secrets get mode 0600. Empty folders are not created. The archive is
 * read twice, first for the names and then for the files, so that it does not have to fit into memory.
 * @throws CliError if the file is not an initramfs, a path leads out of the folder, or a file exists
 */
export async function extractInitrd(options: ExtractInitrdOptions, io: Io): Promise<ExitCode> {
  const { initrd, globs = [], directory = '.', overwrite, verbose = false } = options;
  const wants = parseInitrdGlobs(globs);
  await withRepeatableInitrd(initrd === '-' ? undefined : initrd, io, async (open) => {
    const names = sortedByPath(await listInitrd(open(), wants)).map(([name]) => name);
    const { write, pathOf } = await prepareExtraction({ directory, overwrite }, names, io);
    await takeInitrdFiles(open(), wants, (name, data) => write(name, data));
    if (verbose)
      await writeStdout(
        io,
        names.map((name) => lineForOutput(pathOf(name), io)),
      );
  });
  return 0;
}

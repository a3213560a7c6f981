/** `iso extract`: extracts the files for network boot, the boot loaders, or the minimal ISO from a live ISO. */

import { parse } from 'node:path';
import { openIsoTree } from '../../image/isoTree.ts';
import { findPxeFiles } from '../../image/bootParts.ts';
import { writeChange } from '../../imagefile/copyImage.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { createFile, type NewFile } from '../../io/files/newFile.ts';
import { prepareExtraction } from '../../imagefile/extractFiles.ts';
import { imageFileName, readImage } from '../../imagefile/imageFile.ts';
import { lineForOutput, refuseTerminal, writeStdout } from '../../io/stdout.ts';
import { CliError } from '../../core/errors.ts';
import { quoteText } from '../../core/foreignText.ts';
import { readEfiLoaders } from '../../image/efiLoaders.ts';
import { formatWordList } from '../../formats/messageText.ts';
import { changedImage } from '../../image/imageChange.ts';
import { requireKargsAreas } from '../../image/kargsAreas.ts';
import { remarkGrub } from '../../image/kargsEdit.ts';
import { report } from '../../io/report/report.ts';
import {
  adaptKargs,
  checkRootfsUrl,
  findRootfs,
  openMinimalIso,
  refuseCustomized,
  type Reconstruction,
  verifiedChunks,
  verifyReconstruction,
} from '../../image/minimalIso/extract.ts';
import type { LiveIso } from '../../image/liveIso.ts';
import { reusedChunks } from '../../image/overlay.ts';
import { writeChunks } from '../../io/files/handles.ts';
import { checkOutput, outputFile } from '../../imagefile/imageOutput.ts';
import { readLiveIso } from '../../imagefile/rewriteImage.ts';
import { coreosArguments } from '../../kargs/coreosArguments.ts';
import type { ExtractFilesOptions, ExtractMinimalIsoOptions } from './options.ts';

/**
 * Prints each path before it writes the file; a file appears when it is complete. Embedded files are ignored.
 * @throws CliError `File exists: …` before the first file is written, or for an invalid image or folder
 */
export async function extractPxe(options: ExtractFilesOptions, io: Io): Promise<ExitCode> {
  const { iso, outputDir: directory, overwrite } = options;
  const stem = parse(imageFileName(iso) ?? 'coreos').name;
  await readImage(iso, io, async (image) => {
    const parts = await findPxeFiles(await openIsoTree(image));
    const named = parts.map((part) => ({ ...part, name: `${stem}-${part.name}` }));
    for (const { content, file } of await prepareExtraction({ directory, overwrite }, named, io)) {
      await writeStdout(io, [lineForOutput(file.shownPath, io)]);
      await createFile({ ...file, size: content.length }, ({ handle }) =>
        writeChunks(handle, reusedChunks(image, content)),
      );
    }
  });
  return 0;
}

/**
 * Prints each path before it writes the file, and says who signed it.
 * @throws CliError `File exists: …` before the first file is written, or for an ISO without loaders
 */
export async function extractLoaders(options: ExtractFilesOptions, io: Io): Promise<ExitCode> {
  const { iso, outputDir: directory, overwrite } = options;
  await readImage(iso, io, async (image) => {
    const loaders = await readEfiLoaders(await openIsoTree(image));
    await image.checkUnchanged();
    for (const { content, file } of await prepareExtraction({ directory, overwrite }, loaders, io)) {
      const { bytes, signers } = content;
      await writeStdout(io, [lineForOutput(file.shownPath, io)]);
      await createFile({ ...file, size: bytes.length }, ({ handle }) => handle.writeFile(bytes));
      report(io, {
        severity: 'info',
        message: `${file.shownPath}: ${signers.length === 0 ? 'not signed' : `signed by ${formatWordList(signers.map(quoteText))}`}`,
      });
    }
  });
  return 0;
}

/** The output files appear when all of them are complete and verified. */
export async function extractMinimalIso(options: ExtractMinimalIsoOptions, io: Io): Promise<ExitCode> {
  const { iso: path, output, outputRootfs, rootfsUrl } = options;
  if (rootfsUrl !== undefined) checkRootfsUrl(rootfsUrl);
  // `--mode` and `--overwrite` apply to all written files.
  const rootfs =
    outputRootfs === undefined
      ? undefined
      : outputFile({ ...options, output: outputRootfs === '-' ? './-' : outputRootfs }, io);
  const file = rootfs !== undefined && output === '-' ? undefined : outputFile(options, io);
  // Copying takes long, so invalid outputs are reported before it starts.
  if (file === undefined) refuseTerminal(io);
  for (const one of [rootfs, file]) if (one !== undefined) await checkOutput(one, [path], io);
  if (file !== undefined && file.path === rootfs?.path) {
    throw new CliError(`File exists: ${file.shownPath} is the name of both outputs`, {
      code: 'ERR_SETTING',
      hint: 'use a different file for --output-rootfs',
    });
  }
  await readLiveIso(path, io, async (iso) => {
    await refuseCustomized(iso);
    const minimal = await openMinimalIso(iso);
    if (rootfsUrl !== undefined) {
      const areas = requireKargsAreas(await iso.kargsAreas());
      report(io, remarkGrub(areas, `${coreosArguments.rootfsUrl.name}=${rootfsUrl}`));
    }
    await withRootfs(iso, rootfs, () => deliver(minimal, file, rootfsUrl, io));
  });
  return 0;
}

/** The file appears only after `deliverImage` succeeds, too. */
async function withRootfs(
  iso: LiveIso,
  file: NewFile | undefined,
  deliverImage: () => Promise<void>,
): Promise<void> {
  if (file === undefined) return deliverImage();
  const { offset, size } = await findRootfs(iso);
  await createFile(file, async ({ handle }) => {
    await writeChunks(handle, reusedChunks(iso.image, { offset, length: size }));
    await deliverImage();
  });
}

/** A file is verified while it is written. Standard output cannot be undone, so the image is first read for verification. */
async function deliver(
  minimal: Reconstruction,
  file: NewFile | undefined,
  rootfsUrl: string | undefined,
  io: Io,
): Promise<void> {
  if (file !== undefined) {
    return createFile(file, async ({ handle }) => {
      await writeChunks(handle, verifiedChunks(minimal));
      await writeChange(handle, await adaptKargs(minimal, rootfsUrl));
    });
  }
  await verifyReconstruction(minimal);
  const image = changedImage(minimal.image, await adaptKargs(minimal, rootfsUrl));
  await writeStdout(io, reusedChunks(image, { offset: 0, length: image.size }));
}

/** `iso extract pxe`: writes the files that a network boot needs, as a live ISO has them. */

import { mkdir } from 'node:fs/promises';
import { parse, resolve } from 'node:path';
import { openIsoTree } from '../../image/isoTree.ts';
import { findPxeFiles, type PxeFile } from '../../image/bootParts.ts';
import { copyRange } from '../../io/images/copyImage.ts';
import { fileError } from '../../io/files/fileErrors.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { checkNewFile, createFile, type NewFile } from '../../io/files/newFile.ts';
import { imageFileName, readImage } from '../../io/images/imageFile.ts';
import { writeStdout } from '../../io/stdout.ts';
import { lineForOutput } from '../../io/report/terminalText.ts';

export interface ExtractPxeOptions {
  readonly iso: string;
  /** Folder for the files, made if need be; without, the current one. */
  readonly outputDir?: string | undefined;
}

/**
 * Each file is named before it is written, and appears when it is complete. What is embedded is not looked at.
 * @throws CliError `File exists: …` before the first file is written, or what is wrong with the image or the folder
 */
export async function extractPxe({ iso, outputDir = '.' }: ExtractPxeOptions, io: Io): Promise<ExitCode> {
  await readImage(iso, io, async (image) => {
    const files = await findPxeFiles(await openIsoTree(image), image);
    const targets = files.map((file) => ({ file, target: targetOf(file, { iso, outputDir }, io) }));
    await makeFolder(outputDir, io);
    for (const { target } of targets) await checkNewFile(target);
    for (const { file, target } of targets) {
      await writeStdout(io, [lineForOutput(target.shownPath, io)]);
      await createFile(target, ({ handle }) => copyRange(image, file, handle));
    }
  });
  return 0;
}

interface Place {
  readonly iso: string;
  readonly outputDir: string;
}

function targetOf({ name }: PxeFile, { iso, outputDir }: Place, { cwd }: Io): NewFile {
  const fileName = `${parse(imageFileName(iso) ?? 'coreos').name}-${name}`;
  const folder = outputDir === '' ? '' : outputDir.replace(/\/?$/, '/');
  return {
    path: resolve(cwd, outputDir, fileName),
    shownPath: `${folder}${fileName}`,
    existing: 'refuse',
  };
}

async function makeFolder(folder: string, { cwd }: Io): Promise<void> {
  try {
    await mkdir(resolve(cwd, folder), { recursive: true });
  } catch (error) {
    throw fileError(error, { path: folder, what: 'Folder', action: 'create' });
  }
}

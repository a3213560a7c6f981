/** `iso extract minimal-iso`: writes the minimal ISO that a live ISO holds, which fetches its root filesystem. */

import { CliError } from '../../core/errors.ts';
import { changedImage } from '../../image/imageChange.ts';
import {
  adaptKargs,
  checkRootfsUrl,
  findRootfs,
  openMinimalIso,
  refuseCustomized,
} from '../../image/minimalIso/extract.ts';
import {
  type Reconstruction,
  verifiedChunks,
  verifyReconstruction,
} from '../../image/minimalIso/reconstruct.ts';
import type { LiveIso } from '../../image/liveIso.ts';
import { reusedChunks } from '../../image/overlay.ts';
import { writeChange } from '../../io/images/copyImage.ts';
import { writeChunks } from '../../io/files/handles.ts';
import { outputFile, type OutputOptions, refuseInput } from '../../io/images/imageOutput.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { checkNewFile, createFile, type NewFile } from '../../io/files/newFile.ts';
import { readLiveIso } from '../../io/images/rewriteImage.ts';
import { refuseTerminal, writeLentToStdout } from '../../io/stdout.ts';

export interface ExtractMinimalIsoOptions extends OutputOptions {
  readonly iso: string;
  /** A new file, or `-` for standard output, which is the default. */
  readonly output?: string | undefined;
  /** A new file for the root filesystem. */
  readonly outputRootfs?: string | undefined;
  /** Where the minimal ISO will find its root filesystem. */
  readonly rootfsUrl?: string | undefined;
}

/**
 * The outputs appear when all of them are complete and verified.
 * @throws CliError in the user's terms; there is then neither
 */
export async function extractMinimalIso(options: ExtractMinimalIsoOptions, io: Io): Promise<ExitCode> {
  const { iso: path, output = '-', rootfsUrl } = options;
  if (rootfsUrl !== undefined) checkRootfsUrl(rootfsUrl);
  const outputs = namedOutputs({ ...options, output }, io);
  await checkOutputs(outputs, path, io);
  await readLiveIso(path, io, async (iso) => {
    await refuseCustomized(iso);
    const minimal = await openMinimalIso(iso);
    await withRootfs(iso, outputs.rootfs, () => deliver(minimal, { file: outputs.output, rootfsUrl }, io));
  });
  return 0;
}

/** `--mode` and `--overwrite` are about all files that are written. */
function namedOutputs(options: ExtractMinimalIsoOptions, io: Io): Outputs {
  const { output, outputRootfs } = options;
  if (outputRootfs === undefined) return { output: outputFile(options, io), rootfs: undefined };
  const rootfs = outputFile({ ...options, output: outputRootfs === '-' ? './-' : outputRootfs }, io);
  return { output: output === '-' ? undefined : outputFile(options, io), rootfs };
}

interface Outputs {
  /** Undefined for standard output. */
  readonly output: NewFile | undefined;
  /** Undefined where it is not wanted. */
  readonly rootfs: NewFile | undefined;
}

/** Copying takes a while; what is wrong with the outputs is said before. */
async function checkOutputs({ output, rootfs }: Outputs, iso: string, io: Io): Promise<void> {
  if (output === undefined) refuseTerminal(io);
  for (const file of [rootfs, output]) {
    if (file === undefined) continue;
    await refuseInput(file, iso, io);
    await checkNewFile(file);
  }
  if (output === undefined || output.path !== rootfs?.path) return;
  throw new CliError(`File exists: ${output.shownPath} would be both outputs`, {
    hint: 'write the root filesystem to another file',
  });
}

/** The file gets its name only when `deliverImage` has succeeded too. */
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

interface Destination {
  readonly file: NewFile | undefined;
  readonly rootfsUrl: string | undefined;
}

/** A file is verified as it is written, before it has its name; a stream could not be taken back, so it is read twice. */
async function deliver(minimal: Reconstruction, { file, rootfsUrl }: Destination, io: Io): Promise<void> {
  if (file !== undefined) {
    return createFile(file, async ({ handle }) => {
      await writeChunks(handle, verifiedChunks(minimal));
      await writeChange(handle, await adaptKargs(minimal, rootfsUrl));
    });
  }
  await verifyReconstruction(minimal);
  const image = changedImage(minimal.image, await adaptKargs(minimal, rootfsUrl));
  await writeLentToStdout(io, reusedChunks(image, { offset: 0, length: image.size }));
}

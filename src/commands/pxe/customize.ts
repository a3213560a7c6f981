/** `pxe customize`: writes a copy of a live initramfs, with the customization as an appended archive. */

import {
  readCustomization,
  refuseInstalledConfigs,
  refuseUnsupported,
  reportInstallation,
} from '../customize/customization.ts';
import { type ByteSource, piecesOf } from '../../formats/byteReader.ts';
import { requireContents } from '../../hosts/input/imageContents.ts';
import { nameInitrd } from '../../hosts/input/initrdInput.ts';
import { readLiveInitrd, renderCustomization } from '../../image/customize/customization.ts';
import type { EmbedFiles } from '../../image/embedArea.ts';
import { CONFIG_NAME } from '../../image/embeddedIgnition.ts';
import { writeInitrd } from '../../image/initrd.ts';
import { type ByteInputFile, copyingSource, openInput } from '../../io/files/byteInput.ts';
import { writeAll } from '../../io/files/handles.ts';
import { createFile, type NewFile } from '../../io/files/newFile.ts';
import { checkOutput, modeForFiles, outputFile } from '../../imagefile/imageOutput.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { writeStdout } from '../../io/stdout.ts';
import { liveArguments } from '../../kargs/coreosArguments.ts';
import type { PxeCustomizeOptions } from './options.ts';

const needed = liveArguments({}).map(({ text }) => text);
const KARGS_NOTICE = `PXE configuration must include kernel arguments:\n\t${needed.join(' ')}\n`;

/**
 * @throws CliError for the user; no file is written then. From a pipe to standard output, data is copied while it is read,
 *   so errors of the input are reported at its end.
 */
export async function customizePxe(options: PxeCustomizeOptions, io: Io): Promise<ExitCode> {
  const file = outputFile(options, io); // a usage error is reported before a file is opened
  await checkOutput(file, [options.initramfs], io);
  const input = await openInput({ path: options.initramfs, what: 'Initramfs' }, io);
  try {
    if (file === undefined) await writeToStdout(input, options, io);
    else await writeToFile(file, input, options, io);
  } finally {
    await input.close();
  }
  return 0;
}

type Write = (piece: Uint8Array) => Promise<void>;

/** Copies and checks the same bytes, even if another process writes to the input. */
async function writeToFile(
  file: NewFile,
  input: ByteInputFile,
  options: PxeCustomizeOptions,
  io: Io,
): Promise<void> {
  await createFile(file, async ({ handle }) => {
    let position = 0;
    const write: Write = async (piece) => {
      await writeAll(handle, piece, position);
      position += piece.length;
    };
    const files = await makeFiles(copyingSource(input.bytes(), write), options, io);
    await write(writeInitrd(files));
    return modeForFiles(file.mode, files, io);
  });
}

/** A file is checked before the first byte is written. */
async function writeToStdout(input: ByteInputFile, options: PxeCustomizeOptions, io: Io): Promise<void> {
  const write: Write = (piece) => writeStdout(io, [piece]);
  const source = input.isFile ? input.bytes() : copyingSource(input.bytes(), write);
  const files = await makeFiles(source, options, io);
  if (input.isFile) await writeStdout(io, piecesOf(input.bytes()));
  await write(writeInitrd(files));
}

/**
 * Creates the files to append, after it reads the whole initramfs. The archive is appended without zeros in between; the
 * kernel supports both.
 */
async function makeFiles(initrd: ByteSource, options: PxeCustomizeOptions, io: Io): Promise<EmbedFiles> {
  const { build, features } = await nameInitrd(options.initramfs, io, () => readLiveInitrd(initrd));
  refuseUnsupported(options, features);
  const customization = await readCustomization(options, io);
  const files = renderCustomization(customization);
  requireContents({ files, build }, { io, keyfiles: customization.keyfiles, options });
  refuseInstalledConfigs(customization, { build }, { io, options });
  reportInstallation(customization, [], io);
  if (files.has(CONFIG_NAME)) io.stderr.write(KARGS_NOTICE);
  return files;
}

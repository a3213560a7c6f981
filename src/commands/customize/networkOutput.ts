/** Output of extracted network settings: text on standard output, or files. */

import { type NetworkFile, networkMembers } from '../../image/networkSettings.ts';
import { prepareExtraction } from '../../imagefile/extractFiles.ts';
import { modeForContent } from '../../imagefile/imageOutput.ts';
import { createFile } from '../../io/files/newFile.ts';
import type { Io } from '../../io/io.ts';
import { lineForOutput, writeStdout } from '../../io/stdout.ts';
import { jsonBytes, refuseUnused } from '../../io/report/choices.ts';
import type { OptionsOf } from '../../io/commandLine.ts';
import type { networkOutputOptions } from './options.ts';

/**
 * As text: the contents with a heading per file, or the path of each written file. As JSON: `files` is a list of `name`
 * and `path`, or of `name` and `text`; a file that is not UTF-8 has `base64` instead of `text`.
 * @throws CliError `File exists: …`; nothing is written then
 */
export async function deliverNetworkFiles(
  files: readonly NetworkFile[],
  options: OptionsOf<typeof networkOutputOptions>,
  io: Io,
): Promise<void> {
  const { directory, format, overwrite } = options;
  refuseUnused(options, [['directory', ['overwrite']]]);
  if (directory === undefined) {
    const isJson = format === 'json';
    return writeStdout(io, isJson ? [jsonBytes({ files: files.map(describe) })] : withHeadings(files, io));
  }
  const targets = await prepareExtraction({ directory, overwrite }, files, io);
  for (const { content, file } of targets) {
    const mode = modeForContent(networkMembers([content]));
    await createFile({ ...file, mode }, ({ handle }) => handle.writeFile(content.data));
    if (format === 'text') await writeStdout(io, [lineForOutput(file.shownPath, io)]);
  }
  const written = targets.map(({ content: { name }, file }) => ({ name, path: file.shownPath }));
  if (format === 'json') await writeStdout(io, [jsonBytes({ files: written })]);
}

function describe({ name, data }: NetworkFile): object {
  try {
    return { name, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data) };
  } catch {
    return { name, base64: Buffer.from(data).toString('base64') };
  }
}

/** A blank line separates the files. A missing line feed at the end of a file is not added. */
function* withHeadings(files: readonly NetworkFile[], io: Io): Generator<Uint8Array> {
  let separator = '';
  for (const { name, data } of files) {
    yield Buffer.from(separator);
    yield lineForOutput(`########## ${name} ##########`, io);
    yield data;
    separator = '\n';
  }
}

/** Output of extracted network settings: text on standard output, or files. */

import { NETWORK_FOLDER, type NetworkFile } from '../image/networkSettings.ts';
import { writeNewFiles, type WrittenFile } from '../io/files/extractFiles.ts';
import type { Io } from '../io/io.ts';
import { writeStdout } from '../io/stdout.ts';
import { lineForOutput } from '../io/report/terminalText.ts';
import { jsonBytes, type TextOrJson } from '../io/report/choices.ts';

interface NetworkOutput {
  /** Folder to write the files to, created if it is missing (default: standard output). */
  readonly directory?: string | undefined;
  readonly format: TextOrJson;
}

/**
 * As text: the contents with a heading per file, or the path of each written file. As JSON: `files` is a list of `name`
 * and `path`, or of `name` and `text`; a file that is not UTF-8 has `base64` instead of `text`.
 * @throws CliError `File exists: …`; nothing is written then
 */
export async function deliverNetworkFiles(
  files: readonly NetworkFile[],
  { directory, format }: NetworkOutput,
  io: Io,
): Promise<void> {
  if (format === 'json') {
    const described = directory === undefined ? files.map(describe) : await writeAll(files, directory, io);
    await writeStdout(io, [jsonBytes({ files: described })]);
  } else if (directory === undefined) {
    await writeStdout(io, withHeadings(files, io));
  } else {
    for await (const { path } of writeTo(directory, files, io))
      await writeStdout(io, [lineForOutput(path, io)]);
  }
}

interface FileDescription {
  readonly name: string;
  readonly text?: string;
  readonly base64?: string;
}

function describe({ name, data }: NetworkFile): FileDescription {
  try {
    return { name, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data) };
  } catch {
    return { name, base64: Buffer.from(data).toString('base64') };
  }
}

async function writeAll(files: readonly NetworkFile[], directory: string, io: Io): Promise<WrittenFile[]> {
  const written = [];
  for await (const file of writeTo(directory, files, io)) written.push(file);
  return written;
}

function writeTo(
  directory: string,
  files: readonly NetworkFile[],
  io: Io,
): AsyncGenerator<WrittenFile, void> {
  const extracted = files.map((file) => ({ ...file, origin: `${NETWORK_FOLDER}/${file.name}` }));
  return writeNewFiles(directory, extracted, io);
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

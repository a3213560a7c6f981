/** The files that a command extracts from an image into a folder of the user. */

import { join, resolve } from 'node:path';
import { quoteText } from '../core/foreignText.ts';
import { CliError } from '../core/errors.ts';
import { checkNewFile, makeFolder, type NewFile } from '../io/files/newFile.ts';
import { isOwnName } from '../io/files/platform.ts';
import type { Io } from '../io/io.ts';

/** Under the names of the command line. */
interface ExtractionTarget {
  /** Folder to write the files to, created if it is missing. */
  readonly directory: string;
  /** Replaces existing files. */
  readonly overwrite?: boolean | undefined;
}

/**
 * Creates the folder, and returns where each content is to be written. Names in an image are untrusted.
 * @throws CliError `File exists: …`, or if a name leads out of the folder; no file is written then
 */
export async function prepareExtraction<Content extends { readonly name: string }>(
  { directory, overwrite }: ExtractionTarget,
  contents: readonly Content[],
  { cwd, inputs }: Io,
): Promise<readonly { readonly content: Content; readonly file: NewFile }[]> {
  const folder = resolve(cwd, directory);
  const prefix = directory === '' ? '' : directory.replace(/\/?$/, '/');
  const targets = contents.map((content) => {
    const { name } = content;
    if (!isOwnName(name)) {
      throw new CliError(`${quoteText(name)} is not a valid file name`, {
        code: 'ERR_IMAGE',
        hint: 'download the image from a trusted source; nothing was written',
      });
    }
    const existing = overwrite === true ? 'replace' : 'refuse';
    const shownPath = `${prefix}${name}`;
    const file: NewFile = {
      path: join(folder, name),
      shownPath,
      existing,
      replacedBy: '--overwrite',
      inputs,
    };
    return { content, file };
  });
  await makeFolder(folder, directory);
  for (const { file } of targets) await checkNewFile(file);
  return targets;
}

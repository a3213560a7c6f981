/** The output of commands that create or change images: a new file with a suitable mode, or standard output. */

import { resolve } from 'node:path';
import { CliError, UsageError } from '../core/errors.ts';
import { formatWordList } from '../formats/messageText.ts';
import type { EmbedFiles } from '../image/embedArea.ts';
import { isLocalImage } from './imageFile.ts';
import { report } from '../io/report/report.ts';
import type { Io } from '../io/io.ts';
import { checkNewFile, type NewFile } from '../io/files/newFile.ts';
import { isSameFile } from '../io/files/shareFile.ts';
import { hasPermissions } from '../io/files/platform.ts';
import { refuseTerminal } from '../io/stdout.ts';
import { listEmbeddedSecrets } from '../agent/embeddedSecrets.ts';

/** Under the names of the command line. */
export interface OutputOptions {
  /** A new file, or `-` for standard output. */
  readonly output?: string | undefined;
  /** Replaces a file of that name. */
  readonly overwrite?: boolean | undefined;
  /** Permission bits of the new file in octal, e.g. `0640`; without, what the umask gives, or 0600 for secrets. */
  readonly mode?: string | undefined;
}

/**
 * The file to write; undefined for standard output, and without an output.
 * @throws UsageError for an invalid mode, and for options that require an output file
 */
export function outputFile(
  { output, overwrite, mode }: OutputOptions,
  { cwd, inputs }: Io,
): NewFile | undefined {
  const bits = mode === undefined ? undefined : parseMode(mode);
  if (output !== undefined && output !== '-') {
    const existing = overwrite === true ? 'replace' : 'refuse';
    const path = resolve(cwd, output);
    return { path, shownPath: output, existing, replacedBy: '--overwrite', mode: bits, inputs };
  }
  const option = bits !== undefined ? '--mode' : overwrite === true ? '--overwrite' : undefined;
  if (option === undefined) return undefined;
  throw new UsageError(`${option} requires an output file`, {
    hint: 'pass the output file with -o',
  });
}

/** @throws UsageError where it is no octal number of three digits */
export function parseMode(text: string): number {
  if (/^(?:0o?)?[0-7]{3}$/.test(text)) return Number.parseInt(text.slice(-3), 8);
  throw new UsageError(`invalid value '${text}' for '--mode <octal>': not an octal number of three digits`, {
    hint: 'use an octal number, for example --mode 0640',
  });
}

/**
 * Checks where a result goes before the work, which takes a while.
 * @param file undefined for standard output
 * @param inputs what is read, which the file must not replace
 * @throws CliError for a terminal, and for a file that exists or cannot be created
 */
export async function checkOutput(
  file: NewFile | undefined,
  inputs: readonly (string | undefined)[],
  io: Io,
): Promise<void> {
  if (file === undefined) return refuseTerminal(io);
  for (const input of inputs) if (input !== undefined) await refuseInput(file, input, io);
  await checkNewFile(file);
}

/** Refuses a new file that is the image which is read, also by another name. */
async function refuseInput(file: NewFile, input: string, { cwd }: Io): Promise<void> {
  const place = resolve(cwd, input);
  const isInput = isLocalImage(input) && (file.path === place || (await isSameFile(file.path, place)));
  if (!isInput) return;
  throw new CliError(`File exists: ${file.shownPath} is the input`, {
    code: 'ERR_FILE_EXISTS',
    hint: `use another path than ${input} with -o`,
  });
}

/**
 * The permission bits for a new file: the user's, else those for its owner alone where what goes into it is a secret.
 * Says so on standard error. Undefined where the umask is to decide.
 */
export function modeForFiles(mode: number | undefined, files: EmbedFiles, io: Io): number | undefined {
  return mode ?? modeForSecrets(listEmbeddedSecrets(files), io, '; override with --mode');
}

/** The permission bits for a new file by its content: 0600 for secrets, else undefined, so that the umask decides. */
export function modeForContent(files: EmbedFiles): number | undefined {
  return hasPermissions() && listEmbeddedSecrets(files).length > 0 ? OWNER_ONLY : undefined;
}

/**
 * The same for secrets that are known, as nouns; said on standard error.
 * @param hint continues the sentence
 */
export function modeForSecrets(secrets: readonly string[], { stderr }: Io, hint = ''): number | undefined {
  if (secrets.length === 0 || !hasPermissions()) return undefined;
  stderr.write(`the new file contains ${formatWordList(secrets)}, so it is created with mode 0600${hint}\n`);
  return OWNER_ONLY;
}

const OWNER_ONLY = 0o600;

/** Warns on standard error if a file that all users can read now contains secrets that it did not contain before. */
export function warnOfSecrets(before: EmbedFiles, after: EmbedFiles, io: Io): void {
  const known = new Set(listEmbeddedSecrets(before));
  const secrets = listEmbeddedSecrets(after).filter((secret) => !known.has(secret));
  if (secrets.length === 0) return;
  const message = `the image now contains ${formatWordList(secrets)} and all users of this machine can read it`;
  report(io, { severity: 'warning', message, hint: 'run chmod 600 on the image' });
}

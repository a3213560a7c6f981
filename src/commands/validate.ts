/** `validate`: says of Ignition configs what Ignition would say. */

import { CliError, UsageError } from '../errors.ts';
import { explainMismatches } from '../ignition/shape.ts';
import { validateConfig } from '../ignition/validate.ts';
import { type Expected, readStdin, readUserFile } from '../io/files.ts';
import type { ExitCode, Io } from '../io/io.ts';
import { writeStdout } from '../io/stdout.ts';
import type { Report } from '../report.ts';
import { formatJsonReport } from '../reporters/json.ts';
import { formatTextReport, formatVerdict } from '../reporters/text.ts';

/** The options of the command line, under the names that they have there. */
export interface ValidateOptions {
  /** At least one; `-` is standard input. */
  readonly files: readonly string[];
  /** `text` when it is left out. */
  readonly format?: string;
}

/**
 * Checks all files, also if some cannot be read, and ends with 1 if one is not valid or not readable. Findings go to
 * standard output; with text, the verdicts go to standard error.
 */
export async function validate({ files, format = 'text' }: ValidateOptions, io: Io): Promise<ExitCode> {
  if (!isFormat(format)) {
    throw new UsageError(`unknown format: ${format}`, { hint: `use one of ${formats.join(', ')}` });
  }
  if (files.filter((file) => file === '-').length > 1) {
    throw new UsageError('standard input can be checked only once', { hint: 'give "-" once' });
  }
  let exitCode: ExitCode = 0;
  for await (const document of readDocuments(files, io)) {
    const isValid = await validateDocument(document, format, io);
    if (!isValid) exitCode = 1;
  }
  return exitCode;
}

type Format = (typeof formats)[number];

const formats = ['text', 'json'] as const;

/** Real configs have a few megabytes at most; a ramdisk could not hold this one in memory several times. */
const expected: Expected = { what: 'Ignition config', maxBytes: 256 * 1024 * 1024 };

function isFormat(name: string): name is Format {
  return formats.some((format) => format === name);
}

/** Files that are read while one is checked; most of the time for many small files goes into waiting for the disk. */
const readAhead = 8;

interface Document {
  readonly file: string;
  /** Or why they could not be read. */
  readonly content: Uint8Array | CliError;
}

async function* readDocuments(files: readonly string[], io: Io): AsyncIterable<Document> {
  const reading: Promise<Document>[] = [];
  for (const file of files) {
    reading.push(readDocument(file, io));
    if (reading.length > readAhead) yield* takeFirst(reading);
  }
  while (reading.length > 0) yield* takeFirst(reading);
}

async function* takeFirst(reading: Promise<Document>[]): AsyncIterable<Document> {
  const first = await reading.shift();
  if (first !== undefined) yield first;
}

async function readDocument(file: string, io: Io): Promise<Document> {
  try {
    const content = file === '-' ? await readStdin(io, expected) : await readUserFile(file, io, expected);
    return { file, content };
  } catch (error) {
    if (error instanceof CliError) return { file, content: error };
    throw error;
  }
}

async function validateDocument({ file, content }: Document, format: Format, io: Io): Promise<boolean> {
  if (content instanceof CliError) {
    await writeUnreadable(content, { file, format }, io);
    return false;
  }
  const report = await explainMismatches(validateConfig(content), content);
  await writeReport(report, { file, format, bytes: content }, io);
  return report.valid;
}

interface Checked {
  readonly file: string;
  readonly format: Format;
  readonly bytes: Uint8Array;
}

async function writeReport(report: Report, { file, format, bytes }: Checked, io: Io): Promise<void> {
  if (format === 'json') return writeStdout(io, [Buffer.from(formatJsonReport(report, file))]);
  const name = file === '-' ? 'standard input' : file;
  await writeStdout(io, [Buffer.from(formatTextReport(report, { name, bytes }))]);
  io.stderr.write(formatVerdict(report, name));
}

/** A program that reads the reports finds one for every file. */
async function writeUnreadable(
  error: CliError,
  { file, format }: Omit<Checked, 'bytes'>,
  io: Io,
): Promise<void> {
  const { message, hint } = error;
  if (format === 'text') {
    io.stderr.write(`error: ${message}\n${hint === undefined ? '' : `hint: ${hint}\n`}`);
    return;
  }
  const finding = { severity: 'error', rule: 'file-unreadable', path: [], message } as const;
  const report = { valid: false, findings: [hint === undefined ? finding : { ...finding, hint }] };
  await writeStdout(io, [Buffer.from(formatJsonReport(report, file))]);
}

/** `validate`: says of Ignition configs what Ignition would say, and of the agent's what the agent would. */

import { basename, dirname, resolve } from 'node:path';
import { statSync } from 'node:fs';
import { CliError, FormatError, UsageError } from '../core/errors.ts';
import { type Expected, readStdin, readUserFile } from '../io/files/files.ts';
import { expandInputs, type InputFile, type Interest } from '../io/files/inputFiles.ts';
import type { ExitCode, Io } from '../io/io.ts';
import { writeStdout } from '../io/stdout.ts';
import {
  type CheckedFile,
  jsonReporter,
  type Reporter,
  type ReportOutput,
  type UncheckedFile,
} from '../io/report/reporter.ts';
import { parseChoice, parseFormat } from '../io/report/choices.ts';
import { diagnosticOf } from '../core/diagnostic.ts';
import { report } from '../io/report/report.ts';
import { withColors } from '../io/report/terminalText.ts';
import { createTextReporter } from '../io/report/text.ts';
import type { CheckOptions, LintMode } from '../hosts/input/checkConfig.ts';
import { checkDocument, isConfFile, isValid } from './validateDocument.ts';
import { withoutIgnored } from '../io/report/ruleBook.ts';

/** The options of the command line, under the names that they have there. */
export interface ValidateOptions {
  /** At least one: files, folders, patterns; `-` is standard input. */
  readonly files: readonly string[];
  /** `text` when it is left out. */
  readonly format?: string;
  /** Warnings make a file not valid. */
  readonly strict?: boolean;
  /** `none`, `agent` or `error`; without, configs that run the agent are looked at further. */
  readonly lint?: string;
  /** A release of ironic-python-agent, e.g. `11.2.0`. */
  readonly ipaVersion?: string;
}

/**
 * Checks all files, also if some cannot be read, and ends with 1 if one is not valid or not readable. Findings go to
 * standard output; with text, the verdicts go to standard error.
 */
export async function validate(options: ValidateOptions, io: Io): Promise<ExitCode> {
  const reporter = await reporters[parseFormat(options.format, formats)](io);
  const checkOptions = await readCheckOptions(options);
  if (options.files.filter((file) => file === '-').length > 1) {
    throw new UsageError('standard input can be checked only once', { hint: 'give "-" once' });
  }
  let exitCode: ExitCode = 0;
  await tell({ stdout: reporter.start, stderr: '' }, io);
  for await (const document of readDocuments(expandInputs(options.files, interest, io), io)) {
    const checked = dropIgnored(await check(document, checkOptions, io), checkOptions, io);
    if ('error' in checked || !checked.report.valid) exitCode = 1;
    await tell(reporter.add(checked), io);
  }
  await tell({ stdout: reporter.end(), stderr: '' }, io);
  return exitCode;
}

const formats = ['text', 'json', 'sarif', 'github'] as const;

const reporters: Readonly<Record<(typeof formats)[number], (io: Io) => Reporter | Promise<Reporter>>> = {
  text: ({ hasColors }) => createTextReporter(hasColors === true ? withColors : undefined),
  json: () => jsonReporter,
  sarif: async () => (await import('../io/report/annotations.ts')).createSarifReporter(),
  github: async () => (await import('../io/report/annotations.ts')).githubReporter,
};

const lintModes = ['none', 'agent', 'error'] as const;

async function readCheckOptions({
  lint,
  strict = false,
  ipaVersion,
}: ValidateOptions): Promise<CheckOptions> {
  const mode: LintMode = parseChoice('--lint', lint, lintModes) ?? 'auto';
  const options = { lint: mode, strict, now: new Date() };
  if (ipaVersion === undefined) return options;
  const { parseIpaVersion } = await import('../ipa/ipaOptions.ts');
  return { ...options, ipaVersion: parseIpaVersion(ipaVersion) };
}

/** Other programs have files named *.conf, too. */
const interest: Interest = {
  isWanted: (path) =>
    path.endsWith('.ign') ||
    (path.endsWith('.conf') && agentName.test(`${basename(dirname(path))}/${basename(path)}`)),
  description:
    '*.ign, ironic-python-agent*.conf, and *.conf in a folder named ironic-python-agent or ironic-python-agent.d',
};

const agentName = /^(?:ironic-python-agent(?:\.d)?\/|[^/]*\/ironic-python-agent)/;

/** Real configs have a few megabytes at most; a ramdisk could not hold this one in memory several times. */
const maxBytes = 256 * 1024 * 1024;

/** Files that are read while one is checked; most of the time for many small files goes into waiting for the disk. */
const readAhead = 8;

/** What is `unread` is large: it may be an image, of which little has to be read. */
type Document = UncheckedFile | { readonly file: string; readonly content: Uint8Array | 'unread' | 'circle' };

async function* readDocuments(files: AsyncIterable<InputFile>, io: Io): AsyncIterable<Document> {
  const reading: Promise<Document>[] = [];
  for await (const file of files) {
    reading.push(readDocument(file, io));
    if (reading.length > readAhead) yield* takeFirst(reading);
  }
  while (reading.length > 0) yield* takeFirst(reading);
}

async function* takeFirst(reading: Promise<Document>[]): AsyncIterable<Document> {
  const first = await reading.shift();
  if (first !== undefined) yield first;
}

async function readDocument(input: InputFile, io: Io): Promise<Document> {
  const { path: file } = input;
  if (input.kind === 'error') return { file, error: input.error };
  if (input.kind === 'circle') return { file, content: 'circle' };
  return file !== '-' && isImageSized(file, io) ? { file, content: 'unread' } : readContent(file, io);
}

async function readContent(
  file: string,
  io: Io,
): Promise<UncheckedFile | { readonly file: string; readonly content: Uint8Array }> {
  const expected: Expected = { what: isConfFile(file) ? 'Conf of the agent' : 'Ignition config', maxBytes };
  try {
    const content = file === '-' ? await readStdin(io, expected) : await readUserFile(file, io, expected);
    return { file, content };
  } catch (error) {
    if (error instanceof CliError) return { file, error };
    throw error;
  }
}

async function check(
  document: Document,
  options: CheckOptions,
  io: Io,
): Promise<CheckedFile | UncheckedFile> {
  if ('error' in document) return document;
  const { file, content } = document;
  if (content === 'circle') return reportCircle(file, options);
  if (content === 'unread' || mayBeImage(content)) {
    const { checkIfImage } = await import('./validateImage.ts');
    const given = content === 'unread' ? undefined : content;
    const checked = await checkIfImage(file, given, { options, io });
    if (checked !== undefined) return checked;
  }
  const read = content === 'unread' ? await readContent(file, io) : { file, content };
  if ('error' in read) return read;
  if (io.note !== undefined && !isConfFile(file)) {
    const { describeCheckedConfig } = await import('../hosts/input/logConfig.ts');
    io.note(describeCheckedConfig(file, read.content, options));
  }
  return checkContent(read, options);
}

async function checkContent(
  { file, content }: { readonly file: string; readonly content: Uint8Array },
  options: CheckOptions,
): Promise<CheckedFile | UncheckedFile> {
  try {
    const checked = await checkDocument(file, content, options);
    const { references } = checked;
    return { file, report: checked.report, bytes: checked.shown, ...(references && { references }) };
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    const { hint, message } = error;
    return { file, error: new CliError(`${file}: ${message}`, { code: 'ERR_FORMAT', hint, cause: error }) };
  }
}

function dropIgnored(
  checked: CheckedFile | UncheckedFile,
  options: CheckOptions,
  io: Io,
): CheckedFile | UncheckedFile {
  if ('error' in checked) return checked;
  const findings = withoutIgnored(checked.report.findings, io);
  const valid = isValid({ valid: findings.every(({ severity }) => severity !== 'error'), findings }, options);
  return { ...checked, report: { valid, findings } };
}

/** Nothing is wrong with any config, but somebody should know. */
function reportCircle(file: string, { strict }: CheckOptions): CheckedFile {
  const finding = {
    severity: 'warning',
    rule: 'folder-circle',
    path: [],
    message: 'symbolic links go round in circles here',
    hint: 'remove the link; what it leads to is checked once',
  } as const;
  return { file, report: { valid: !strict, findings: [finding] }, bytes: new Uint8Array() };
}

async function tell({ stdout, stderr, error }: ReportOutput, io: Io): Promise<void> {
  if (stdout !== '') await writeStdout(io, [Buffer.from(stdout)]);
  if (stderr !== '') io.stderr.write(stderr);
  if (error !== undefined) report(io, diagnosticOf(error));
}

/** Larger files are looked at before they are read as a whole: they may be images of a gigabyte. */
const LARGE = 4 * 1024 * 1024;
/** Bytes up to the end of what every ISO has, whatever it begins with. */
const ISO_MARK_END = 32_774;
/** Bytes that tell whether something begins like a text; archives and compressed data do not. */
const HEAD = 4;
const OPENING_BRACE = 0x7b;
/** What cpio archives begin with, and no config does. */
const ZERO = 0x30;

/** Of a file by its size; what cannot be looked at is none, as reading it gives the error. */
function isImageSized(path: string, { cwd }: Pick<Io, 'cwd'>): boolean {
  try {
    const stats = statSync(resolve(cwd, path));
    return stats.size > LARGE || stats.isBlockDevice();
  } catch {
    return false;
  }
}

/** Of content by its first bytes. */
function mayBeImage(content: Uint8Array): boolean {
  const [first] = content;
  if (first === OPENING_BRACE) return false;
  return content.length > ISO_MARK_END || first === ZERO || !content.subarray(0, HEAD).every(isTextByte);
}

function isTextByte(byte: number): boolean {
  return (byte >= 0x20 && byte < 0x7f) || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

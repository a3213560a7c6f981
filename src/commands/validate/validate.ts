/** `validate`: reports the errors that Ignition reports for its configs, and the agent for its own. */

import { resolve } from 'node:path';
import { statSync } from 'node:fs';
import { CliError, UsageError } from '../../core/errors.ts';
import { ISO_MARK_END } from '../../formats/iso9660/fields.ts';
import { type Expected, inputName, readInput } from '../../io/files/files.ts';
import { expandInputs, type InputFile, type Interest } from '../../io/files/inputFiles.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { writeStdout } from '../../io/stdout.ts';
import {
  type CheckedFile,
  jsonReporter,
  type Reporter,
  type UncheckedFile,
} from '../../io/report/reporter.ts';
import { diagnosticOf } from '../../core/finding.ts';
import { knownError, report } from '../../io/report/report.ts';
import { applyIgnored } from '../../io/report/ignored.ts';
import { createTextReporter } from '../../io/report/text.ts';
import type { CheckedDocument, CheckOptions } from '../../hosts/input/checkConfig.ts';
import { checkNamedConf, isAgentConfName } from '../../agent/confFile.ts';
import { maskConfSecrets } from '../../agent/lint/secrets.ts';
import { createUnitCheck } from '../../hosts/input/unitTools.ts';
import { githubReporter } from '../../io/report/annotations.ts';
import { parseIpaVersion } from '../../ipa/ipaOptions.ts';
import { createHardwareCheck, type HardwareCheck } from '../../hosts/settings/hardwareCheck.ts';
import type { ValidateOptions, ValidationOptions } from './options.ts';
import {
  checkSourceConfig,
  CONFIG_FILE,
  filesDirOf,
  type OpenLocalFiles,
  readSourceConfig,
} from '../../hosts/input/sourceConfig.ts';

/**
 * Checks all files, even if some cannot be read. Returns 1 if a file is invalid or unreadable. Findings are written to
 * standard output; with the format text, the verdicts are written to standard error.
 */
export async function validate(options: ValidateOptions, io: Io): Promise<ExitCode> {
  const reporter = reporters[options.format](io);
  const checkUnits = createUnitCheck(io, (message) => report(io, { severity: 'info', message }));
  const checkOptions = {
    ...readCheckOptions(options, io),
    checkHardware: await createHardwareCheck(options.hardware, io),
    checkUnits,
  };
  if (options.file.filter((file) => file === '-').length > 1) {
    throw new UsageError('standard input can be read only once', { hint: 'pass "-" only once' });
  }
  let exitCode: ExitCode = 0;
  for (const input of expandInputs(options.file, interest, io)) {
    // The other files are checked also after a defect of this program.
    const checked = await check(input, checkOptions, io).then(
      (one) => dropIgnored(one, options, io),
      (error: unknown) => ({ file: input.path, error: knownError(error, io, { file: input.path }) }),
    );
    if ('error' in checked || !checked.report.valid) exitCode = 1;
    const { stdout, stderr, error } = reporter.add(checked);
    if (stdout !== '') await writeStdout(io, [Buffer.from(stdout)]);
    if (stderr !== '') io.stderr.write(stderr);
    if (error !== undefined) report(io, diagnosticOf(error));
  }
  return exitCode;
}

const reporters: Readonly<Record<ValidateOptions['format'], (io: Io) => Reporter>> = {
  text: ({ isQuiet = false, paintData }) => {
    const reporter = createTextReporter(paintData);
    return isQuiet ? { add: (file) => reporter.add(onlyErrors(file)) } : reporter;
  },
  json: () => jsonReporter,
  github: () => githubReporter,
};

/** Only what makes the file invalid. With `--strict`, these may be warnings. */
function onlyErrors(file: CheckedFile | UncheckedFile): CheckedFile | UncheckedFile {
  if ('error' in file) return file;
  const { valid, findings } = file.report;
  const severity = findings.some((finding) => finding.severity === 'error') ? 'error' : 'warning';
  const shown = valid ? [] : findings.filter((finding) => finding.severity === severity);
  return { ...file, report: { valid, findings: shown } };
}

interface DocumentOptions extends CheckOptions {
  readonly openFiles?: OpenLocalFiles;
  /** Of the hosts of inventories. */
  readonly checkHardware?: HardwareCheck | undefined;
}

function readCheckOptions({ lint, ipaVersion, filesDir }: ValidationOptions, io: Io): DocumentOptions {
  return {
    lint: lint ?? 'auto',
    now: new Date(),
    openFiles: filesDirOf({ filesDir }, io),
    ...(ipaVersion !== undefined && { ipaVersion: parseIpaVersion(ipaVersion) }),
  };
}

const interest: Interest = {
  isWanted: (path) => /\.(?:ign|bu)$/.test(path) || isAgentConfName(path),
  description:
    '*.ign, *.bu, ironic-python-agent*.conf, and *.conf in a folder named ironic-python-agent or ironic-python-agent.d',
};

function readContent(file: string, io: Io): Promise<Uint8Array> {
  const expected: Expected = isConfFile(file) ? { ...CONFIG_FILE, what: 'Conf of the agent' } : CONFIG_FILE;
  return readInput(file, io, expected);
}

async function check(input: InputFile, options: DocumentOptions, io: Io): Promise<CheckedFile> {
  const { path: file } = input;
  if (input.kind === 'error') throw input.error;
  if (/^https?:\/\//i.test(file)) {
    const hint = 'download the file first, or use "ironic-coreos inspect URL"';
    throw new CliError('validate does not read URLs', { code: 'ERR_FILE_MISSING', hint });
  }
  const isUnread = file !== '-' && isLarge(resolve(io.cwd, file));
  const content = isUnread ? undefined : await readContent(file, io);
  if (content === undefined || mayBeImage(content)) {
    const { checkIfImage } = await import('../../hosts/input/checkImage.ts');
    const checked = await checkIfImage(file, content, options, io);
    if (checked !== undefined) return checked;
  }
  const bytes = content ?? (await readContent(file, io));
  if (!isConfFile(file)) {
    const { checkIfInventory } = await import('./validateInventory.ts');
    const checked = await checkIfInventory(file, bytes, options, io);
    if (checked !== undefined) return checked;
  }
  return { file, ...(await checkDocument(file, bytes, options, io)) };
}

/** Such files are configuration of the agent, all other files are Ignition configs. */
export function isConfFile(file: string): boolean {
  return file.endsWith('.conf');
}

/** Checks a document by the name of its file. */
export async function checkDocument(
  file: string,
  bytes: Uint8Array,
  options: DocumentOptions,
  io: Pick<Io, 'note'> = {},
): Promise<CheckedDocument> {
  if (isConfFile(file)) return checkConf(file, bytes, options);
  return checkSourceConfig(await readSourceConfig(inputName(file), bytes, options.openFiles), options, io);
}

/** `ironic-python-agent.conf`, valid if the agent starts with it, or an `ironic.conf`. */
function checkConf(file: string, bytes: Uint8Array, { ipaVersion }: CheckOptions): CheckedDocument {
  const checked = checkNamedConf(file, bytes, ipaVersion);
  if (checked === undefined) {
    throw new CliError(`${file} is neither a configuration of ironic-python-agent nor an ironic.conf`, {
      code: 'ERR_FORMAT',
      hint: 'pass Ignition and Butane configs, ironic-python-agent.conf, ironic.conf, live ISOs or initramfs archives',
    });
  }
  return { report: checked, bytes: checked.findings.length === 0 ? bytes : maskConfSecrets(bytes) };
}

/** Checks a document that is not in a file, without ignored findings. */
export async function checkGiven(
  file: string,
  bytes: Uint8Array,
  options: ValidationOptions,
  io: Io,
): Promise<CheckedFile> {
  const checked = await checkDocument(file, bytes, readCheckOptions(options, io));
  return dropIgnored({ file, ...checked }, options, io);
}

function dropIgnored(checked: CheckedFile, { strict = false }: ValidationOptions, io: Io): CheckedFile {
  const { findings, valid } = applyIgnored(checked.report.findings, io);
  const isAccepted = valid && !(strict && findings.some(({ severity }) => severity === 'warning'));
  return { ...checked, report: { findings, valid: isAccepted } };
}

/** Files of more bytes are inspected before they are read completely: they may be images of a gigabyte. */
const LARGE = 4 * 1024 * 1024;

/** Also a block device. False if it cannot be read: reading it reports the error. */
function isLarge(path: string): boolean {
  try {
    const stats = statSync(path);
    return stats.isBlockDevice() || stats.size > LARGE;
  } catch {
    return false;
  }
}

/** Archives and compressed data do not begin with text, except for cpio, which begins with `07`, and no config does. */
function mayBeImage(content: Uint8Array): boolean {
  const head = Buffer.from(content.subarray(0, 4)).toString('latin1');
  return !head.startsWith('{') && (content.length > ISO_MARK_END || /^0|[^\t\n\r -~]/.test(head));
}

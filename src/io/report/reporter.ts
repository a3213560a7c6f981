/**
 * What a form of report has to do: take the checked files one by one, as there may be thousands, and come to an end. JSON
 * is here, one object for each document, on one line each (`schemas/report.json`); the other forms are in `text.ts` and
 * `annotations.ts`.
 */

import type { CliError } from '../../core/errors.ts';
import { inputName } from '../files/files.ts';
import { type Finding, formatPath, type Report } from '../../core/finding.ts';
import { LONGEST_MESSAGE, shorten } from '../../core/foreignText.ts';

export interface CheckedFile {
  /** As the user named it; `-` is standard input. */
  readonly file: string;
  readonly report: Report;
  /** The document, for excerpts and columns; secrets in it may be masked, as long as no byte moves. Empty: no excerpts. */
  readonly bytes: Uint8Array;
  /** The configs that are inlined in the document, by the reference that leads to them. */
  readonly references?: ReadonlyMap<string, Uint8Array>;
}

/** A file, a folder or a pattern that could not be checked. */
export interface UncheckedFile {
  readonly file: string;
  readonly error: CliError;
}

export interface Reporter {
  /** Whole lines for the two streams; either may be empty. */
  add(file: CheckedFile | UncheckedFile): {
    readonly stdout: string;
    /** Additional text for users. */
    readonly stderr: string;
    /** The error for a file that could not be checked, if the report format has no field for it. */
    readonly error?: CliError;
  };
}

/** In machine-readable formats, a file that could not be checked has one finding; in text, it is an error. */
export const UNCHECKED_RULE = 'file-unreadable';

export function uncheckedFinding({ error, file }: UncheckedFile): Finding {
  const { at, hint, message, sentence } = error;
  const finding = {
    severity: 'error',
    rule: UNCHECKED_RULE,
    path: [],
    message,
    ...(hint !== undefined && { hint }),
  } as const;
  if (at?.file !== inputName(file) || at.line === undefined || at.column === undefined) return finding;
  return { ...finding, message: sentence, position: { line: at.line, column: at.column } };
}

/** The texts of a finding, each shortened: names in a document are of any length, and a thousand findings may contain the same one. */
export function shownTexts({ path, message, hint }: Finding) {
  return {
    path: shorten(formatPath(path), LONGEST_MESSAGE),
    message: shorten(message, LONGEST_MESSAGE),
    hint: hint && shorten(hint, LONGEST_MESSAGE),
  };
}

/** The document within the file that a finding is about: `config.ign > ignition.config.merge.0`; undefined for the file. */
function innerDocument({ member, reference }: Finding): string | undefined {
  const steps = [member, reference].filter((step) => step !== undefined);
  return steps.length === 0 ? undefined : steps.join(REFERENCE_SEPARATOR);
}

export const REFERENCE_SEPARATOR = ' > ';

/** A place in a document within a file, for forms that know only places in files: `config.ign:1:61`. */
export function placeInMember(finding: Finding): string | undefined {
  const name = innerDocument(finding);
  const { position } = finding;
  if (name === undefined || position === undefined) return name;
  return `${name}:${position.line}:${position.column}`;
}

export const jsonReporter: Reporter = {
  add: (file) => {
    const report = 'error' in file ? { valid: false, findings: [uncheckedFinding(file)] } : file.report;
    return { stdout: formatJsonReport(report, file.file), stderr: '' };
  },
};

/** One line with a line feed at its end. */
export function formatJsonReport({ valid, findings }: Report, file: string): string {
  return `${JSON.stringify({ file, valid, messages: findings.map(jsonMessage) })}\n`;
}

/**
 * A finding. Unknown lines and columns are null. The path is written as Ignition writes it: `$.storage.files.0.path`. With a
 * `member`, path, line and column lead into a document within the file: `config.ign` of a live ISO, `ignition.config.merge.0`
 * for an inlined config, `config.ign > ignition.config.merge.0` for both.
 */
function jsonMessage(finding: Finding): object {
  const { severity, position, rule } = finding;
  const { path, message, hint = null } = shownTexts(finding);
  const member = innerDocument(finding);
  const { line, column } = position ?? { line: null, column: null };
  const common = { severity, path, line, column, rule, message, hint };
  return member === undefined ? common : { ...common, member };
}

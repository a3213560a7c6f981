/**
 * What a form of report has to do: take the checked files one by one, as there may be thousands, and come to an end.
 * The forms are in files of their own.
 */

import type { CliError } from '../errors.ts';
import type { Finding, Report } from '../report.ts';

/** A finding about a file, or about a document in it. */
export interface FileFinding extends Finding {
  /** The document within the file that path and position lead into: `config.ign` of a live ISO. */
  readonly member?: string;
}

/** All findings about one file; only one document in it may be the member. */
export interface FileReport extends Report {
  readonly findings: readonly FileFinding[];
}

/** A file that has been checked. */
export interface CheckedFile {
  /** As the user named it; `-` is standard input. */
  readonly file: string;
  readonly report: FileReport;
  /** The document, for excerpts and columns; secrets in it may be masked, as long as no byte moves. */
  readonly bytes: Uint8Array;
}

/** A file, a folder or a pattern about which nothing can be said. */
export interface UncheckedFile {
  readonly file: string;
  readonly error: CliError;
}

export interface Reporter {
  /** What is to be written before anything else. */
  readonly start: string;
  add(file: CheckedFile | UncheckedFile): Told;
  /** What is to be written when all files have been added. */
  end(): string;
}

/** Whole lines for the two streams; either may be empty. */
export interface Told {
  /** The report itself. */
  readonly stdout: string;
  /** What a person wants to know besides. */
  readonly stderr: string;
}

/** In forms for programs, a file that could not be checked has one finding; people are told of it as of any error. */
export const uncheckedRule = 'file-unreadable';

export function uncheckedFinding({ message, hint }: CliError): Finding {
  const finding = { severity: 'error', rule: uncheckedRule, path: [], message } as const;
  return hint === undefined ? finding : { ...finding, hint };
}

/** A place in a document within a file, for forms that know only places in files: `config.ign:1:61`. */
export function placeInMember({ member, position }: FileFinding): string | undefined {
  if (member === undefined || position === undefined) return member;
  return `${member}:${position.line}:${position.column}`;
}

/** How people are told which file is meant. */
export function nameFile(file: string): string {
  return file === '-' ? 'standard input' : file;
}

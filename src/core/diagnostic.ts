/**
 * Diagnostics: errors, warnings and notes as data. Code that finds a problem creates a diagnostic and passes it to
 * `report` (`io/report/report.ts`). Text, log lines and status pages are created from it at the end.
 */

import type { CliError, ErrorCode, Excerpt, FilePlace } from './errors.ts';
import type { Finding, Path, Severity } from './finding.ts';

export interface Diagnostic {
  readonly severity: Severity;
  /** The id of a rule for `explain`. */
  readonly rule?: string | undefined;
  /** The code of an error for `explain`. */
  readonly code?: ErrorCode | undefined;
  /** A sentence without the place. */
  readonly message: string;
  /** How to fix it. */
  readonly hint?: string | undefined;
  /** The position in a file of the user. */
  readonly at?: FilePlace | undefined;
  /** The path in a document: `['storage', 'files', 0]`. */
  readonly path?: Path | undefined;
  /** The line that it refers to. */
  readonly excerpt?: Excerpt | undefined;
  /** The affected host, and its position in the inventory. */
  readonly host?: { readonly name: string; readonly at: FilePlace } | undefined;
  /** The affected hosts, if there are several. */
  readonly hosts?: HostNames | undefined;
  /** Nested diagnostics; they continue the message. */
  readonly details?: readonly Diagnostic[];
}

/** Any number of hosts, by the names of some of them. */
export interface HostNames {
  readonly names: readonly string[];
  readonly count: number;
}

/** Converts an error to a diagnostic. */
export function diagnosticOf({ sentence, hint, excerpt, at, code, rule }: CliError): Diagnostic {
  return { severity: 'error', code, rule, message: sentence, hint, excerpt, at };
}

/** A finding as a diagnostic: the place in a file of the user, if there is one, replaces the path in the document. */
export function diagnosticAt({ severity, rule, message, hint }: Finding, at?: FilePlace): Diagnostic {
  return { severity, rule, message, hint, at };
}

/** Converts a finding about a file to a diagnostic, without the path in the document. */
export function diagnosticIn(
  file: string,
  { severity, message, hint, position }: Pick<Finding, 'severity' | 'message' | 'hint' | 'position'>,
): Diagnostic {
  return { severity, message, hint, at: { file, ...position } };
}

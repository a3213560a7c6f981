/**
 * Diagnostics: errors, warnings and notes as data. Code that finds a problem creates a diagnostic and passes it to
 * `report` (`io/report/report.ts`). Text, log lines and status pages are created from it at the end.
 */

import type { CliError, ErrorCode, Excerpt, FilePlace } from './errors.ts';
import type { Finding, Path, Position, Severity } from './finding.ts';

export interface Diagnostic {
  readonly severity: Severity;
  /** The id of a rule, which `explain` knows. */
  readonly rule?: string | undefined;
  /** Of an error, which `explain` knows as well. */
  readonly code?: ErrorCode | undefined;
  /** A sentence, without the place that it is about. */
  readonly message: string;
  /** What the user can do about it. */
  readonly hint?: string | undefined;
  /** Where in a file of the user it is. */
  readonly at?: FilePlace | undefined;
  /** Where in a document it is: `['storage', 'files', 0]`. */
  readonly path?: Path | undefined;
  /** The line that it is about. */
  readonly excerpt?: Excerpt | undefined;
  /** The host that it is about, and where the inventory describes it. */
  readonly host?: { readonly name: string; readonly at: FilePlace } | undefined;
  /** The hosts that it is about, where they are several. */
  readonly hosts?: HostNames | undefined;
  /** What it consists of; then the message ends where these go on. */
  readonly details?: readonly Diagnostic[];
}

/** Any number of hosts, by the names of some of them. */
export interface HostNames {
  readonly names: readonly string[];
  readonly count: number;
}

/** What an error says. */
export function diagnosticOf({ sentence, hint, excerpt, at, code }: CliError): Diagnostic {
  return { severity: 'error', code, message: sentence, hint, excerpt, at };
}

/** What a finding about a file says, without its place in the document. */
export function diagnosticIn(
  file: string,
  { severity, message, hint, position }: Pick<Finding, 'severity' | 'message' | 'hint'> & Located,
): Diagnostic {
  return { severity, message, hint, at: { file, ...position } };
}

interface Located {
  readonly position?: Position | undefined;
}

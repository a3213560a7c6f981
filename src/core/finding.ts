/**
 * Diagnostics: errors, warnings and notes as data, and findings, those of a check of a document. Checks return findings and never
 * throw them. The caller adds positions at the end, and passes them to `report` (`io/report/report.ts`). Text, log lines and status
 * pages are created from them.
 */

import type { CliError, ErrorCode, Excerpt, FilePlace, Position } from './errors.ts';

/**
 * `error`: Ignition rejects the config, or the system or the agent does not start with it. `warning`: it may be unwanted, but
 * everything starts. `info`: a message that requires no change.
 */
export type Severity = 'error' | 'warning' | 'info';

/** The worst first. */
export const severities: readonly Severity[] = ['error', 'warning', 'info'];

/** Steps from the root of a document: member names and list indexes, e.g. `['storage', 'files', 0, 'path']`. */
export type Path = readonly (string | number)[];

/** The sentence that describes a problem, and how to fix it; neither contains a secret. */
export interface Problem {
  readonly message: string;
  readonly hint: string;
}

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
  readonly host?: AffectedHost | undefined;
}

/** The host that a diagnostic is about. */
export interface AffectedHost {
  readonly name: string;
  /** Its position in the inventory. */
  readonly at?: FilePlace | undefined;
  /** What an error means for the host, such as `not written`. */
  readonly state?: string | undefined;
}

/** A diagnostic about a document. */
export interface Finding extends Diagnostic {
  /** Stable name of the rule, e.g. `path-relative`. */
  readonly rule: string;
  readonly path: Path;
  readonly position?: Position | undefined;
  /** The line, from 1, in the text that the value at `path` contains: a unit, a keyfile, a script. */
  readonly line?: number | undefined;
  /** The column in that line, in bytes, if it is known. */
  readonly column?: number | undefined;
  /** The document within the file that path and position lead into: `config.ign` of a live ISO. */
  readonly member?: string;
  /** The config inlined in that document, or in the file, that they lead into: `ignition.config.merge.0`. */
  readonly reference?: string;
  /** Ignition accepts the document: the user can turn the rule off. */
  readonly isLint?: true;
  /** Of the finding that says so: how many findings are left out. */
  readonly left?: number;
}

export function hasErrors(findings: readonly { readonly severity: Severity }[]): boolean {
  return findings.some(({ severity }) => severity === 'error');
}

/** Findings about one document that are reported. The verdict takes all findings into account. */
export const MAX_FINDINGS = 1000;

/** The rule of the finding that says how many are left out. */
const TOO_MANY_FINDINGS = 'too-many-findings';

/** All findings; if they are too many, the first ones in their order, errors first, and a note about the others. */
export function limitFindings<F extends Finding>(findings: readonly F[]): readonly (F | Finding)[] {
  if (findings.length <= MAX_FINDINGS) return findings;
  const bySeverity = severities.flatMap((severity) =>
    findings.filter((finding) => finding.severity === severity && finding.left === undefined),
  );
  const listed = new Set(bySeverity.slice(0, MAX_FINDINGS));
  // Findings about a part of the document may have been left out before.
  const left = findings.reduce((sum, finding) => sum + (finding.left ?? 1), -listed.size);
  const note: Finding = {
    severity: 'info',
    rule: TOO_MANY_FINDINGS,
    path: [],
    message: `and more findings, which are not listed: ${left}`,
    hint: 'fix the listed findings first',
    left,
  };
  return [...findings.filter((finding) => listed.has(finding)), note];
}

/** All findings about one document. `valid` is Ignition's verdict: no finding is an error. */
export interface Report {
  readonly valid: boolean;
  readonly findings: readonly Finding[];
}

/** A path as Ignition prints it: `$.storage.files.0.path`; steps are not escaped. */
export function formatPath(path: Path): string {
  return ['$', ...path].join('.');
}

/** Converts an error to a diagnostic. */
export function diagnosticOf({ sentence, hint, excerpt, at, code, rule }: CliError): Diagnostic {
  return { severity: 'error', code, rule, message: sentence, hint, excerpt, at };
}

/** A finding as a diagnostic: the place in a file of the user, if there is one, replaces the path in the document. */
export function diagnosticAt(
  { severity, rule, message, hint }: Omit<Finding, 'path'>,
  at?: FilePlace,
): Diagnostic {
  return { severity, rule, message, hint, at };
}

/**
 * Findings: the results of a check of a document, as data. Checks return findings and never throw them. The caller adds
 * positions at the end, and `commands/` and `io/` create the text.
 */

/**
 * `error`: Ignition rejects the config, or the system or the agent does not start with it. `warning`: it may be unwanted, but
 * everything starts. `info`: a message that requires no change.
 */
export type Severity = 'error' | 'warning' | 'info';

/** Steps from the root of a document: member names and list indexes, e.g. `['storage', 'files', 0, 'path']`. */
export type Path = readonly (string | number)[];

/** Both count from 1; `column` counts bytes, as Ignition does. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The sentence that describes a problem, and how to fix it; neither contains a secret. */
export interface Problem {
  readonly message: string;
  readonly hint: string;
}

export interface Finding {
  readonly severity: Severity;
  /** Stable name of the rule, e.g. `path-relative`. */
  readonly rule: string;
  readonly path: Path;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly position?: Position | undefined;
  /** Ignition accepts the document: the user can turn the rule off. */
  readonly isLint?: true;
}

export function hasErrors(findings: readonly { readonly severity: Severity }[]): boolean {
  return findings.some(({ severity }) => severity === 'error');
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

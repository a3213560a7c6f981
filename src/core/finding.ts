/**
 * Findings: the results of a check of a document, as data. Checks return findings and never throw them. The caller adds
 * positions at the end, and the commands and `io/` create the text.
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
export const TOO_MANY_FINDINGS = 'too-many-findings';

const severities = ['error', 'warning', 'info'] as const;

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

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
  /** Ignition accepts the document: the user can turn the rule off. */
  readonly isLint?: true;
  /** Of the finding that says so: how many findings are left out. */
  readonly left?: Counts;
}

/** Numbers of findings. */
type Counts = Readonly<Record<Severity, number>>;

export function hasErrors(findings: readonly { readonly severity: Severity }[]): boolean {
  return findings.some(({ severity }) => severity === 'error');
}

/** Findings about one document that are reported. The verdict takes all findings into account. */
export const MAX_FINDINGS = 1000;

/** Counts the findings about one document by severity, so that of each only those are kept that may be reported. */
export class FindingLimit {
  readonly #counts: Record<Severity, number> = { error: 0, warning: 0, info: 0 };

  /** Counts findings that were left out before. */
  count(left: Counts): void {
    for (const severity of severities) this.#counts[severity] += left[severity];
  }

  /** Counts a finding. False if it is not to be kept. */
  admits(severity: Severity): boolean {
    this.#counts[severity] += 1;
    return this.#counts[severity] <= MAX_FINDINGS;
  }

  /** Whether a finding of this severity would not be kept. */
  isFull(severity: Severity): boolean {
    return this.#counts[severity] >= MAX_FINDINGS;
  }

  /** The kept findings, errors first if they are too many, in their order; the last one says how many are left out. */
  limit<F extends Finding>(kept: readonly F[]): readonly (F | Finding)[] {
    const left = { ...this.#counts };
    const reported = new Set<F>();
    for (const severity of severities) {
      for (const finding of kept) {
        if (finding.severity !== severity || reported.size === MAX_FINDINGS) continue;
        reported.add(finding);
        left[severity] -= 1;
      }
    }
    const more = severities
      .filter((severity) => left[severity] > 0)
      .map((severity) => nameCount(severity, left));
    if (more.length === 0) return kept;
    const message = `and more findings, which are not listed: ${more.join(', ')}`;
    const hint = 'fix the listed findings first';
    const last: Finding = { severity: 'info', rule: TOO_MANY_FINDINGS, path: [], message, hint, left };
    return [...kept.filter((finding) => reported.has(finding)), last];
  }
}

const severities = ['error', 'warning', 'info'] as const;

function nameCount(severity: Severity, { [severity]: count }: Counts): string {
  return `${count} ${severity === 'info' ? 'note' : severity}${count === 1 ? '' : 's'}`;
}

/** The rule of the finding that says how many are left out. */
export const TOO_MANY_FINDINGS = 'too-many-findings';

/** All findings, or those that {@link FindingLimit} keeps of them. Some may have been left out before. */
export function limitFindings<F extends Finding>(findings: readonly F[]): readonly (F | Finding)[] {
  if (findings.length <= MAX_FINDINGS) return findings;
  const limit = new FindingLimit();
  const kept = findings.filter(({ left, severity }) => {
    if (left !== undefined) limit.count(left);
    return left === undefined && limit.admits(severity);
  });
  return limit.limit(kept);
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

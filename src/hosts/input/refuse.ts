/** Inputs with which the machine does not start: refused, unless the user does not want checks. */

import { CliError, type ErrorCode } from '../../core/errors.ts';
import { type Diagnostic, hasErrors } from '../../core/finding.ts';
import type { Io } from '../../io/io.ts';
import { withoutIgnored } from '../../io/report/ignored.ts';
import { report } from '../../io/report/report.ts';

export interface CheckChoice {
  /** False for `--no-validate`. */
  readonly validate?: boolean;
}

export function wantsCheck(options: CheckChoice, io: Io): boolean {
  return reasonNotToCheck(options, io) === undefined;
}

/** Under the name coreos-installer, nothing is checked: scripts may rely on that. */
export function reasonNotToCheck({ validate }: CheckChoice, io: Io): string | undefined {
  if (validate === false) return '--no-validate';
  if (io.env['IRONIC_COREOS_VALIDATE'] === '0') return 'IRONIC_COREOS_VALIDATE=0 in the environment';
  return io.programName === 'coreos-installer' ? 'the program was started as coreos-installer' : undefined;
}

/** Reports all but the last error. @throws CliError for that one */
export function refuseErrors(
  problems: readonly Diagnostic[],
  code: ErrorCode,
  reportOne: (diagnostic: Diagnostic) => void,
): void {
  const last = problems.findLast(({ severity }) => severity === 'error');
  for (const problem of problems) if (problem !== last) reportOne(problem);
  if (last !== undefined) throw new CliError(last.message, { ...last, code });
}

/**
 * The same, without ignored rules; errors are only warnings if the user does not want checks.
 * @returns false if there is such an error
 */
export function refuseFindings(
  problems: readonly Diagnostic[],
  { code, options, io }: { readonly code: ErrorCode; readonly options: CheckChoice; readonly io: Io },
): boolean {
  const isChecked = wantsCheck(options, io);
  const counted = withoutIgnored(problems, io);
  const reported = counted.map((problem) =>
    problem.severity === 'error' && !isChecked ? { ...problem, severity: 'warning' as const } : problem,
  );
  refuseErrors(reported, code, (problem) => void report(io, problem));
  return !hasErrors(counted);
}

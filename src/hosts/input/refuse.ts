/** Inputs with which the machine does not start: refused, unless the user does not want checks. */

import { CliError, type ErrorCode, type FilePlace } from '../../core/errors.ts';
import type { Problem } from '../../core/finding.ts';
import type { Io } from '../../io/io.ts';
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

/**
 * Refuses a file, or only warns if the user does not want checks.
 * @param problem without the name of the file
 * @throws CliError
 */
export function refuseFile(
  at: FilePlace,
  problem: Problem,
  { code, options, io }: { readonly code: ErrorCode; readonly options: CheckChoice; readonly io: Io },
): void {
  const { hint, message } = problem;
  if (wantsCheck(options, io)) throw new CliError(message, { code, hint, at });
  report(io, { severity: 'warning', message, hint, at });
}

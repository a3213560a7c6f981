/** Refuses kernel arguments of an ISO with which the machine does not start the agent. */

import { checkArgumentLine } from '../../boot/argumentLine.ts';
import { CliError } from '../../core/errors.ts';
import { findingOf } from '../../ignition/rule.ts';
import type { Io } from '../../io/io.ts';
import { report } from '../../io/report/report.ts';
import { withoutIgnored } from '../../io/report/ruleBook.ts';
import { type CheckChoice, wantsCheck } from './refuse.ts';

/**
 * Reports the findings of the arguments that an edit adds.
 * @param before the line before the edit
 * @throws CliError for the first error; it is a warning if the user does not want checks
 */
export function refuseArguments(before: string, line: string, options: CheckChoice, io: Io): void {
  const issues = checkArgumentLine(before, line);
  const isRefused = wantsCheck(options, io);
  for (const { hint, message, rule, severity } of withoutIgnored(issues.map(findingOf), io)) {
    if (severity === 'error' && isRefused) throw new CliError(message, { code: 'ERR_SETTING', hint, rule });
    report(io, { severity: severity === 'error' ? 'warning' : severity, rule, message, hint });
  }
}

/** Refuses kernel arguments of an ISO with which the machine does not start the agent. */

import type { Finding } from '../../core/finding.ts';
import { checkArgumentLine } from '../../kargs/argumentLine.ts';
import { CliError } from '../../core/errors.ts';
import type { EmbedFiles } from '../../image/embedArea.ts';
import { checkNetworkTwice, embedsKeyfiles } from '../../image/inspection/imageChecks.ts';
import { parseArguments } from '../../kargs/argument.ts';
import type { Io } from '../../io/io.ts';
import { report } from '../../io/report/report.ts';
import { withoutIgnored } from '../../io/report/ignored.ts';
import { type CheckChoice, wantsCheck } from './refuse.ts';

/** The kernel arguments of an image before and after an edit, and its embedded files after it. */
interface EditedArguments {
  readonly before: string;
  readonly after: string;
  readonly files: EmbedFiles;
}

/**
 * Reports the findings of the arguments that an edit adds, and whether they contradict the embedded keyfiles.
 * @throws CliError for the first error; it is a warning if the user does not want checks
 */
export function refuseArguments(
  { after, before, files }: EditedArguments,
  options: CheckChoice,
  io: Io,
): void {
  refuseIssues(
    [...checkArgumentLine(before, after), ...checkNetworkTwice(parseArguments(after), embedsKeyfiles(files))],
    options,
    io,
  );
}

function refuseIssues(issues: readonly Finding[], options: CheckChoice, io: Io): void {
  const isRefused = wantsCheck(options, io);
  for (const { hint, message, rule, severity } of withoutIgnored(issues, io)) {
    if (severity === 'error' && isRefused) throw new CliError(message, { code: 'ERR_SETTING', hint, rule });
    report(io, { severity: severity === 'error' ? 'warning' : severity, rule, message, hint });
  }
}

/** Reports the findings of a document. */

import { hasErrors, type Report } from '../../core/finding.ts';
import type { Io } from '../../io/io.ts';
import { report } from '../../io/report/report.ts';
import { reportDiagnostics } from '../../io/report/text.ts';
import { withoutIgnored } from '../../io/report/ruleBook.ts';
import type { CheckedDocument } from './checkConfig.ts';

/**
 * @param name of the document, for messages
 * @returns the findings that are not ignored, and the verdict without the ignored ones
 */
export function reportChecked(
  { report: { findings }, ...documents }: CheckedDocument,
  name: string,
  io: Io,
): Report {
  const counted = withoutIgnored(findings, io);
  const shown = { valid: !hasErrors(counted), findings: counted };
  report(io, ...reportDiagnostics(shown, { name, ...documents }));
  return shown;
}

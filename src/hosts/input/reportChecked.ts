/** Reports the findings of a document. */

import { hasErrors, type Report } from '../../core/finding.ts';
import type { Io } from '../../io/io.ts';
import { report } from '../../io/report/report.ts';
import { reportDiagnostics } from '../../io/report/text.ts';
import { withoutIgnored } from '../../io/report/ruleBook.ts';
import type { CheckedDocument } from './checkConfig.ts';

/**
 * Reports the findings that are not ignored, and returns them.
 * @param name of the document, for messages
 */
export function reportChecked(
  { report: { findings }, ...documents }: CheckedDocument,
  name: string,
  io: Io,
): Report {
  const counted = applyIgnored(findings, io);
  report(io, reportDiagnostics(counted, { name, ...documents }));
  return counted;
}

/** The findings that are not ignored, and the verdict without the ignored ones. */
export function applyIgnored(findings: Report['findings'], io: Pick<Io, 'ignored'>): Report {
  const counted = withoutIgnored(findings, io);
  return { valid: !hasErrors(counted), findings: counted };
}

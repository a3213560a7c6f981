/** All findings of a report as text; empty without findings. */

import type { Report } from '../../src/core/finding.ts';
import { formatDiagnostics } from '../../src/io/report/diagnosticText.ts';
import { reportDiagnostics, type Source } from '../../src/io/report/text.ts';

export function formatTextReport(report: Report, source: Source): string {
  return formatDiagnostics(reportDiagnostics(report, source));
}

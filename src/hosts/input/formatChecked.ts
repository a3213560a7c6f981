/** The findings about a checked document, as text for people. */

import type { Io } from '../../io/io.ts';
import { formatTextReport } from '../../io/report/text.ts';
import { withoutIgnored } from '../../io/report/ignoredRules.ts';
import type { CheckedDocument } from './checkConfig.ts';

/** @param name of the document, as the user knows it */
export function formatChecked(
  { report, shown, references }: CheckedDocument,
  name: string,
  io: Pick<Io, 'ignored'>,
): string {
  const findings = withoutIgnored(report.findings, io);
  return formatTextReport({ ...report, findings }, { name, bytes: shown, ...(references && { references }) });
}

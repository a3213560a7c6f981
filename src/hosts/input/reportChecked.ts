/** Reports the findings of a document. */

import type { Io } from '../../io/io.ts';
import { report } from '../../io/report/report.ts';
import { reportDiagnostics } from '../../io/report/text.ts';
import { withoutIgnored } from '../../io/report/ruleBook.ts';
import type { CheckedDocument } from './checkConfig.ts';

/** @param name of the document, for messages */
export function reportChecked(
  { report: { findings, valid }, ...documents }: CheckedDocument,
  name: string,
  io: Io,
): void {
  const shown = { valid, findings: withoutIgnored(findings, io) };
  report(io, ...reportDiagnostics(shown, { name, ...documents }));
}

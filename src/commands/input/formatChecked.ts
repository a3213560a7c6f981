/** The findings about a checked document, as text for people. */

import { formatTextReport } from '../../reporters/text.ts';
import type { CheckedDocument } from './checkConfig.ts';

/** @param name of the document, as the user knows it */
export function formatChecked({ report, shown, references }: CheckedDocument, name: string): string {
  return formatTextReport(report, { name, bytes: shown, ...(references && { references }) });
}

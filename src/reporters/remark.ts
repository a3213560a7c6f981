/** What is said on standard error, outside of a report: one line, and a line with what to do. */

import type { Severity } from '../report.ts';
import { printable } from './printable.ts';

export interface Remark {
  readonly severity: Severity;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** `error: …`, and `hint: …` where there is one; each with a line feed, and harmless for terminals. */
export function formatRemark({ severity, message, hint }: Remark): string {
  const line = `${severity}: ${printable(message)}\n`;
  return hint === undefined ? line : `${line}hint: ${printable(hint)}\n`;
}

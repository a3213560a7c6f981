/** What is said on standard error, outside of a report: one line, and a line with what to do. */

import type { Severity } from '../report.ts';
import { printable } from './printable.ts';

export interface Remark {
  readonly severity: Severity;
  readonly message: string;
  readonly hint?: string | undefined;
  /** The id of the rule that it is about, where `explain` knows it. */
  readonly rule?: string | undefined;
}

/** The first line, without a line feed: `warning: … (agent-size)`; harmless for terminals. */
export function formatHeadline({ severity, message, rule }: Remark): string {
  return `${severity}: ${printable(message)}${rule === undefined ? '' : ` (${rule})`}`;
}

/** `error: …`, and `hint: …` where there is one; each with a line feed, and harmless for terminals. */
export function formatRemark(remark: Remark): string {
  const { hint } = remark;
  const line = `${formatHeadline(remark)}\n`;
  return hint === undefined ? line : `${line}hint: ${printable(hint)}\n`;
}

/** The remarks of a text that {@link formatRemark} wrote; other lines belong to the one before them. */
export function parseRemarks(text: string): Remark[] {
  const remarks: Remark[] = [];
  for (const line of text.split('\n')) {
    const [, word, rest = ''] = /^(error|warning|info|hint): (.*)$/s.exec(line) ?? [];
    const last = remarks.at(-1);
    if (word === 'error' || word === 'warning' || word === 'info') {
      remarks.push({ severity: word, message: rest });
    } else if (word === 'hint' && last !== undefined) remarks[remarks.length - 1] = { ...last, hint: rest };
    else if (last !== undefined && line.trim() !== '') {
      remarks[remarks.length - 1] = { ...last, message: `${last.message}\n${line}` };
    }
  }
  return remarks;
}

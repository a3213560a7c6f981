/** What is said on standard error, outside of a report: one line, and a line with what to do. */

import type { CliError, Excerpt } from '../../core/errors.ts';
import type { Severity } from '../../core/finding.ts';
import { displayWidth, printable } from './printable.ts';

export interface Remark {
  readonly severity: Severity;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly excerpt?: Excerpt | undefined;
  /** The id of the rule that it is about, where `explain` knows it. */
  readonly rule?: string | undefined;
}

/** The first line, without a line feed: `warning: … (agent-size)`; harmless for terminals. */
export function formatHeadline({ severity, message, rule }: Remark): string {
  return `${severity}: ${printable(message)}${rule === undefined ? '' : ` (${rule})`}`;
}

/** `error: …`, an excerpt and `hint: …` where there are such; each with a line feed, and harmless for terminals. */
export function formatRemark(remark: Remark): string {
  return `${formatHeadline(remark)}\n${formatDetails(remark)}`;
}

/** What an error says, in this form. */
export function formatError({ message, hint, excerpt }: CliError): string {
  return formatRemark({ severity: 'error', message, hint, excerpt });
}

/** What stands below a message. */
export function formatDetails({ hint, excerpt }: Pick<Remark, 'hint' | 'excerpt'>): string {
  const frame = excerpt === undefined ? '' : formatExcerpt(excerpt);
  return hint === undefined ? frame : `${frame}hint: ${printable(hint)}\n`;
}

/** Characters that are shown before and behind the place. */
const shownBefore = 40;
const shownBehind = 60;

function formatExcerpt({ line, at, text }: Excerpt): string {
  const start = Math.max(0, at - shownBefore);
  const before = shownText(text.slice(start, at));
  const behind = shownText(text.slice(at, at + shownBehind));
  const number = ` ${line} `;
  const margin = ' '.repeat(number.length);
  const indent = ' '.repeat(displayWidth(before));
  return `${margin}|\n${`${number}| ${before}${behind}`.trimEnd()}\n${margin}| ${indent}^\n`;
}

function shownText(text: string): string {
  return printable(text.replaceAll('\t', '    '));
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

/** Rows of `inspect` on the screen, aligned, and harmless for terminals. */

import { displayWidth, printable } from '../io/report/terminalText.ts';
import { formatDiagnostic } from '../io/report/diagnosticText.ts';
import type { InspectionReport } from './inspectionReport.ts';
import { type InspectionRow, inspectionRows } from './inspectionRows.ts';

/** Columns of the names of settings; longer ones have a line of their own. */
const WIDEST_SETTING = 28;

/** The whole report; ends with a line feed. */
export function formatInspection(report: InspectionReport): string {
  const rows = inspectionRows(report);
  const settings = (report.ignition?.settings ?? []).map(({ setting, values }) => ({
    topic: setting,
    lines: values,
  }));
  const blocks = [
    `${printable(report.file)}\n${formatRows(rows, '  ')}`,
    ...(settings.length === 0 ? [] : [`Settings in the config\n${formatRows(settings, '  ')}`]),
    ...report.findings.map(({ severity, message, hint, rule }) =>
      formatDiagnostic({ severity, message, rule, ...(hint !== null && { hint }) }),
    ),
  ];
  return blocks.join('\n');
}

function formatRows(rows: readonly InspectionRow[], indent: string): string {
  const widths = rows.map(({ topic }) => displayWidth(printable(topic)));
  const width = Math.max(0, ...widths.filter((each) => each <= WIDEST_SETTING));
  return rows
    .flatMap(({ topic, lines }) => formatRow(printable(topic), lines.map(printable), width))
    .map((line) => `${indent}${line}\n`)
    .join('');
}

function formatRow(topic: string, lines: readonly string[], width: number): string[] {
  const margin = ' '.repeat(width + 2);
  const [first = '', ...others] = lines;
  const missing = width - displayWidth(topic);
  if (missing < 0) return [topic, ...lines.map((line) => margin + line)];
  return [`${topic}${' '.repeat(missing + 2)}${first}`, ...others.map((line) => margin + line)];
}

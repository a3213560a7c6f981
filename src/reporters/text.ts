/**
 * Findings for people: what, where, the line of the document with the place underlined, and what to do. Everything that
 * comes from the document is made harmless for terminals first; of long lines only the part around the place is shown.
 */

import type { Finding, Report, Severity } from '../report.ts';
import { formatPath } from '../report.ts';
import { codeFrame, indexLines, type Lines } from './codeFrame.ts';
import { printable } from './printable.ts';

/** A document that a report is about. */
export interface Source {
  /** Shown before the position. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** All findings of a report with an empty line between them; nothing if there are none. */
export function formatTextReport(report: Report, source: Source): string {
  const positions = report.findings.flatMap(({ position }) => position ?? []);
  const lines = indexLines(
    source.bytes,
    positions.map(({ line }) => line),
  );
  return report.findings.map((finding) => formatFinding(finding, source, lines)).join('\n');
}

/** One line on the verdict, e.g. `worker.ign: not valid (2 errors, 1 warning)`. */
export function formatVerdict(report: Report, name: string): string {
  const counts = (['error', 'warning', 'info'] as const)
    .map((severity) => countFindings(report, severity))
    .filter((count) => count !== '');
  const remarks = counts.length > 0 ? ` (${counts.join(', ')})` : '';
  return `${printable(name)}: ${report.valid ? 'valid' : 'not valid'}${remarks}\n`;
}

function formatFinding(finding: Finding, source: Source, lines: Lines): string {
  const { severity, path, position, message, hint } = finding;
  const place = path.length > 0 ? ` [${printable(formatPath(path))}]` : '';
  const where = position === undefined ? '' : `:${position.line}:${position.column}`;
  return [
    `${severity}: ${printable(message)}${place}`,
    `  --> ${printable(source.name)}${where}`,
    ...codeFrame(finding, source.bytes, lines),
    ...(hint === undefined ? [] : [`hint: ${printable(hint)}`]),
    '',
  ].join('\n');
}

function countFindings(report: Report, severity: Severity): string {
  const count = report.findings.filter((finding) => finding.severity === severity).length;
  const name = severity === 'info' ? 'note' : severity;
  return count === 0 ? '' : `${count} ${name}${count === 1 ? '' : 's'}`;
}

/** Findings for programs: one object a document, on one line. The schema is `schemas/report.json`. */

import type { Finding, Report } from '../report.ts';
import { formatPath } from '../report.ts';
import { type Reporter, uncheckedFinding } from './reporter.ts';

/** A finding in the JSON report. Line and column are null where they are not known. */
export interface JsonMessage {
  readonly severity: string;
  /** As Ignition writes it: `$.storage.files.0.path`. */
  readonly path: string;
  readonly line: number | null;
  readonly column: number | null;
  readonly rule: string;
  readonly message: string;
  readonly hint: string | null;
}

/** The report on one document. */
export interface JsonReport {
  readonly file: string;
  readonly valid: boolean;
  /** Of severity `info` is what only this program says. */
  readonly messages: readonly JsonMessage[];
}

export const jsonReporter: Reporter = {
  start: '',
  add: (file) => {
    const report = 'error' in file ? { valid: false, findings: [uncheckedFinding(file.error)] } : file.report;
    return { stdout: formatJsonReport(report, file.file), stderr: '' };
  },
  end: () => '',
};

/** One line with a line feed at its end. */
export function formatJsonReport(report: Report, file: string): string {
  return `${JSON.stringify(jsonReport(report, file))}\n`;
}

function jsonReport({ valid, findings }: Report, file: string): JsonReport {
  return { file, valid, messages: findings.map(jsonMessage) };
}

function jsonMessage({ severity, path, position, rule, message, hint }: Finding): JsonMessage {
  const { line, column } = position ?? { line: null, column: null };
  return { severity, path: formatPath(path), line, column, rule, message, hint: hint ?? null };
}

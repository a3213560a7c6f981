/** Findings for programs: one object a document, on one line. The schema is `schemas/report.json`. */

import { formatPath } from '../../core/finding.ts';
import {
  type FileFinding,
  type FileReport,
  innerDocument,
  type Reporter,
  uncheckedFinding,
} from './reporter.ts';

/** A finding in the JSON report. Line and column are null where they are not known. */
interface JsonMessage {
  readonly severity: string;
  /** As Ignition writes it: `$.storage.files.0.path`. */
  readonly path: string;
  readonly line: number | null;
  readonly column: number | null;
  readonly rule: string;
  readonly message: string;
  readonly hint: string | null;
  /**
   * What path, line and column lead into, where that is a document within the file: `config.ign` of a live ISO,
   * `ignition.config.merge.0` for an inlined config, `config.ign > ignition.config.merge.0` for both.
   */
  readonly member?: string;
}

/** The report on one document. */
interface JsonReport {
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
export function formatJsonReport(report: FileReport, file: string): string {
  return `${JSON.stringify(jsonReport(report, file))}\n`;
}

function jsonReport({ valid, findings }: FileReport, file: string): JsonReport {
  return { file, valid, messages: findings.map(jsonMessage) };
}

function jsonMessage(finding: FileFinding): JsonMessage {
  const { severity, path, position, rule, message, hint } = finding;
  const member = innerDocument(finding);
  const { line, column } = position ?? { line: null, column: null };
  const said = { severity, path: formatPath(path), line, column, rule, message, hint: hint ?? null };
  return member === undefined ? said : { ...said, member };
}

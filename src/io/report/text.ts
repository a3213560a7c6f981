/**
 * Findings for people: what, where, the line of the document with the place underlined, and what to do. Everything that
 * comes from the document is made harmless for terminals first; of long lines only the part around the place is shown.
 */

import { formatCount } from '../../formats/wordList.ts';
import type { Report, Severity } from '../../core/finding.ts';
import { formatPath } from '../../core/finding.ts';
import { codeFrame, type FrameSource, prepareFrames } from './codeFrame.ts';
import { printable } from './printable.ts';
import { formatError, formatHeadline } from './remark.ts';
import {
  type FileFinding,
  type FileReport,
  nameFile,
  referenceSeparator,
  type Reporter,
} from './reporter.ts';

/** A document that a report is about. */
export interface Source {
  /** Shown before the position. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The configs that are inlined in it, by the reference that leads to them. */
  readonly references?: ReadonlyMap<string, Uint8Array>;
}

/**
 * The verdicts go beside the report, so that it can be searched and paged on its own.
 * @param decorate changes the report, for a terminal
 */
export function createTextReporter(decorate: (text: string) => string = (text) => text): Reporter {
  let separator = '';
  return {
    start: '',
    add: (file) => {
      if ('error' in file) return { stdout: '', stderr: formatError(file.error) };
      const name = nameFile(file.file);
      const text = formatTextReport(file.report, { ...file, name });
      const stdout = text === '' ? '' : separator + decorate(text);
      if (text !== '') separator = '\n';
      return { stdout, stderr: formatVerdict(file.report, name) };
    },
    end: () => '',
  };
}

/** All findings of a report with an empty line between them; nothing if there are none. */
export function formatTextReport(report: FileReport, source: Source): string {
  const frames = new Map<string | undefined, FrameSource>();
  for (const name of new Set(report.findings.map(({ reference }) => reference))) {
    const bytes = name === undefined ? source.bytes : (source.references?.get(name) ?? new Uint8Array());
    const findings = report.findings.filter(({ reference }) => reference === name);
    frames.set(name, prepareFrames(bytes, findings));
  }
  return report.findings
    .map((finding) => formatFinding(finding, source.name, frames.get(finding.reference)))
    .join('\n');
}

/**
 * One line on the verdict, e.g. `worker.ign: not valid (2 errors, 1 warning)`. Where nothing but warnings makes a report
 * not valid, it says so.
 */
export function formatVerdict(report: Report, name: string): string {
  const counts = (['error', 'warning', 'info'] as const)
    .map((severity) => countFindings(report, severity))
    .filter((count) => count !== '');
  const isStrict = !report.valid && report.findings.every(({ severity }) => severity !== 'error');
  if (isStrict) counts.push('warnings count as errors');
  const remarks = counts.length > 0 ? ` (${counts.join(', ')})` : '';
  return `${printable(name)}: ${report.valid ? 'valid' : 'not valid'}${remarks}\n`;
}

function formatFinding(finding: FileFinding, name: string, frames: FrameSource | undefined): string {
  const { severity, path, position, message, hint, rule } = finding;
  const place = path.length > 0 ? ` [${formatPath(path)}]` : '';
  const where = position === undefined ? '' : `:${position.line}:${position.column}`;
  return [
    formatHeadline({ severity, message: `${message}${place}`, rule }),
    `  --> ${printable(documentName(finding, name))}${where}`,
    ...(frames === undefined ? [] : codeFrame(finding, frames)),
    ...(hint === undefined ? [] : [`hint: ${printable(hint)}`]),
    '',
  ].join('\n');
}

function documentName({ member, reference }: FileFinding, file: string): string {
  const document = member === undefined ? file : `${file}: ${member}`;
  return reference === undefined ? document : document + referenceSeparator + reference;
}

function countFindings(report: Report, severity: Severity): string {
  const count = report.findings.filter((finding) => finding.severity === severity).length;
  const name = severity === 'info' ? 'note' : severity;
  return count === 0 ? '' : formatCount(count, name);
}

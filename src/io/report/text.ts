/**
 * Findings as text for users: message, place, the line of the document with the place underlined, and hint. Text from the
 * document is escaped for terminals; of long lines, only the part around the place is shown.
 */

import { formatCount } from '../../formats/messageText.ts';
import { groupBy } from '../../core/lists.ts';
import { type Diagnostic, type Finding, type Report, severities } from '../../core/finding.ts';
import { excerptOf, type FrameSource, prepareFrames } from './codeFrame.ts';
import { formatDiagnostics } from './diagnosticText.ts';
import { printable } from '../../core/foreignText.ts';
import { type Paint, withoutColors } from './paint.ts';
import { REFERENCE_SEPARATOR, type Reporter } from './reporter.ts';
import { inputName } from '../files/files.ts';

export interface Source {
  /** Shown before the position. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The configs that are inlined in it, by the reference that leads to them. */
  readonly references?: ReadonlyMap<string, Uint8Array>;
}

/** Verdicts go to standard error, so that the report can be searched and paged alone. */
export function createTextReporter(paint: Paint = withoutColors): Reporter {
  let separator = '';
  return {
    add: (file) => {
      if ('error' in file) return { stdout: '', stderr: '', error: file.error };
      const name = inputName(file.file);
      const text = formatDiagnostics(reportDiagnostics(file.report, { ...file, name }), paint);
      const stdout = text === '' ? '' : separator + text;
      if (text !== '') separator = '\n';
      return { stdout, stderr: formatVerdict(file.report, name) };
    },
  };
}

/** All findings of a report, with their lines of the document. Of a unit with several findings, the line is shown once. */
export function reportDiagnostics({ findings }: Report, source: Source): Diagnostic[] {
  const frames = new Map<string | undefined, FrameSource>();
  for (const [name, ofDocument] of groupBy(findings, ({ reference }) => reference)) {
    const bytes = name === undefined ? source.bytes : (source.references?.get(name) ?? new Uint8Array());
    frames.set(name, prepareFrames(bytes, ofDocument));
  }
  const shown = new Set<string>();
  return findings.map((finding) => {
    const { severity, rule, message, hint, path, position, reference } = finding;
    const file = documentName(finding, source.name);
    const frame = frames.get(reference);
    const excerpt = frame && excerptOf(finding, frame);
    const key = JSON.stringify([file, excerpt]);
    const isRepeated = shown.has(key);
    shown.add(key);
    return {
      severity,
      rule,
      message,
      hint,
      at: { file, ...position },
      path,
      excerpt: isRepeated ? undefined : excerpt,
    };
  });
}

/**
 * The verdict on one line, e.g. `worker.ign: invalid (2 errors, 1 warning)`. If only warnings make the report invalid, the
 * line says so.
 */
export function formatVerdict(report: Report, name: string): string {
  const counts = severities
    .map((severity) => ({
      severity,
      count: report.findings.filter((one) => one.severity === severity).length,
    }))
    .filter(({ count }) => count > 0)
    .map(({ count, severity }) => formatCount(count, severity === 'info' ? 'note' : severity));
  const isStrict = !report.valid && report.findings.every(({ severity }) => severity !== 'error');
  if (isStrict) counts.push('warnings are treated as errors');
  const details = counts.length > 0 ? ` (${counts.join(', ')})` : '';
  return `${printable(name)}: ${report.valid ? 'valid' : 'invalid'}${details}\n`;
}

function documentName({ member, reference }: Finding, file: string): string {
  const document = member === undefined ? file : `${file}: ${member}`;
  return reference === undefined ? document : document + REFERENCE_SEPARATOR + reference;
}

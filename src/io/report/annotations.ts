/**
 * Annotations of GitHub Actions: one workflow command per finding, which the runner reads from the output of a step. Values are
 * escaped as in GitHub's toolkit, so that no text of a document becomes a command or a property. Where findings end is not known.
 */

import type { Severity, Finding } from '../../core/finding.ts';
import type { Position } from '../../core/errors.ts';
import { lineSpans } from '../../formats/lineColumns.ts';
import { printable } from '../../core/foreignText.ts';
import {
  type CheckedFile,
  innerDocument,
  placeInMember,
  type Reporter,
  shownTexts,
  uncheckedFinding,
  type UncheckedFile,
} from './reporter.ts';

export const githubReporter: Reporter = {
  add: (checked) => ({ stdout: formatCommands(checked).join(''), stderr: '' }),
};

const commands: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'notice' };

/** Findings with a position in the file itself get a column in UTF-16 code units. */
function formatCommands(checked: CheckedFile | UncheckedFile): readonly string[] {
  if ('error' in checked) return [formatCommand(uncheckedFinding(checked.error), checked.file)];
  const { file, report, bytes } = checked;
  const placed = report.findings.filter((finding) => innerDocument(finding) === undefined);
  const columns = utf16Columns(
    bytes,
    placed.flatMap(({ position }) => position ?? []),
  ).values();
  return report.findings.map((finding) => {
    const isPlaced = innerDocument(finding) === undefined && finding.position !== undefined;
    return formatCommand(finding, file, isPlaced ? columns.next().value : undefined);
  });
}

/** A position in an inner document cannot be annotated, so it is part of the message. */
function formatCommand(finding: Finding, file: string, column?: number): string {
  const { severity, rule, position } = finding;
  const { path, message, hint } = shownTexts(finding);
  const inMember = placeInMember(finding);
  const properties = [
    ...(file === '-' ? [] : [`file=${escapeProperty(file)}`]),
    ...(position === undefined || inMember !== undefined ? [] : [`line=${position.line}`]),
    ...(column === undefined ? [] : [`col=${column}`]),
    `title=${escapeProperty(rule)}`,
  ];
  const place = finding.path.length > 0 ? ` [${path}]` : '';
  const lines = [`${message}${place}`];
  if (inMember !== undefined) lines.push(`in ${inMember}`);
  if (hint !== undefined) lines.push(`hint: ${hint}`);
  return `::${commands[severity]} ${properties.join(',')}::${lines.map(escapeData).join('%0A')}\n`;
}

/** Line breaks would end the command, so they are escaped like all control characters. */
function escapeData(text: string): string {
  return printable(text).replaceAll('%', '%25');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** For each position, whose column counts bytes, that in UTF-16 code units, from 1; its own column without the document. */
export function utf16Columns(bytes: Uint8Array, positions: readonly Position[]): readonly number[] {
  if (bytes.length === 0) return positions.map(({ column }) => column);
  const lines = lineSpans(
    bytes,
    positions.map(({ line }) => line),
  );
  return positions.map(({ column, line }) => {
    const start = lines.get(line)?.start ?? 0;
    const before = bytes.subarray(start, start + column - 1);
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(before).length + 1;
  });
}

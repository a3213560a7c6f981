/**
 * Annotations for GitHub Actions: one workflow command a finding, which the runner takes from the output of a step. Left
 * out: where a finding ends, which is not known. Escaping as in the toolkit of GitHub, so that nothing from a document
 * can be a command or a property of its own.
 */

import { type Severity, formatPath } from '../../core/finding.ts';
import { utf16Columns } from './columns.ts';
import { printable } from './printable.ts';
import {
  type CheckedFile,
  type FileFinding,
  innerDocument,
  placeInMember,
  type Reporter,
  uncheckedFinding,
} from './reporter.ts';

export const githubReporter: Reporter = {
  start: '',
  add: (file) => {
    const lines =
      'error' in file ? [formatCommand(uncheckedFinding(file.error), file.file)] : formatFile(file);
    return { stdout: lines.join(''), stderr: '' };
  },
  end: () => '',
};

const commands: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'notice' };

function formatFile({ file, report, bytes }: CheckedFile): readonly string[] {
  const placed = report.findings.filter((finding) => innerDocument(finding) === undefined);
  const positions = placed.flatMap(({ position }) => position ?? []);
  const columns = utf16Columns(bytes, positions).values();
  return report.findings.map((finding) => {
    const isPlaced = innerDocument(finding) === undefined && finding.position !== undefined;
    const column = isPlaced ? columns.next().value : undefined;
    return formatCommand(finding, file, column);
  });
}

/** A place in a document within the file is not one that can be annotated: it is said in words. */
function formatCommand(finding: FileFinding, file: string, column?: number): string {
  const { severity, rule, path, message, hint, position } = finding;
  const inMember = placeInMember(finding);
  const properties = [
    ...(file === '-' ? [] : [`file=${escapeProperty(file)}`]),
    ...(position === undefined || inMember !== undefined ? [] : [`line=${position.line}`]),
    ...(column === undefined ? [] : [`col=${column}`]),
    `title=${escapeProperty(rule)}`,
  ];
  const place = path.length > 0 ? ` [${formatPath(path)}]` : '';
  const lines = [
    `${message}${place}`,
    ...(inMember === undefined ? [] : [`in ${inMember}`]),
    ...(hint === undefined ? [] : [`hint: ${hint}`]),
  ];
  return `::${commands[severity]} ${properties.join(',')}::${lines.map(escapeData).join('%0A')}\n`;
}

/** Line breaks, which would end the command, become text like all control characters. */
function escapeData(text: string): string {
  return printable(text).replaceAll('%', '%25');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/**
 * Annotations of GitHub Actions: one workflow command per finding, which the runner reads from the output of a step. Values are
 * escaped as in GitHub's toolkit, so that no text of a document becomes a command or a property. Where findings end is not known.
 */

import type { Severity, Finding } from '../../core/finding.ts';
import { printable } from '../../core/foreignText.ts';
import {
  type CheckedFile,
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

function formatCommands(checked: CheckedFile | UncheckedFile): readonly string[] {
  if ('error' in checked) return [formatCommand(uncheckedFinding(checked), checked.file)];
  return checked.report.findings.map((finding) => formatCommand(finding, checked.file));
}

/** A position in an inner document cannot be annotated, so it is part of the message. */
function formatCommand(finding: Finding, file: string): string {
  const { severity, rule, position } = finding;
  const { path, message, hint } = shownTexts(finding);
  const inMember = placeInMember(finding);
  const properties = [
    ...(file === '-' ? [] : [`file=${escapeProperty(file)}`]),
    ...(position === undefined || inMember !== undefined
      ? []
      : [`line=${position.line}`, `col=${position.column}`]),
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

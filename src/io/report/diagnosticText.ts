/** Diagnostics as text for users: message, place, excerpt and hint. Control characters are escaped. */

import { type Diagnostic, formatPath, type HostNames, type Severity } from '../../core/finding.ts';
import { type Excerpt, formatPlace } from '../../core/errors.ts';
import { LONGEST_MESSAGE, printable, shorten } from '../../core/foreignText.ts';
import { displayWidth } from './terminalText.ts';
import { type Paint, withoutColors } from './paint.ts';

/** All diagnostics, as whole lines, with an empty line before each finding about a document. */
export function formatDiagnostics(diagnostics: readonly Diagnostic[], paint: Paint = withoutColors): string {
  let text = '';
  for (const diagnostic of diagnostics) {
    const isApart = text !== '' && isAboutDocument(diagnostic);
    text += `${isApart ? '\n' : ''}${formatDiagnostic(diagnostic, paint)}`;
  }
  return text;
}

/** Whole lines: `warning: ramdisk.yaml:4:5: … (agent-size)`, then excerpt, details, hint and hosts. */
export function formatDiagnostic(diagnostic: Diagnostic, paint: Paint = withoutColors): string {
  const { at, details = [], severity } = diagnostic;
  const [only, ...others] = details;
  if (only?.severity === 'error' && others.length === 0) {
    const message = `${diagnostic.message}: ${formatSentence(only)}`;
    return formatDiagnostic({ ...only, at: undefined, path: undefined, rule: undefined, message }, paint);
  }
  const place =
    at !== undefined && isAboutDocument(diagnostic) ? `  --> ${printable(formatPlace(at))}\n` : '';
  const end = details.length === 0 ? '' : ':';
  return `${paint(severity, severity)}: ${printable(formatSentence(diagnostic))}${end}\n${place}${formatDetails(diagnostic, paint)}`;
}

/** The message with its place, and with the rule: `ramdisk.yaml:4:5: … [$.path] (agent-size)`. */
export function formatSentence(diagnostic: Diagnostic): string {
  const { at, message, path = [], rule } = diagnostic;
  const place = at === undefined || isAboutDocument(diagnostic) ? '' : `${formatPlace(at)}: `;
  const inDocument = path.length === 0 ? '' : ` [${formatPath(path)}]`;
  const sentence = shorten(`${place}${message}${inDocument}`, LONGEST_MESSAGE);
  return `${sentence}${rule === undefined ? '' : ` (${rule})`}`;
}

/** These get a separate line for the place, because a line with file position and document path is too long. */
function isAboutDocument({ at, path }: Diagnostic): boolean {
  return at !== undefined && path !== undefined;
}

/** The lines below the first line. */
function formatDetails({ severity, excerpt, details = [], hint, hosts }: Diagnostic, paint: Paint): string {
  const lines = [
    ...(excerpt === undefined ? [] : formatExcerpt(excerpt, severity, paint)),
    ...(hint === undefined ? [] : [`${paint('hint', 'hint')}: ${printable(shorten(hint, LONGEST_MESSAGE))}`]),
    ...(hosts === undefined ? [] : [`  for ${formatHosts(hosts)}`]),
    '',
  ];
  return formatDiagnostics(details, paint) + lines.join('\n');
}

/** The line, with the place in it underlined. */
function formatExcerpt(
  { line, before, marked, after }: Excerpt,
  severity: Severity,
  paint: Paint,
): readonly string[] {
  const start = visible(before);
  const middle = visible(marked);
  const number = ` ${line} `;
  const margin = ' '.repeat(number.length);
  const marks = '^'.repeat(Math.max(1, displayWidth(middle)));
  return [
    `${margin}|`,
    `${number}| ${start}${middle}${visible(after)}`.trimEnd(),
    `${margin}| ${' '.repeat(displayWidth(start))}${paint(severity, marks)}`,
  ];
}

function visible(text: string): string {
  return printable(text.replaceAll('\t', '    '));
}

/** `worker-0, worker-1 and 7 more` */
export function formatHosts({ names, count }: HostNames): string {
  const more = count - names.length;
  return `${names.map(printable).join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
}

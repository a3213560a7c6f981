/** Diagnostics as text for users: message, place, excerpt and hint. Control characters are escaped. */

import {
  type AffectedHost,
  type Diagnostic,
  formatPath,
  hasErrors,
  type Severity,
} from '../../core/finding.ts';
import { type Excerpt, formatPlace } from '../../core/errors.ts';
import { formatCount } from '../../formats/messageText.ts';
import { formatNames, groupProblems } from './problemGroups.ts';
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

/** The same, but a problem that several hosts have is there once, in full for the first one and with the names of all. */
export function formatGrouped(diagnostics: readonly Diagnostic[], paint: Paint = withoutColors): string {
  if (diagnostics.every(({ host }) => host === undefined)) return formatDiagnostics(diagnostics, paint);
  return groupProblems(diagnostics)
    .map(({ hosts, problems }) => {
      if (hosts.length > 1) return formatShared(problems, hosts, paint);
      const [{ host } = {}] = problems;
      const isStopped = problems.length > 1 && host?.state !== undefined && hasErrors(problems);
      if (!isStopped) return formatDiagnostics(problems, paint);
      const own = problems.map((problem) => ({ ...problem, host: undefined }));
      return `${paint('error', 'error')}: ${printable(stateOf(host))}:\n${formatDiagnostics(own, paint)}`;
    })
    .join('');
}

/** Whole lines: `warning: ramdisk.yaml:4:5: … (agent-size)`, then place, excerpt, host and hint. */
export function formatDiagnostic(diagnostic: Diagnostic, paint: Paint = withoutColors): string {
  const { at, host, severity } = diagnostic;
  const isStopped = host?.state !== undefined && severity === 'error';
  const place =
    at !== undefined && isAboutDocument(diagnostic) ? [`  --> ${printable(formatPlace(at))}`] : [];
  const owner = host === undefined || isStopped ? [] : [`  for ${printable(host.name)}`];
  const sentence = formatSentence(diagnostic);
  return formatLines(diagnostic, isStopped ? `${stateOf(host)}: ${sentence}` : sentence, place, owner, paint);
}

/** `worker-3 is not written (ramdisk.yaml:8)` */
function stateOf({ at, name, state }: AffectedHost): string {
  return `${name} is ${state}${at === undefined ? '' : ` (${formatPlace(at)})`}`;
}

/** Whole lines: `error: 200 hosts are not written: …`, then the place of the first one, all hosts, its excerpt and its hint. */
function formatShared(problems: readonly Diagnostic[], hosts: readonly string[], paint: Paint): string {
  const [first] = problems;
  if (first === undefined) return '';
  const state =
    first.severity === 'error' && first.host?.state !== undefined ? ` are ${first.host.state}` : '';
  const sentence = formatSentence({ ...first, at: undefined });
  const ats = problems.flatMap(({ at, host }) => at ?? host?.at ?? []);
  const places = new Set(ats.map((at) => printable(formatPlace(at))));
  const [place] = places;
  const more = places.size > 1 ? ` and ${places.size - 1} more` : '';
  const names = formatNames(hosts);
  const line = place === undefined ? `  for ${names}` : `  --> ${place}${more}: ${names}`;
  return formatLines(first, `${formatCount(hosts.length, 'host')}${state}: ${sentence}`, [line], [], paint);
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

/** @param above lines above the excerpt @param below lines below it */
function formatLines(
  { excerpt, hint, severity }: Diagnostic,
  sentence: string,
  above: readonly string[],
  below: readonly string[],
  paint: Paint,
): string {
  const lines = [
    `${paint(severity, severity)}: ${printable(sentence)}`,
    ...above,
    ...(excerpt === undefined ? [] : formatExcerpt(excerpt, severity, paint)),
    ...below,
    ...(hint === undefined ? [] : [`${paint('hint', 'hint')}: ${printable(shorten(hint, LONGEST_MESSAGE))}`]),
    '',
  ];
  return lines.join('\n');
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

/**
 * systemd unit files as systemd itself reads them: the lines of `config_parse()` in its `conf-parser.c`, systemd.syntax(7).
 * Unlike go-systemd (goUnitFile.ts), it accepts lines outside of a section. Left out: what values mean.
 */

import { trimEndOf, trimOf } from '../core/trimming.ts';

/** One line that systemd does not skip; several, where a backslash joins them. */
export type SystemdLine = SystemdText & {
  /** The first of the joined lines; counts from 1. */
  readonly line: number;
};

type SystemdText =
  | { readonly kind: 'section'; readonly name: string }
  | { readonly kind: 'assignment'; readonly name: string; readonly value: string }
  /** Text that is neither, such as a line without an equals sign. */
  | { readonly kind: 'other'; readonly text: string };

/** Every header and assignment in order of appearance, without blanks around names and values. */
export function readSystemdLines(text: string): SystemdLine[] {
  const lines: SystemdLine[] = [];
  let begun = '';
  let start = 0;
  let number = 0;
  for (const line of text.replace(/^\uFEFF/, '').split(/\r\n|\n\r|[\n\r\0]/)) {
    number += 1;
    const stripped = strip(line);
    // Comments are skipped, also between the lines that a backslash joins.
    if (stripped.startsWith('#') || stripped.startsWith(';')) continue;
    const isContinued = line.endsWith('\\') && (line.length - trimEndOf(line, '\\').length) % 2 === 1;
    if (begun === '') start = number;
    if (isContinued) {
      begun += `${line.slice(0, -1)} `;
    } else {
      addLine(lines, begun === '' ? stripped : strip(begun + line), start);
      begun = '';
    }
  }
  addLine(lines, strip(begun), start);
  return lines;
}

/** `line` has no blanks around it. */
function addLine(lines: SystemdLine[], text: string, line: number): void {
  if (text !== '') lines.push({ ...readLine(text), line });
}

function readLine(line: string): SystemdText {
  if (line.startsWith('[')) {
    return line.endsWith(']') ? { kind: 'section', name: line.slice(1, -1) } : { kind: 'other', text: line };
  }
  const equals = line.indexOf('=');
  if (equals <= 0) return { kind: 'other', text: line };
  return {
    kind: 'assignment',
    name: strip(line.slice(0, equals)),
    value: strip(line.slice(equals + 1)),
  };
}

/** Only these are blanks to systemd. */
function strip(text: string): string {
  return trimOf(text, ' \t\n\r');
}

/**
 * systemd unit files as systemd itself reads them: the lines of `config_parse()` in its `conf-parser.c`, systemd.syntax(7).
 * `unitFile.ts` reads them as Ignition does, and knows of no lines outside of a section. Left out: what values mean.
 */

/** One line that systemd does not skip; several, where a backslash joins them. */
export type SystemdLine =
  | { readonly kind: 'section'; readonly name: string }
  | { readonly kind: 'assignment'; readonly name: string; readonly value: string }
  /** Text that is neither, such as a line without an equals sign. */
  | { readonly kind: 'other'; readonly text: string };

/** Every header and assignment in order of appearance, without blanks around names and values. */
export function readSystemdLines(text: string): SystemdLine[] {
  return joinLines(text).flatMap((line) => {
    const stripped = strip(line);
    return stripped === '' ? [] : [readLine(stripped)];
  });
}

/** Comments are skipped, also between the lines that a backslash joins. */
function joinLines(text: string): string[] {
  const joined: string[] = [];
  let begun = '';
  for (const line of text.replace(/^\uFEFF/, '').split(/\r\n|\n\r|[\n\r\0]/)) {
    if (/^[ \t]*[#;]/.test(line)) continue;
    const isContinued = /(?:^|[^\\])(?:\\\\)*\\$/.test(line);
    begun += isContinued ? `${line.slice(0, -1)} ` : line;
    if (isContinued) continue;
    joined.push(begun);
    begun = '';
  }
  return [...joined, begun];
}

function readLine(line: string): SystemdLine {
  if (line.startsWith('[') && line.endsWith(']')) return { kind: 'section', name: line.slice(1, -1) };
  const equals = line.indexOf('=');
  if (line.startsWith('[') || equals <= 0) return { kind: 'other', text: line };
  return {
    kind: 'assignment',
    name: strip(line.slice(0, equals)),
    value: strip(line.slice(equals + 1)),
  };
}

/** Only these are blanks to systemd. */
function strip(text: string): string {
  return text.replaceAll(/^[ \t\n\r]+|[ \t\n\r]+$/g, '');
}

/** The end of a help text as parts of a manual page: its headings, its paragraphs, and what is indented as it stands. */

/** Lines of roff. */
export interface ManNotes {
  /** What stands before the first heading. */
  readonly intro: readonly string[];
  readonly sections: readonly string[];
}

/** What man(7) calls sections that the help calls otherwise. */
const SECTIONS: ReadonlyMap<string, string> = new Map([
  ['Exit codes', 'EXIT STATUS'],
  ['Example', 'EXAMPLES'],
]);

/** @param notes wrapped lines; headings end with a colon, and what belongs to them is indented */
export function formatNotes(notes: string): ManNotes {
  const intro: string[] = [];
  const sections: string[] = [];
  let isIntro = true;
  for (const block of blocksOf(notes)) {
    const [first = ''] = block;
    const heading = /^([A-Z][^:]*):$/.exec(first)?.[1];
    if (heading !== undefined) {
      isIntro = false;
      sections.push(`.SH ${escapeRoff(SECTIONS.get(heading) ?? heading.toUpperCase())}`);
    }
    const body = heading === undefined ? block : block.slice(1);
    const target = isIntro ? intro : sections;
    target.push(...formatBody(body, target.at(-1)?.startsWith('.SH ') === true));
  }
  return { intro, sections };
}

/** Lines between empty ones; a heading begins a block, too. */
function blocksOf(notes: string): string[][] {
  const blocks: string[][] = [[]];
  for (const line of notes.split('\n')) {
    if (line === '' || /^[A-Z][^:]*:$/.test(line)) blocks.push([]);
    if (line !== '') blocks.at(-1)?.push(line);
  }
  return blocks.filter(({ length }) => length > 0);
}

/** Indented lines keep their ends, as they may be commands or tables; others flow. */
function formatBody(lines: readonly string[], isFirst: boolean): string[] {
  if (lines.length === 0) return [];
  const start = isFirst ? [] : ['.PP'];
  if (lines.every((line) => !line.startsWith(' '))) return [...start, ...lines.map(escapeRoff)];
  return [...start, '.nf', ...lines.map((line) => escapeRoff(line)), '.fi'];
}

/** Text that roff takes for nothing but text. */
export function escapeRoff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^[.']/, '\\&$&')
    .replaceAll('…', '...')
    .replaceAll("'", '\\(aq');
}

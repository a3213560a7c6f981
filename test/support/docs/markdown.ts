/** Pages of the documentation: their fenced blocks, links and headings. Not a parser of Markdown: the pages keep it simple. */

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '../../..');

export interface Page {
  /** From the top folder: `docs/serve.md`. */
  readonly name: string;
  readonly path: string;
  readonly text: string;
}

export interface Block {
  readonly language: string;
  /** The name in `<!-- file: NAME -->` above the block: its content is that file. */
  readonly file: string | undefined;
  readonly lines: readonly string[];
  /** Index of its first line in the page. */
  readonly start: number;
}

/** The README and the pages in docs/. */
export function readPages(): readonly Page[] {
  const inDocs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
  return ['README.md', ...inDocs.toSorted().map((name) => `docs/${name}`)].map((name) => {
    const path = join(root, name);
    return { name, path, text: readFileSync(path, 'utf8') };
  });
}

export function readBlocks(text: string): readonly Block[] {
  const blocks: Block[] = [];
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at++) {
    const language = /^```(\S+)$/.exec(lines[at] ?? '')?.[1];
    if (language === undefined) continue;
    const end = lines.indexOf('```', at);
    if (end < 0) throw new Error(`line ${at + 1}: a block without an end`);
    const file = /^<!-- file: (\S+) -->$/.exec(lines[at - 1] ?? '')?.[1];
    blocks.push({ language, file, lines: lines.slice(at + 1, end), start: at + 1 });
    at = end;
  }
  return blocks;
}

/** The page with other lines in its blocks of one language. */
export function replaceBlocks(
  text: string,
  language: string,
  linesOf: (block: Block) => readonly string[],
): string {
  const lines = text.split('\n');
  const blocks = readBlocks(text).filter((block) => block.language === language);
  const replacements = blocks.map((block) => ({ block, other: linesOf(block) }));
  // From the end, as what comes after a replacement moves.
  for (const { block, other } of replacements.toReversed()) {
    lines.splice(block.start, block.lines.length, ...other);
  }
  return lines.join('\n');
}

/** What is outside of fenced blocks. */
export function proseOf(text: string): string {
  return text.replaceAll(/^```\S+\n[\s\S]*?^```$/gm, '');
}

/** Where links lead to, without those to other sites. */
export function localLinks(text: string): readonly string[] {
  const targets = [...proseOf(text).matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '');
  return targets.filter((target) => !/^[a-z]+:/.test(target));
}

/** What GitHub makes of the headings. */
export function anchors(text: string): readonly string[] {
  return [...proseOf(text).matchAll(/^#+ (.+)$/gm)].map((match) =>
    (match[1] ?? '')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\- _]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** The text with other lines between `<!-- NAME: HOW TO WRITE THEM -->` and `<!-- /NAME -->`. */
export function replaceMarked(text: string, name: string, lines: string): string {
  const start = new RegExp(`^<!-- ${name}: .* -->\n`, 'm').exec(text);
  const end = text.indexOf(`<!-- /${name} -->`);
  if (start === null || end < start.index) throw new Error(`<!-- ${name}: … --> … is missing`);
  return `${text.slice(0, start.index + start[0].length)}${lines}${text.slice(end)}`;
}

/** The content of `<!-- file: NAME -->` in a page, such as `docs/metal3.md`. */
export function fileOfPage(page: string, name: string): string {
  const block = readBlocks(readFileSync(join(root, page), 'utf8')).find(({ file }) => file === name);
  if (block === undefined) throw new Error(`${page} does not write ${name}`);
  return `${block.lines.join('\n')}\n`;
}

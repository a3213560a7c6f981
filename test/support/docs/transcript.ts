/**
 * Transcripts: blocks of `$ command` and what it prints, on both streams, as on a terminal. A command goes on in the next
 * line after a backslash. In the output `…` stands for any text of one line, and a line of nothing else for any lines.
 */

import type { Block } from './markdown.ts';

export interface Step {
  readonly command: string;
  readonly commandLines: readonly string[];
  readonly output: readonly string[];
  /** Whether it does not run here, so that its output is kept. */
  readonly isKept: boolean;
}

export function readSteps({ lines }: Block): readonly Step[] {
  const steps: Step[] = [];
  let at = 0;
  while (at < lines.length) {
    if (lines[at]?.startsWith('$ ') !== true) throw new Error(`a transcript starts with "$ ": ${lines[at]}`);
    let end = at + 1;
    while (lines[end - 1]?.endsWith('\\') === true) end++;
    let next = end;
    while (next < lines.length && lines[next]?.startsWith('$ ') !== true) next++;
    const commandLines = lines.slice(at, end);
    steps.push({
      command: commandLines.join('\n').slice(2),
      commandLines,
      output: lines.slice(end, next),
      isKept: false,
    });
    at = next;
  }
  return steps;
}

/** Whether what was printed is what the page says. */
export function matchesOutput(expected: readonly string[], actual: readonly string[]): boolean {
  const pattern = expected.map((line) =>
    line === '…' ? '(?:[^\\n]*\\n)*?' : `${line.split('…').map(escapeRegExp).join('[^\\n]*?')}\\n`,
  );
  return new RegExp(`^${pattern.join('')}$`).test(actual.map((line) => `${line}\n`).join(''));
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

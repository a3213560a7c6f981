/** Generates the tables in `docs/troubleshooting.md` from the table of causes. */

import { stagePhrases } from '../../src/commands/try/report/phrases.ts';
import { consoleSigns } from '../../src/commands/try/timeline/consoleSigns.ts';
import { causeTable } from '../../src/commands/try/timeline/causes.ts';
import { type Stage, stages } from '../../src/commands/try/timeline/stage.ts';
import { createConsoleText, createConsoleWatch } from '../../src/commands/try/consoleOutput.ts';
import { corpusLogs } from './consoleCorpus.ts';
import { replaceMarked } from './docs/markdown.ts';

/** Replaces the tables between the markers of the page. */
export function replaceCausesTables(page: string): string {
  const tables = { stages: formatStages(), causes: formatCauses(), lines: formatLines() };
  return Object.entries(tables).reduce((text, [mark, table]) => replaceMarked(text, mark, table), page);
}

function formatStages(): string {
  const rows = stages.flatMap((stage) => {
    const usual = causeTable.flatMap(({ causes }) =>
      causes.filter((cause) => cause.frequency !== undefined && cause.after?.includes(stage)),
    );
    const others = causeTable.flatMap((part) => formatOthers(part, stage));
    if (usual.length + others.length === 0) return [];
    const ids = usual.map(({ id }) => `\`${id}\``).join(', ');
    return [`| ${stagePhrases[stage]} | ${ids} | ${others.join(', ')} |\n`];
  });
  return `| last activity | common causes | other causes |\n|---|---|---|\n${rows.join('')}`;
}

/** A link to the part if all of its causes are possible. */
function formatOthers({ title, causes }: (typeof causeTable)[number], stage: Stage): string[] {
  const possible = causes.filter(({ after = [] }) => after.includes(stage));
  if (possible.length === causes.length) {
    return [`[${title}](#${title.toLowerCase().replaceAll(' ', '-')})`];
  }
  return possible.filter((cause) => cause.frequency === undefined).map(({ id }) => `\`${id}\``);
}

function formatCauses(): string {
  const sections = causeTable.map(({ title, causes }) => {
    const rows = causes.map(
      ({ id, text, check, fix }) => `| \`${id}\` | ${cell(text)} | ${cell(check)} | ${cell(fix)} |\n`,
    );
    return `\n## ${title}\n\n| cause | meaning | check | fix |\n|---|---|---|---|\n${rows.join('')}`;
  });
  return `${sections.join('')}\n`;
}

/** The rows of the table of console lines that prove a cause or make it likely, with an example of each from the corpus. */
function formatLines(): string {
  const examples = new Map(corpusLogs().flatMap(({ text }) => examplesIn(text)));
  const rows = consoleSigns.flatMap(({ id, proves, source, suggests = [] }) =>
    proves === undefined && suggests.length === 0
      ? []
      : [
          `| ${cell(source)} | ${code(examples.get(id) ?? '')} | ${codes([proves ?? []].flat())} | ${codes(suggests)} |\n`,
        ],
  );
  return `| program and file | example | proves | makes likely |\n|---|---|---|---|\n${rows.join('')}`;
}

/** Characters of an example. */
const longest = 120;

function examplesIn(text: string): readonly (readonly [sign: string, line: string])[] {
  const found: (readonly [string, string])[] = [];
  const watch = createConsoleWatch('host', ({ line, sign }) => {
    if (sign === undefined) return;
    // Options of other programs look like those of this one.
    const message = line
      .replace(/^\[ *[\d.]+\] /, '')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replace(/ "?--.*/, '…')
      .trim();
    found.push([sign, message.length > longest ? `${message.slice(0, longest)}…` : message]);
  });
  const console = createConsoleText(watch);
  console.push(Buffer.from(text, 'latin1'));
  console.end();
  return found;
}

function code(text: string): string {
  if (text === '') return '';
  return text.includes('`') ? `\`\` ${cell(text)} \`\`` : `\`${cell(text)}\``;
}

function codes(ids: readonly string[]): string {
  return ids.map((id) => `\`${id}\``).join(', ');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

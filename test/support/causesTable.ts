/** Generates the tables of stages and of console lines in `docs/troubleshooting.md`. */

import { createConsoleText } from '../../src/trial/console/consoleText.ts';
import { createConsoleWatch } from '../../src/trial/console/consoleWatch.ts';
import { commonCauses, conditions } from '../../src/trial/timeline/causes.ts';
import { consoleSigns } from '../../src/trial/timeline/consoleSigns.ts';
import { stagePhrase, stages } from '../../src/trial/timeline/stage.ts';
import { corpusLogs, sourcesOfLines } from './consoleCorpus.ts';
import { replaceMarked } from './docs/markdown.ts';

/** Replaces the tables between the markers of the page. */
export function replaceCausesTables(page: string): string {
  return replaceMarked(replaceMarked(page, 'stages', formatStages()), 'lines', formatLines());
}

function formatStages(): string {
  const rows = stages.flatMap((stage) => {
    const possible = Object.entries(conditions).flatMap(([id, { possibleAfter = [] }]) =>
      possibleAfter.includes(stage) ? [id] : [],
    );
    if (possible.length === 0) return [];
    const common = commonCauses.filter((id) => possible.includes(id));
    const others = possible.filter((id) => !common.includes(id));
    return [`| ${stagePhrase(stage)} | ${codes(common)} | ${codes(others)} |\n`];
  });
  return `| last activity | common causes | other causes |\n|---|---|---|\n${rows.join('')}`;
}

/** The rows of the table of console lines that prove a cause or make it likely, with an example of each from the corpus. */
function formatLines(): string {
  const sources = sourcesOfLines();
  const examples = new Map(corpusLogs().flatMap(({ text }) => examplesIn(text)));
  const rows = Array.from(consoleSigns().values(), ({ id, proves, suggests }) =>
    proves === undefined && suggests.length === 0
      ? ''
      : `| ${cell(sources.get(id) ?? '')} | ${code(examples.get(id) ?? '')} | ${codes([proves ?? []].flat())} | ${codes(suggests)} |\n`,
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

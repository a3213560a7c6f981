/** The tables in `docs/troubleshooting.md`, as they have to be by the table of causes. */

import { stagePhrases } from '../../src/try/report/phrases.ts';
import { causeTable } from '../../src/try/timeline/causes.ts';
import { type Stage, stages } from '../../src/try/timeline/stages.ts';
import { replaceMarked } from './docs/markdown.ts';

/** The page with new tables between its markers. */
export function replaceCausesTables(page: string): string {
  return replaceMarked(replaceMarked(page, 'stages', formatStages()), 'causes', formatCauses());
}

function formatStages(): string {
  const rows = stages.flatMap((stage) => {
    const usual = causeTable.flatMap(({ causes }) =>
      causes.filter((cause) => cause.usual !== undefined && cause.after?.includes(stage)),
    );
    const others = causeTable.flatMap((part) => formatOthers(part, stage));
    if (usual.length + others.length === 0) return [];
    const ids = usual.map(({ id }) => `\`${id}\``).join(', ');
    return [`| ${stagePhrases[stage]} | ${ids} | ${others.join(', ')} |\n`];
  });
  return `| seen last | usual | also |\n|---|---|---|\n${rows.join('')}`;
}

/** All of a part together, where all of them are possible. */
function formatOthers({ title, causes }: (typeof causeTable)[number], stage: Stage): string[] {
  const possible = causes.filter(({ after = [] }) => after.includes(stage));
  if (possible.length === causes.length) {
    return [`[${title.toLowerCase()}](#${title.toLowerCase().replaceAll(' ', '-')})`];
  }
  return possible.filter((cause) => cause.usual === undefined).map(({ id }) => `\`${id}\``);
}

function formatCauses(): string {
  const sections = causeTable.map(({ title, causes }) => {
    const rows = causes.map(
      ({ id, text, check, fix }) => `| \`${id}\` | ${cell(text)} | ${cell(check)} | ${cell(fix)} |\n`,
    );
    return `\n## ${title}\n\n| | what is wrong | how to see it | what to do |\n|---|---|---|---|\n${rows.join('')}`;
  });
  return `${sections.join('')}\n`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

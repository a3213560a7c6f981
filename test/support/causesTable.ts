/** Generates the tables in `docs/troubleshooting.md` from the table of causes. */

import { stagePhrases } from '../../src/try/report/phrases.ts';
import { causeTable } from '../../src/try/timeline/causes.ts';
import { type Stage, stages } from '../../src/try/timeline/stages.ts';
import { replaceMarked } from './docs/markdown.ts';

/** Replaces the tables between the markers of the page. */
export function replaceCausesTables(page: string): string {
  return replaceMarked(replaceMarked(page, 'stages', formatStages()), 'causes', formatCauses());
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
    return `\n## ${title}\n\n| id | cause | check | fix |\n|---|---|---|---|\n${rows.join('')}`;
  });
  return `${sections.join('')}\n`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

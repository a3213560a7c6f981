/** The table of rules in `docs/validate.md`, generated from `docs/rules.md`. */

import type { Explanation } from '../../src/io/report/explanations.ts';
import { replaceMarked } from './docs/markdown.ts';

/** The page with a new table between its markers. */
export function replaceRulesTable(page: string, entries: Iterable<Explanation>): string {
  return replaceMarked(page, 'rules', formatTable([...entries]));
}

function formatTable(entries: readonly Explanation[]): string {
  const rows = entries.map(({ id, severity, versions, message, section }) => {
    const name = severity === 'info' ? 'note' : severity;
    const range = versions === 'all' ? '' : versions;
    const text = message.replaceAll('|', '\\|').replaceAll('<', '&lt;');
    return `| [\`${id}\`](${section.replace('docs/', '')}) | ${name} | ${range} | ${text} |\n`;
  });
  return `| rule | severity | spec versions | message |\n|---|---|---|---|\n${rows.join('')}`;
}

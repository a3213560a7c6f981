/** The table of rules in the README, as it has to be by `docs/rules.md`. */

import type { RuleEntry } from '../../src/reporters/ruleBook.ts';

const start = '<!-- rules: npm run rules -->';
const end = '<!-- /rules -->';

/** The README with a new table between its markers. */
export function replaceRulesTable(readme: string, entries: Iterable<RuleEntry>): string {
  const from = readme.indexOf(start);
  const to = readme.indexOf(end);
  if (from < 0 || to < from) throw new Error(`README.md: ${start} … ${end} is missing`);
  return `${readme.slice(0, from + start.length)}\n${formatTable([...entries])}${readme.slice(to)}`;
}

function formatTable(entries: readonly RuleEntry[]): string {
  const rows = entries.map(({ id, severity, versions, message, anchor }) => {
    const name = severity === 'info' ? 'note' : severity;
    const range = versions === 'all' ? '' : versions;
    const text = message.replaceAll('|', '\\|').replaceAll('<', '&lt;');
    return `| [\`${id}\`](docs/rules.md#${anchor}) | ${name} | ${range} | ${text} |\n`;
  });
  return `| rule | | spec | |\n|---|---|---|---|\n${rows.join('')}`;
}

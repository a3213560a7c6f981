/** Rules for people to read in a terminal: one of them explained, or the names of all. */

import type { RuleEntry, RuleExample } from '../../io/report/ruleBook.ts';
import { wrapText } from '../../io/report/terminalText.ts';

/** What a rule means, with examples; ends with a line feed. */
export function formatExplanation(entry: RuleEntry): string {
  const { id, severity, versions, message, meaning, wrong, right } = entry;
  const range = versions === 'all' ? '' : `, ${versions}`;
  return [
    `${id} (${nameSeverity(severity)}${range})`,
    ...wrap(message, '  '),
    ...meaning.flatMap((paragraph) => ['', ...wrap(paragraph, '')]),
    ...formatExample('Wrong', wrong),
    ...formatExample('Right', right),
    '',
  ].join('\n');
}

/** Rules for programs, a list on one line; the schema is `schemas/explain.json`. */
export function formatRulesJson(entries: Iterable<RuleEntry>): string {
  const rules = Array.from(entries, ({ anchor, severity, ...entry }) => ({
    ...entry,
    severity: nameSeverity(severity),
    section: anchor,
  }));
  return `${JSON.stringify(rules)}\n`;
}

/** All rules, a line each, by group. */
export function formatRuleList(entries: Iterable<RuleEntry>): string {
  const groups = new Map<string, RuleEntry[]>();
  for (const entry of entries) {
    const group = groups.get(entry.group);
    if (group === undefined) groups.set(entry.group, [entry]);
    else group.push(entry);
  }
  const blocks = Array.from(groups, ([group, members]) => `${group}\n${members.map(formatLine).join('')}`);
  return blocks.join('\n');
}

function formatLine({ id, severity }: RuleEntry): string {
  return `  ${id.padEnd(30)} ${nameSeverity(severity)}\n`;
}

/** As in the verdicts. */
function nameSeverity(severity: string): string {
  return severity === 'info' ? 'note' : severity;
}

function formatExample(label: string, example: RuleExample | undefined): readonly string[] {
  if (example === undefined) return [];
  const { text, options } = example;
  const lines = text === '' ? ['(nothing)'] : text.split('\n');
  const how = options === undefined ? '' : `, with ${options}`;
  return ['', `${label}${how}:`, ...lines.map((line) => `  ${line}`.trimEnd())];
}

function wrap(paragraph: string, indent: string): readonly string[] {
  return wrapText(paragraph, { first: indent, rest: indent });
}

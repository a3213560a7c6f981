/** `explain`: explains the ids in reports, statuses and events, and lines on a console, or lists all ids. */

import { quoteText, shorten } from '../../core/foreignText.ts';
import { CliError, UsageError } from '../../core/errors.ts';
import { readStdin } from '../../io/files/files.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { writeStdout } from '../../io/stdout.ts';
import { groupBy } from '../../core/lists.ts';
import { nearestNames } from '../../core/nearestNames.ts';
import type { ExplainOptions } from './options.ts';
import { type Example, type Explanation, explanations } from '../../io/report/explanations.ts';
import { createConsoleText } from '../../trial/console/consoleText.ts';
import { createConsoleWatch } from '../../trial/console/consoleWatch.ts';
import { findConsoleSigns, findSignsOfMessage } from '../../trial/timeline/consoleSigns.ts';
import { likelyCauses } from '../../trial/timeline/likelyCauses.ts';
import { createMachines } from '../../trial/timeline/machines.ts';
import { createTimeline } from '../../trial/timeline/timeline.ts';
import { wrapText } from '../../io/report/terminalText.ts';

export async function explain({ format, id: rule }: ExplainOptions, io: Io): Promise<ExitCode> {
  const isJson = format === 'json';
  const write = (text: string): Promise<void> => writeStdout(io, [Buffer.from(text)]);
  const writeEntries = (entries: readonly Explanation[]): Promise<void> =>
    write(isJson ? formatRulesJson(entries) : entries.map(formatExplanation).join('\n'));
  const all = explanations();
  if (rule !== undefined) {
    const entries = findEntries(rule, all);
    const found = entries.length > 0 ? entries : explainLine(rule, all);
    if (found.length === 0) throw unknownId(rule, all);
    await writeEntries(found);
    return 0;
  }
  const expected = { what: 'Lines of a console', maxBytes: MAX_LOG };
  const lines = io.stdin.isTTY === true ? new Uint8Array() : await readStdin(io, expected);
  if (lines.length === 0) {
    await write(
      isJson ? formatRulesJson(all) : formatRuleList(all, io.stdout.isTTY === true ? 80 : Infinity),
    );
    return 0;
  }
  const found = explainConsole(lines, all);
  if (found.length === 0) {
    throw new CliError('no line on standard input shows a problem that is known', {
      code: 'ERR_MACHINE',
      hint: 'pass the whole log of the console, with the lines before the machine stopped',
    });
  }
  await writeEntries(found);
  return 0;
}

function findEntries(rule: string, all: readonly Explanation[]): readonly Explanation[] {
  const wanted = rule.trim().toLowerCase();
  return all.filter(({ id }) => id.toLowerCase() === wanted);
}

function unknownId(rule: string, all: readonly Explanation[]): UsageError {
  const nearest = nearestNames(
    rule,
    all.map(({ id }) => id),
  );
  const isLine = rule.trim().includes(' ');
  const hint =
    nearest.length > 0 ? `use ${nearest.join(' or ')}` : 'list all IDs with "ironic-coreos explain"';
  return new UsageError(`unknown ${isLine ? 'line' : 'ID'}: ${quoteText(rule)}`, {
    hint: isLine ? 'pass the whole log of the console: ironic-coreos explain < console.log' : hint,
  });
}

const MAX_LOG = 256 * 1024 * 1024;

/** The causes of which the line is a sign; without one, what else it shows. */
function explainLine(line: string, all: readonly Explanation[]): readonly Explanation[] {
  const signs = findConsoleSigns(line, new Date()).map(({ sign }) => sign);
  const found = signs.length > 0 ? signs : findSignsOfMessage(line);
  const causes = found.flatMap(({ proves, suggests }) => proves ?? suggests);
  return all.filter(
    ({ id, severity }) =>
      (severity === 'cause' && causes.includes(id)) ||
      (causes.length === 0 && severity === 'line' && found.some((sign) => sign.id === id)),
  );
}

/** The causes that lines on a console show: what `try` would report of the machine, and the line that shows it. */
function explainConsole(log: Uint8Array, all: readonly Explanation[]): readonly Explanation[] {
  const timeline = createTimeline(createMachines([{ name: 'console', macs: [] }]));
  const text = createConsoleText(createConsoleWatch('console', (event) => void timeline.add(event)));
  text.push(log);
  text.end();
  const causes = timeline.hosts().flatMap((host) => likelyCauses(host, 'calls'));
  return causes.flatMap(({ certainty, evidence, id }) => {
    if (certainty === 'possible' || evidence?.event.kind !== 'console') return [];
    const seen = `${certainty === 'proven' ? 'Shown' : 'Made likely'} by the line: ${evidence.event.line}`;
    return findEntries(id, all)
      .filter(({ severity }) => severity === 'cause')
      .map((entry) => ({ ...entry, meaning: [seen, ...entry.meaning] }));
  });
}

/** The meaning of a rule and its examples; the text ends with a line feed. */
export function formatExplanation(entry: Explanation): string {
  const { id, severity, versions, message, meaning, invalid, valid } = entry;
  const range = versions === 'all' ? '' : `, ${versions}`;
  return [
    `${id} (${nameSeverity(severity)}${range})`,
    ...wrapText(message, { first: '  ', rest: '  ' }),
    ...meaning.flatMap((paragraph) => ['', ...wrapText(paragraph, { first: '', rest: '' })]),
    ...formatExample('Invalid', invalid),
    ...formatExample('Valid', valid),
    '',
  ].join('\n');
}

/** Rules as a JSON list on one line; the schema is `schemas/explain.json`. */
function formatRulesJson(entries: Iterable<Explanation>): string {
  const rules = Array.from(entries, (entry) => ({ ...entry, severity: nameSeverity(entry.severity) }));
  return `${JSON.stringify(rules)}\n`;
}

function formatRuleList(entries: readonly Explanation[], columns: number): string {
  const blocks = Array.from(
    groupBy(entries, ({ group }) => group),
    ([name, members]) => {
      const lines = members.map(({ id, message, severity }) => {
        const start = `  ${id.padEnd(30)} ${nameSeverity(severity).padEnd(9)} `;
        const room = columns - start.length;
        return `${start}${message.length > room ? shorten(message, room - 1) : message}\n`;
      });
      return `${name}\n${lines.join('')}`;
    },
  );
  return blocks.join('\n');
}

/** The names that the verdicts use. */
function nameSeverity(severity: string): string {
  return severity === 'info' ? 'note' : severity;
}

function formatExample(label: string, example: Example | undefined): readonly string[] {
  if (example === undefined) return [];
  const { text } = example;
  const lines = text === '' ? ['(nothing)'] : text.split('\n');
  return ['', `${label}:`, ...lines.map((line) => `  ${line}`.trimEnd())];
}

/**
 * What there is to know about the rules: `docs/rules.md`, which `explain` and the table in docs/validate.md
 * are made of. It is Markdown of a fixed structure, and whatever departs from it is a defect:
 *
 *     ## GROUP                           `Lint: …`: rules of this program about what Ignition accepts
 *     ### ID
 *     - severity: SEVERITY
 *     - versions: TEXT
 *     - message: TEXT
 *     - evidence: what shows that the rule is needed; test/evidence.test.ts knows the kinds
 *     paragraphs
 *     Invalid: or Valid:, each optional, with options of the command, and a fenced block
 */

import { quoteText } from '../../core/foreignText.ts';
import { readAsset } from '../../core/assets.ts';
import { UsageError } from '../../core/errors.ts';
import { type Io, ioWith } from '../io.ts';
import type { Diagnostic } from '../../core/diagnostic.ts';
import type { Problem } from '../../core/finding.ts';
import { nearestNames } from '../../core/nearestNames.ts';

export interface RuleEntry {
  readonly id: string;
  readonly severity: string;
  /** Of the Ignition specification, or `all`. */
  readonly versions: string;
  /** As written in the rule; in reports, it may also contain the value. */
  readonly message: string;
  readonly group: string;
  /** Ignition accepts what breaks the rule, so the user can turn it off. */
  readonly isLint: boolean;
  /** What it means: paragraphs, each on one line. */
  readonly meaning: readonly string[];
  readonly invalid?: RuleExample;
  readonly valid?: RuleExample;
  /** Where the section is: `docs/rules.md#` and what GitHub makes of its heading. */
  readonly anchor: string;
}

export interface RuleExample {
  /** `json`: an Ignition config or a part of one. `yaml`: the same of a Butane config. `ini`: the agent's conf. `systemd`: the unit that runs the agent. `sh`: a command. */
  readonly language: string;
  readonly text: string;
  /** With which options the program has to be called, e.g. `--ipa-version 9.11.0`. */
  readonly options?: string;
}

let loaded: ReadonlyMap<string, RuleEntry> | undefined;

/** All rules by id, in the order of the text; read once. */
export function ruleBook(): ReadonlyMap<string, RuleEntry> {
  loaded ??= readBook('docs/rules.md');
  return loaded;
}

/** All codes of errors, from a text of the same structure. */
export function errorBook(): ReadonlyMap<string, RuleEntry> {
  return readBook('docs/errors.md');
}

/** All causes of a boot that failed. */
export function causeBook(): ReadonlyMap<string, RuleEntry> {
  const entries = tableEntries('docs/troubleshooting.md');
  return new Map(entries.map((entry) => [entry.id, { ...entry, group: `Causes: ${entry.group}` }]));
}

/** Conditions, checks, reasons and lines on the console. */
export function reasonBook(): readonly RuleEntry[] {
  return tableEntries('docs/reasons.md');
}

/**
 * The rows of the tables of a page that begin with a name and its meaning. The first heading says what the names are; the other
 * columns are advice, in the order of the page: `| cause | meaning | check | fix |`.
 */
function tableEntries(page: string): readonly RuleEntry[] {
  const table = /^\| (\w+) \| meaning \| (.+) \|\n\|[-|]+\|\n((?:\| `.+ \|\n?)+)/gm;
  const [, ...sections] = splitAtHeadings(readAsset(page), '## ');
  return sections.flatMap(({ heading, body }) =>
    [...body.matchAll(table)].flatMap(([, severity = '', advice = '', rows = '']) =>
      rows
        .trimEnd()
        .split('\n')
        .map((row) => {
          const [id = '', message = '', ...others] = row.slice(2, -2).split(' | ').map(plainCell);
          const labels = advice.split(' | ').map((label) => label[0]?.toUpperCase() + label.slice(1));
          return {
            id: id.slice(1, -1),
            severity,
            versions: 'all',
            message,
            group: heading,
            isLint: false,
            meaning: others.map((text, index) => `${labels[index]}: ${text}.`),
            anchor: `${page}#${anchorOf(heading)}`,
          };
        }),
    ),
  );
}

function plainCell(text: string): string {
  return text.replaceAll('\\|', '|');
}

function readBook(page: string): ReadonlyMap<string, RuleEntry> {
  const entries = parseRuleBook(readAsset(page));
  return new Map(entries.map((entry) => [entry.id, { ...entry, anchor: `${page}#${entry.anchor}` }]));
}

/** @throws Error where the text has another structure */
export function parseRuleBook(text: string): readonly RuleEntry[] {
  const [, ...groups] = splitAtHeadings(text, '## ');
  return groups.flatMap(({ heading: group, body }) => {
    const [, ...sections] = splitAtHeadings(body, '### ');
    return sections.map((section) => parseSection(section, group));
  });
}

interface Section {
  readonly heading: string;
  readonly body: string;
}

/** The first section is the text above all headings; code blocks never contain a line that looks like a heading. */
function splitAtHeadings(text: string, prefix: string): readonly Section[] {
  return `\n${text}`.split(`\n${prefix}`).map((part) => {
    const end = part.indexOf('\n');
    return { heading: part.slice(0, end).trim(), body: part.slice(end + 1) };
  });
}

function parseSection({ heading: id, body }: Section, group: string): RuleEntry {
  const blocks = splitBlocks(body);
  const [list = '', ...rest] = blocks;
  const properties = /^- severity: (.+)\n- versions: (.+)\n- message: (.+)(?:\n- evidence: .+)?$/.exec(list);
  if (properties === null) throw new Error(`docs/rules.md: the list of ${id} is not as it should be`);
  const [, severity = '', versions = '', message = ''] = properties;
  const isLint = group.startsWith('Lint: ');
  return { id, severity, versions, message, group, isLint, anchor: anchorOf(id), ...parseProse(rest, id) };
}

/** What empty lines separate; a fenced block stays whole. */
function splitBlocks(body: string): readonly string[] {
  const blocks = body.match(/^```[^]*?\n```$|(?:^.+\n?)+/gm) ?? [];
  return blocks.map((block) => block.trim());
}

function parseProse(
  blocks: readonly string[],
  heading: string,
): Pick<RuleEntry, 'meaning' | 'invalid' | 'valid'> {
  const meaning: string[] = [];
  const examples: { invalid?: RuleExample; valid?: RuleExample } = {};
  for (let index = 0; index < blocks.length; index += 1) {
    const block = blocks[index] ?? '';
    const label = /^(Invalid|Valid)(?:, with `(.+)`)?:$/.exec(block);
    if (label === null) {
      meaning.push(block.replaceAll('\n', ' '));
      continue;
    }
    index += 1;
    const example = parseExample(blocks[index] ?? '', heading);
    const [, which, options] = label;
    examples[which === 'Invalid' ? 'invalid' : 'valid'] =
      options === undefined ? example : { ...example, options };
  }
  if (meaning.length === 0) throw new Error(`docs/rules.md: ${heading} is not explained`);
  return { meaning, ...examples };
}

function parseExample(block: string, heading: string): RuleExample {
  const [, language, text] = /^```(\w+)\n(?:(.*)\n)?```$/s.exec(block) ?? [];
  if (language === undefined) throw new Error(`docs/rules.md: ${heading} has an example without a block`);
  return { language, text: text ?? '' };
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

/** Why a rule cannot be turned off, and what to do: what Ignition refuses stays an error. Undefined where it can. */
export function ignoreProblem(rule: string): Required<Problem> | undefined {
  const book = ruleBook();
  const entry = book.get(rule);
  if (entry === undefined) {
    const nearest = nearestNames(rule, book.keys());
    return {
      message: `unknown rule ${quoteText(rule)}`,
      hint:
        nearest.length > 0 ? `use ${nearest.join(' or ')}` : 'run "ironic-coreos explain" to list all rules',
    };
  }
  if (entry.isLint || entry.severity !== 'error') return undefined;
  return {
    message: `${rule} is an error and cannot be ignored: the input is refused, or a machine with it does not boot`,
    hint: `run "ironic-coreos explain ${rule}" for how to fix it`,
  };
}

/** Ids from `--ignore`, with commas between them. Throws UsageError for one that cannot be turned off. */
export function parseIgnoredRules(texts: readonly string[]): readonly string[] {
  const rules = texts.flatMap((text) => text.split(',')).map((rule) => rule.trim().toLowerCase());
  for (const rule of rules) {
    const problem = ignoreProblem(rule);
    if (problem !== undefined) throw new UsageError(`--ignore: ${problem.message}`, { hint: problem.hint });
  }
  return rules;
}

/** The findings whose rules are not turned off. */
export function withoutIgnored<T extends Pick<Diagnostic, 'rule'>>(
  findings: readonly T[],
  { ignored = [] }: Pick<Io, 'ignored'>,
): readonly T[] {
  return ignored.length === 0
    ? findings
    : findings.filter(({ rule }) => rule === undefined || !ignored.includes(rule));
}

/** The same `io`, with more rules turned off. */
export function ignoringRules(io: Io, rules: readonly string[]): Io {
  if (rules.length === 0) return io;
  return ioWith(io, { ignored: [...(io.ignored ?? []), ...rules] });
}

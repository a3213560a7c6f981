/**
 * Converts texts of a configuration file to option values like oslo.config, and computes the text for references to an option.
 * Like there, references are replaced first, and then the type is applied.
 */

import {
  formatPythonText,
  parsePythonFloat,
  parsePythonInteger,
  stripPython,
  stripPythonEnd,
  stripPythonStart,
} from '../formats/pythonText.ts';
import type { Rule } from '../core/rule.ts';
import { confRules } from './confRules.ts';
import {
  type IpaOption,
  type IpaOptionMatch,
  type IpaOptionType,
  findIpaOption,
  isIpaSection,
} from './ipaOptions.ts';

/** Why the agent does not accept a value. The message never contains the value. */
export interface ValueIssue {
  readonly rule: Rule;
  readonly message: string;
  readonly hint?: string;
}

/** `text` replaces references to the option. */
type Outcome =
  | { readonly kind: 'value'; readonly text: string }
  | { readonly kind: 'pending' }
  | { readonly kind: 'refused'; readonly issue?: ValueIssue };

/** The text of each option in the file. */
export type Assignments = ReadonlyMap<IpaOption, string>;

interface Evaluation {
  readonly assignments: Assignments;
  readonly outcomes: Map<IpaOption, Outcome>;
}

/**
 * Issues of the values, by option. The agent evaluates all options when it starts. An option that only refers to an invalid
 * option has no issue.
 */
export function checkValues(assignments: Assignments): ReadonlyMap<IpaOption, ValueIssue> {
  const evaluation: Evaluation = { assignments, outcomes: new Map() };
  const issues = new Map<IpaOption, ValueIssue>();
  for (const option of assignments.keys()) {
    const outcome = evaluate(option, evaluation);
    if (outcome.kind === 'refused' && outcome.issue !== undefined) issues.set(option, outcome.issue);
  }
  return issues;
}

/** The recursion depth is at most the number of options. */
function evaluate(option: IpaOption, evaluation: Evaluation): Outcome {
  const known = evaluation.outcomes.get(option);
  if (known !== undefined) return known;
  evaluation.outcomes.set(option, { kind: 'pending' });
  const written = evaluation.assignments.get(option);
  const outcome = written === undefined ? defaultOf(option) : evaluateText(option, written, evaluation);
  evaluation.outcomes.set(option, outcome);
  return outcome;
}

function defaultOf({ default: value, type }: IpaOption): Outcome {
  if (value === null) return { kind: 'value', text: '' };
  if (typeof value === 'number' && type !== 'float') return { kind: 'value', text: String(value) };
  const isDict = typeof value === 'object' && !Array.isArray(value);
  return { kind: 'value', text: formatPythonText(isDict ? new Map(Object.entries(value)) : value) };
}

function evaluateText(option: IpaOption, written: string, evaluation: Evaluation): Outcome {
  const substituted = substitute(written, option, evaluation);
  if (substituted.kind !== 'value') return substituted;
  const { text } = substituted;
  if (option.pattern !== undefined && !new RegExp(option.pattern).test(text)) {
    return refused(
      confRules.value,
      `the value of ${option.name} has an invalid format`,
      `use this format: ${option.help}`,
    );
  }
  if (option.choices !== undefined && !isChoice(text, option)) {
    const hint = `use one of: ${option.choices.map((choice) => (choice === '' ? 'an empty value' : choice)).join(', ')}`;
    return refused(confRules.choice, `the value of ${option.name} is not one of the allowed values`, hint);
  }
  return convert[option.type](text, option);
}

function isChoice(text: string, { choices = [], ignoreCase = false }: IpaOption): boolean {
  if (!ignoreCase) return choices.includes(text);
  return choices.some((choice) => choice.toLowerCase() === text.toLowerCase());
}

function refused(rule: Rule, message: string, hint: string): Outcome {
  return { kind: 'refused', issue: { rule, message, hint } };
}

// References, like in string.Template. With IGNORECASE, Python's [a-z] also matches these four letters.
const NAME_START = '_a-zA-Z\u0130\u0131\u017f\u212a';
const reference = new RegExp(
  `\\$(?:(\\$)|([${NAME_START}][${NAME_START}.0-9]*)|\\{([${NAME_START}][${NAME_START}.0-9]*)\\})?`,
  'g',
);

// Options that refer to each other twice would fill the memory, also that of the agent.
const MAX_TEXT_LENGTH = 1024 * 1024;

function substitute(written: string, option: IpaOption, evaluation: Evaluation): Outcome {
  const template = written.replaceAll('\\$', '$$$$');
  let text = '';
  let end = 0;
  for (const match of template.matchAll(reference)) {
    text += template.slice(end, match.index);
    end = match.index + match[0].length;
    const name = match[2] ?? match[3];
    const found = name === undefined ? 'literal' : lookUp(name, option, evaluation);
    if (found === 'literal') text += match[1] ?? match[0];
    else if (found.kind === 'value') text += found.text;
    else return found;
    if (text.length > MAX_TEXT_LENGTH) {
      return refused(
        confRules.interpolation,
        'references make the value longer than 1 MiB',
        confRules.interpolation.hint,
      );
    }
  }
  return { kind: 'value', text: text + template.slice(end) };
}

/**
 * The value of a reference. `name` is searched in the section of the referring option, then in [DEFAULT]; `section.name` in
 * that section. `literal` if oslo.config does not replace the text.
 */
function lookUp(name: string, option: IpaOption, evaluation: Evaluation): Outcome | 'literal' {
  const target = findTarget(name, option.section);
  if (typeof target === 'string') return badReference(name, option, target);
  // An old name of an option that is declared with dashes: oslo.config fails on the dashes and keeps the text.
  if (target.renamed && target.option.registeredName !== undefined) return 'literal';
  const outcome = evaluate(target.option, evaluation);
  if (outcome.kind === 'pending') return badReference(name, option, 'it refers to the option itself');
  return outcome.kind === 'refused' ? { kind: 'refused' } : outcome;
}

/** The option, or the problem of the name. */
function findTarget(name: string, section: string): IpaOptionMatch | string {
  const dot = name.indexOf('.');
  if (dot >= 0) {
    const place = name.slice(0, dot);
    // References cannot contain [DEFAULT].
    if (place === 'DEFAULT' || !isIpaSection(place)) return 'the section does not exist';
    return findDeclared(place, name.slice(dot + 1)) ?? 'the option does not exist';
  }
  const match = findDeclared(section, name) ?? findDeclared('DEFAULT', name);
  return (
    match ?? (isIpaSection(name) && name !== 'DEFAULT' ? 'it is a section' : 'the option does not exist')
  );
}

/** Unlike headers in a file, sections in references are case-sensitive, and old names in other sections are not found. */
function findDeclared(section: string, name: string): IpaOptionMatch | undefined {
  return isIpaSection(section) ? findIpaOption(section, name) : undefined;
}

/** The text after the `$` may be part of a password, so the message contains it only for options that are not sensitive. */
function badReference(name: string, { sensitive = false }: IpaOption, problem: string): Outcome {
  const shown = sensitive ? 'a "$" in the value' : `"$${name.slice(0, 60)}"`;
  const message = `${shown} cannot be replaced: ${problem}`;
  return refused(confRules.interpolation, message, 'use "$$" for a "$" that is part of the value');
}

const convert: Record<IpaOptionType, (text: string, option: IpaOption) => Outcome> = {
  string: (text) => ({ kind: 'value', text }),
  list: (text) => ({ kind: 'value', text: formatPythonText(parseList(text)) }),
  boolean: convertBoolean,
  integer: convertInteger,
  port: (text, option) => convertInteger(text, { ...option, min: 0, max: 65535 }),
  float: convertFloat,
  dict: convertDict,
};

/** Undefined for a text that oslo.config does not accept as a boolean. */
export function parseOsloBoolean(text: string): boolean | undefined {
  if (/^(?:true|1|on|yes)$/i.test(text)) return true;
  return /^(?:false|0|off|no)$/i.test(text) ? false : undefined;
}

function convertBoolean(text: string, { name }: IpaOption): Outcome {
  const value = parseOsloBoolean(text);
  if (value !== undefined) return { kind: 'value', text: formatPythonText(value) };
  return refused(
    confRules.value,
    `${name} requires a boolean`,
    'use true or false (or yes, on, 1, no, off, 0)',
  );
}

function convertInteger(text: string, { name, min, max }: IpaOption): Outcome {
  if (stripPython(text) === '') return { kind: 'value', text: '' };
  const number = parsePythonInteger(text);
  const hint = `use an integer${formatRange(min, max)} in decimal digits, without a unit`;
  if (number === undefined) return refused(confRules.value, `${name} requires an integer`, hint);
  if ((min !== undefined && number < min) || (max !== undefined && number > max)) {
    return refused(confRules.range, `the number for ${name} is out of range`, hint);
  }
  return { kind: 'value', text: formatPythonText(number) };
}

function formatRange(min: number | undefined, max: number | undefined): string {
  if (min === undefined && max === undefined) return '';
  if (max === undefined) return ` of at least ${min}`;
  return min === undefined ? ` of at most ${max}` : ` from ${min} to ${max}`;
}

function convertFloat(text: string, { name }: IpaOption): Outcome {
  if (stripPython(text) === '') return { kind: 'value', text: '' };
  const number = parsePythonFloat(text);
  if (number === undefined)
    return refused(confRules.value, `${name} requires a number`, 'use a number such as 30 or 1.5');
  return { kind: 'value', text: formatPythonText(number) };
}

function parseList(text: string): string[] {
  const items = stripCommas(stripPython(text));
  return items === '' ? [] : items.split(',').map(stripPython);
}

function stripCommas(text: string): string {
  let end = text.length;
  while (text[end - 1] === ',') end--;
  return text.slice(0, end);
}

function convertDict(text: string, { name }: IpaOption): Outcome {
  const pairs = new Map<string, string>();
  let rest = stripPython(text);
  while (rest !== '') {
    const pair = takePair(rest);
    if (pair === undefined || pair.key === '' || pairs.has(pair.key)) {
      const hint = 'use "key:value,key:value" with unique keys; quote values that contain commas';
      return refused(confRules.value, `${name} requires pairs of keys and values`, hint);
    }
    pairs.set(pair.key, pair.value);
    if (pair.end === rest.length - 1) {
      return refused(confRules.value, `the pairs of ${name} end with a comma`, 'remove the last comma');
    }
    rest = rest.slice(pair.end + 1);
  }
  return { kind: 'value', text: formatPythonText(pairs) };
}

interface Pair {
  readonly key: string;
  readonly value: string;
  /** Index of the comma after the pair, or of the end of the text. */
  readonly end: number;
}

/** A pair ends at the first comma after the colon that is not in quotes. */
function takePair(text: string): Pair | undefined {
  const colon = text.indexOf(':');
  if (colon < 0) return undefined;
  const key = stripPython(text.slice(0, colon));
  const start = text.length - stripPythonStart(text.slice(colon + 1)).length;
  const quote = text.charAt(start);
  let end = commaFrom(text, colon + 1);
  if (start >= end || (quote !== '"' && quote !== "'")) {
    return { key, value: stripPython(text.slice(colon + 1, end)), end };
  }
  for (;;) {
    const value = stripPythonEnd(text.slice(start, end));
    if (value.length > 1 && value.endsWith(quote)) return { key, value: value.slice(1, -1), end };
    if (end === text.length) return undefined;
    end = commaFrom(text, end + 1);
  }
}

function commaFrom(text: string, start: number): number {
  const comma = text.indexOf(',', start);
  return comma < 0 ? text.length : comma;
}

/**
 * Root device hints: by them the agent picks the disk that `install_coreos` writes to. Kept as Ironic has them, under
 * its names and with its operators (ironic-python-agent `device_hints.py`, oslo.utils `specs_matcher`); the names of
 * Metal3 are understood too, where they mean the same, and the hints can be written as Metal3 has them.
 *
 * Refused, though Ironic stores them: expressions at which the agent fails or which no disk can match, as
 * numbers compared with text, and `<all-in>` and `<range-in>`, which the agent cannot apply to disks.
 */

import type { Issue, Rule } from '../../ignition/rule.ts';

type HintName = keyof typeof hintTypes;

const hintTypes = {
  name: 'text',
  by_path: 'text',
  hctl: 'text',
  model: 'text',
  vendor: 'text',
  serial: 'text',
  size: 'number',
  wwn: 'text',
  wwn_with_extension: 'text',
  wwn_vendor_extension: 'text',
  rotational: 'boolean',
  tran: 'text',
} as const;

/** Expressions such as `>= 100` or `s== /dev/sda`; `rotational` is a boolean. `size` is in GiB. */
export type RootDevice = Readonly<Partial<Record<HintName, string | boolean>>>;

interface RootDeviceRead {
  readonly rootDevice: RootDevice;
  /** Their paths begin with the name that was given. */
  readonly issues: readonly Issue[];
}

const hintUnknown: Rule = {
  id: 'hint-unknown',
  severity: 'error',
  message: 'there is no such root device hint',
  hint: `use ${Object.keys(hintTypes).join(', ')}`,
};
const hintTwice: Rule = {
  id: 'hint-twice',
  severity: 'error',
  message: 'the hint is given more than once, and only one would count',
  hint: 'give it once; <or> joins alternatives: "<or> A <or> B"',
};
const hintType: Rule = {
  id: 'hint-type',
  severity: 'error',
  message: 'the value has the wrong type',
  hint: 'give a text, for size a number of GiB, for rotational true or false',
};
const hintExpression: Rule = {
  id: 'hint-expression',
  severity: 'error',
  message: 'the agent cannot read the expression',
  hint: 'write VALUE or OPERATOR VALUE',
};
const hintOperator: Rule = {
  id: 'hint-operator',
  severity: 'error',
  message: 'the operator does not fit the hint',
  hint: 'for text use s==, s!=, <in> or <or>; for size ==, !=, <, <=, >, >=',
};
const hintValue: Rule = {
  id: 'hint-value',
  severity: 'error',
  message: 'no disk has such a value',
  hint: 'look at what inspection says of the disks',
};
const hintExactSize: Rule = {
  id: 'hint-exact-size',
  severity: 'warning',
  message: 'only a disk of exactly this many GiB matches, which hardly any disk has',
  hint: 'for "at least" write size=">= N"',
};

/** Metal3's names, and the operator that it puts before their values. */
const metal3Names: ReadonlyMap<string, { readonly name: HintName; readonly operator: string }> = new Map([
  ['deviceName', { name: 'name', operator: 's==' }],
  ['serialNumber', { name: 'serial', operator: 's==' }],
  ['minSizeGigabytes', { name: 'size', operator: '>=' }],
  ['wwnWithExtension', { name: 'wwn_with_extension', operator: 's==' }],
  ['wwnVendorExtension', { name: 'wwn_vendor_extension', operator: 's==' }],
]);

const byPathFolder = '/dev/disk/by-path/';

/** Splits `NAME=EXPRESSION`, as an option has it, at the first equals sign. */
export function splitHint(text: string): readonly [name: string, expression: string] {
  const equals = text.indexOf('=');
  return equals === -1 ? [text, ''] : [text.slice(0, equals).trim(), text.slice(equals + 1)];
}

/** Reads hints under the names of Ironic or of Metal3. */
export function readRootDevice(entries: Iterable<readonly [name: string, value: unknown]>): RootDeviceRead {
  const rootDevice: Partial<Record<HintName, string | boolean>> = {};
  const issues: Issue[] = [];
  for (const [given, value] of entries) {
    const { name, expression } = translateName(given, value);
    if (!isHintName(name)) issues.push({ rule: hintUnknown, path: [given] });
    else if (Object.hasOwn(rootDevice, name)) issues.push({ rule: hintTwice, path: [given] });
    else {
      const read = readHint(name, expression);
      issues.push(...read.issues.map((issue) => ({ ...issue, path: [given] })));
      rootDevice[name] = read.hint;
    }
  }
  return { rootDevice, issues };
}

function translateName(
  given: string,
  value: unknown,
): { readonly name: string; readonly expression: unknown } {
  const metal3 = metal3Names.get(given);
  if (metal3 === undefined || !['string', 'number'].includes(typeof value))
    return { name: given, expression: value };
  const text = String(value).trim();
  const isByPath = metal3.name === 'name' && text.startsWith(byPathFolder);
  // An empty value stays one, to be refused as such.
  return { name: isByPath ? 'by_path' : metal3.name, expression: text && `${metal3.operator} ${text}` };
}

function isHintName(name: string): name is HintName {
  return Object.hasOwn(hintTypes, name);
}

interface HintRead {
  readonly hint: string | boolean;
  readonly issues: readonly Omit<Issue, 'path'>[];
}

function readHint(name: HintName, value: unknown): HintRead {
  const type = hintTypes[name];
  if (type === 'boolean') return readBoolean(value);
  const isRightType = typeof value === 'string' || (type === 'number' && typeof value === 'number');
  if (!isRightType) return { hint: '', issues: [{ rule: hintType }] };
  const hint = String(value).trim();
  const parsed = parseHintExpression(hint);
  if ('problem' in parsed) return { hint, issues: [{ rule: hintExpression, message: parsed.problem }] };
  return { hint, issues: type === 'number' ? checkSize(parsed) : checkText(name, parsed) };
}

/** As oslo's `bool_from_string` in its strict form. */
function readBoolean(value: unknown): HintRead {
  if (typeof value === 'boolean') return { hint: value, issues: [] };
  const text = typeof value === 'string' ? value.trim().toLowerCase() : '';
  if (['1', 't', 'true', 'on', 'y', 'yes'].includes(text)) return { hint: true, issues: [] };
  const issues = ['0', 'f', 'false', 'off', 'n', 'no'].includes(text) ? [] : [{ rule: hintType }];
  return { hint: false, issues };
}

interface HintExpression {
  /** Empty where there is none, which means equal. */
  readonly operator: string;
  /** More than one only with `<or>`. */
  readonly values: readonly string[];
}

/** In the order in which the agent tries them. */
const operators = '<or> <all-in> <range-in> == = != <in> >= <= > < s== s!= s<= s< s>= s>'.split(' ');

/** Takes an expression apart as the agent does; its operators may be in upper case, and need no blank behind them. */
export function parseHintExpression(text: string): HintExpression | { readonly problem: string } {
  const trimmed = text.trim();
  if (trimmed === '') return { problem: 'the value is empty' };
  const operator = operatorOf(trimmed);
  if (operator === undefined) return { operator: '', values: [trimmed] };
  const values = splitAt(trimmed, operator)
    .slice(1)
    .map((value) => value.trim());
  if (values.includes('')) return { problem: `a value is missing behind ${operator}` };
  if (values.length > 1 && operator !== '<or>') return { problem: `${operator} can stand there only once` };
  if (values.some((value) => operatorOf(value) !== undefined)) {
    return { problem: 'a value begins with an operator' };
  }
  return { operator, values };
}

function operatorOf(text: string): string | undefined {
  const lower = text.slice(0, 12).toLowerCase();
  return operators.find((operator) => lower.startsWith(operator));
}

/** Without regard to case. */
function splitAt(text: string, operator: string): readonly string[] {
  const parts: string[] = [];
  // Lower case that is as long as the text, so that indexes fit.
  const lower = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  let start = 0;
  for (let at = lower.indexOf(operator); at !== -1; at = lower.indexOf(operator, start)) {
    parts.push(text.slice(start, at));
    start = at + operator.length;
  }
  return [...parts, text.slice(start)];
}

function checkSize({ operator, values }: HintExpression): readonly Omit<Issue, 'path'>[] {
  if (!['', '=', '==', '!=', '<', '<=', '>', '>='].includes(operator)) {
    return [{ rule: hintOperator, message: `${operator} cannot compare sizes` }];
  }
  if (!values.every((value) => /^[0-9]{1,9}$/.test(value) && Number(value) > 0)) {
    return [{ rule: hintExpression, message: 'the size is not a positive whole number of GiB' }];
  }
  return operator === '' || operator === '==' ? [{ rule: hintExactSize }] : [];
}

function checkText(name: HintName, { operator, values }: HintExpression): readonly Omit<Issue, 'path'>[] {
  if (operator === '<all-in>' || operator === '<range-in>') {
    return [{ rule: hintOperator, message: `the agent cannot apply ${operator} to a disk` }];
  }
  if (operator !== '' && !operator.startsWith('s') && operator !== '<in>' && operator !== '<or>') {
    return [{ rule: hintOperator, message: `${operator} compares numbers, but ${name} is text` }];
  }
  if (operator === '<in>') return [];
  const problem = values.map((value) => textProblem(name, value)).find((text) => text !== undefined);
  return problem === undefined ? [] : [{ rule: hintValue, message: problem }];
}

function textProblem(name: HintName, value: string): string | undefined {
  if (name === 'name') return nameProblem(value);
  if (name === 'by_path' && !value.startsWith(byPathFolder)) {
    return `the path does not begin with ${byPathFolder}`;
  }
  if (name === 'hctl' && !/^\d+:\d+:\d+:\d+$/.test(value))
    return 'this is not a SCSI address such as 0:0:0:0';
  return undefined;
}

function nameProblem(value: string): string | undefined {
  if (value.startsWith('/dev/disk/'))
    return 'names are compared without looking at links: give by_path instead';
  return /^\/dev\/[^/]+$/.test(value) ? undefined : 'the name of a disk is a path such as /dev/sda';
}

/** The hints of a BareMetalHost, under the names of its resource definition. */
type Metal3Hints = Readonly<Record<string, string | number | boolean>>;

const hintNotInMetal3: Rule = {
  id: 'hint-not-in-metal3',
  severity: 'error',
  message: 'a BareMetalHost cannot say this hint',
  hint: 'it knows equality of deviceName, hctl, serialNumber and wwn, a part of model and vendor, a least size, and rotational',
};

/** Where each hint goes, and by which operators the operator of Metal3 compares it. */
const metal3Fields: Partial<
  Record<HintName, { readonly field: string; readonly operators: readonly string[] }>
> = {
  name: { field: 'deviceName', operators: ['', 's=='] },
  by_path: { field: 'deviceName', operators: ['', 's=='] },
  hctl: { field: 'hctl', operators: ['', 's=='] },
  model: { field: 'model', operators: ['<in>'] },
  vendor: { field: 'vendor', operators: ['<in>'] },
  serial: { field: 'serialNumber', operators: ['', 's=='] },
  size: { field: 'minSizeGigabytes', operators: ['>=', '='] },
  wwn: { field: 'wwn', operators: ['', 's=='] },
  wwn_with_extension: { field: 'wwnWithExtension', operators: ['', 's=='] },
  wwn_vendor_extension: { field: 'wwnVendorExtension', operators: ['', 's=='] },
};

/** Valid hints as Metal3 has them. What it cannot say is an issue; paths begin with Ironic's name. */
export function toMetal3Hints(rootDevice: RootDevice): {
  readonly hints: Metal3Hints;
  readonly issues: readonly Issue[];
} {
  const hints: Record<string, string | number | boolean> = {};
  const issues: Issue[] = [];
  for (const [name, hint] of Object.entries(rootDevice)) {
    const field = isHintName(name) ? metal3Fields[name] : undefined;
    const parsed = typeof hint === 'string' ? parseHintExpression(hint) : undefined;
    if (typeof hint === 'boolean') hints[name] = hint;
    else if (field === undefined || parsed === undefined || 'problem' in parsed) {
      issues.push({ rule: hintNotInMetal3, path: [name] });
    } else if (!field.operators.includes(parsed.operator)) {
      issues.push({ ...otherOperator(field.operators), path: [name] });
    } else if (Object.hasOwn(hints, field.field)) issues.push({ rule: hintTwice, path: [name] });
    else hints[field.field] = name === 'size' ? Number(parsed.values[0]) : (parsed.values[0] ?? '');
  }
  return { hints, issues };
}

function otherOperator(allowed: readonly string[]): Omit<Issue, 'path'> {
  const operator = allowed.find((text) => text !== '') ?? '';
  return { rule: hintNotInMetal3, hint: `Metal3 compares it by ${operator} only: write "${operator} VALUE"` };
}

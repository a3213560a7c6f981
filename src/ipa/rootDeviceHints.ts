/**
 * Root device hints select the disk that `install_coreos` writes to. They are stored with the names and operators of
 * Ironic (ironic-python-agent `device_hints.py`, oslo.utils `specs_matcher`). Equivalent names of Metal3 are read, too,
 * and hints can be written in the format of Metal3.
 *
 * Rejected, although Ironic accepts them: expressions that make the agent fail or that no disk can match, such as numbers
 * compared with text, and `<all-in>` and `<range-in>`, which the agent cannot apply to disks.
 */

import type { Finding } from '../core/finding.ts';
import { append } from '../core/lists.ts';
import { errorRule, type Rule } from '../core/rule.ts';
import { cutText } from '../formats/goText.ts';

export type HintName = keyof typeof table;

interface Hint {
  readonly type: 'text' | 'number' | 'boolean';
  /** With the operator that Metal3 applies to the value of its field, and others with the same meaning. */
  readonly metal3?: readonly [field: string, operator: string, ...same: string[]];
}

const table = {
  name: { type: 'text', metal3: ['deviceName', 's==', ''] },
  by_path: { type: 'text', metal3: ['deviceName', 's==', ''] },
  hctl: { type: 'text', metal3: ['hctl', 's==', ''] },
  model: { type: 'text', metal3: ['model', '<in>'] },
  vendor: { type: 'text', metal3: ['vendor', '<in>'] },
  serial: { type: 'text', metal3: ['serialNumber', 's==', ''] },
  size: { type: 'number', metal3: ['minSizeGigabytes', '>=', '='] },
  wwn: { type: 'text', metal3: ['wwn', 's==', ''] },
  wwn_with_extension: { type: 'text', metal3: ['wwnWithExtension', 's==', ''] },
  wwn_vendor_extension: { type: 'text', metal3: ['wwnVendorExtension', 's==', ''] },
  rotational: { type: 'boolean' },
  tran: { type: 'text' },
} as const satisfies Readonly<Record<string, Hint>>;

const hintTable: Readonly<Record<HintName, Hint>> = table;

/** Expressions such as `>= 100` or `s== /dev/sda`; `rotational` is a boolean. `size` is in GiB. */
export type RootDevice = Readonly<Partial<Record<HintName, string | boolean>>>;

const hintUnknown = errorRule(
  'hint-unknown',
  'unknown root device hint',
  `use NAME=VALUE or NAME="OPERATOR VALUE", such as size=">= 100"; names: ${Object.keys(table).join(', ')}`,
);
const hintTwice = errorRule(
  'hint-twice',
  'duplicate root device hint',
  'use it once; join alternatives with <or>: "<or> A <or> B"',
);
const hintType = errorRule(
  'hint-type',
  'invalid type of value',
  'use text; for size a number of GiB, for rotational true or false',
);
const hintExpression = errorRule('hint-expression', 'invalid expression', 'use VALUE or OPERATOR VALUE');
const hintOperator = errorRule(
  'hint-operator',
  'unsupported operator for this hint',
  'use s==, s!=, <in> or <or> for text, and ==, !=, <, <=, > or >= for size',
);
const hintValue = errorRule(
  'hint-value',
  'no disk can have this value',
  'use a value from the inspection data of the node',
);

const BY_PATH_FOLDER = '/dev/disk/by-path/';

/** Splits the `NAME=EXPRESSION` of an option at the first equals sign. */
export function splitHint(text: string): readonly [name: string, expression: string] {
  const [name, expression] = cutText(text, '=');
  return [name.trim(), expression];
}

/** Reads hints with the names of Ironic or Metal3. Paths of issues end with the given name. */
export function readRootDevice(entries: Iterable<readonly [name: string, value: unknown]>) {
  const rootDevice: Partial<Record<HintName, string | boolean>> = {};
  const issues: Finding[] = [];
  for (const [given, value] of entries) {
    const { name, expression } = translateName(given, value);
    if (!isHintName(name))
      issues.push({
        ...hintUnknown,
        path: ['rootDevice', given],
        hint: meantHint(given, value) ?? hintUnknown.hint,
      });
    else if (Object.hasOwn(rootDevice, name)) issues.push({ ...hintTwice, path: ['rootDevice', given] });
    else {
      const read = readHint(name, expression);
      append(
        issues,
        read.issues.map((issue) => ({ ...issue, path: ['rootDevice', given] })),
      );
      rootDevice[name] = read.hint;
    }
  }
  return { rootDevice, issues };
}

/** The option for a path of a device, and for an operator without an equals sign before it; undefined for others. */
function meantHint(given: string, value: unknown): string | undefined {
  if (given.startsWith(BY_PATH_FOLDER)) return `use by_path=${given}`;
  if (given.startsWith('/dev/')) return `use name=${given}`;
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = value === '' ? given : `${given}=${value}`;
  const [, name = '', operator = '', operand = ''] = /^(\w+)\s*([<>!]=?)\s*([0-9]+)$/.exec(text) ?? [];
  return isHintName(name) ? `use ${name}="${operator} ${operand}"` : undefined;
}

function translateName(given: string, value: unknown) {
  const name = Object.keys(table)
    .filter(isHintName)
    .find((one) => one !== given && hintTable[one].metal3?.[0] === given);
  if (name === undefined || !['string', 'number'].includes(typeof value)) {
    return { name: given, expression: value };
  }
  const text = String(value).trim();
  const isByPath = name === 'name' && text.startsWith(BY_PATH_FOLDER);
  // An empty value stays empty, so that it is rejected as empty.
  return { name: isByPath ? 'by_path' : name, expression: text && `${hintTable[name].metal3?.[1]} ${text}` };
}

export function isHintName(name: string): name is HintName {
  return Object.hasOwn(table, name);
}

interface HintRead {
  readonly hint: string | boolean;
  readonly issues: readonly Rule[];
}

function readHint(name: HintName, value: unknown): HintRead {
  const { type } = hintTable[name];
  if (type === 'boolean') return readBoolean(value);
  const isExpectedType = typeof value === 'string' || (type === 'number' && typeof value === 'number');
  if (!isExpectedType) return { hint: '', issues: [hintType] };
  const hint = String(value).trim();
  const parsed = parseHintExpression(hint);
  if ('problem' in parsed) return { hint, issues: [{ ...hintExpression, message: parsed.problem }] };
  return { hint, issues: type === 'number' ? checkSize(parsed) : checkText(name, parsed) };
}

/** Like oslo's `bool_from_string` in strict mode. */
function readBoolean(value: unknown): HintRead {
  if (typeof value === 'boolean') return { hint: value, issues: [] };
  const text = typeof value === 'string' ? value.trim().toLowerCase() : '';
  if (['1', 't', 'true', 'on', 'y', 'yes'].includes(text)) return { hint: true, issues: [] };
  const issues = ['0', 'f', 'false', 'off', 'n', 'no'].includes(text) ? [] : [hintType];
  return { hint: false, issues };
}

interface HintExpression {
  /** Empty without operator, which means equal. */
  readonly operator: string;
  /** Several values only with `<or>`. */
  readonly values: readonly string[];
}

/** In the order in which the agent tries them. */
const operators = '<or> <all-in> <range-in> == = != <in> >= <= > < s== s!= s<= s< s>= s>'.split(' ');

/** Parses an expression like the agent: operators may be in upper case, and need no blank after them. */
export function parseHintExpression(text: string): HintExpression | { readonly problem: string } {
  const trimmed = text.trim();
  if (trimmed === '') return { problem: 'the value is empty' };
  const operator = operatorOf(trimmed);
  if (operator === undefined) return { operator: '', values: [trimmed] };
  const values = trimmed
    .split(new RegExp(operator, 'i')) // operators have no special characters
    .slice(1)
    .map((value) => value.trim());
  if (values.includes('')) return { problem: `a value is missing after ${operator}` };
  if (values.length > 1 && operator !== '<or>') return { problem: `${operator} is used more than once` };
  if (values.some((value) => operatorOf(value) !== undefined)) {
    return { problem: 'a value begins with an operator' };
  }
  return { operator, values };
}

function operatorOf(text: string): string | undefined {
  const lower = text.slice(0, 12).toLowerCase();
  return operators.find((operator) => lower.startsWith(operator));
}

function checkSize({ operator, values }: HintExpression): readonly Rule[] {
  if (!['', '=', '==', '!=', '<', '<=', '>', '>='].includes(operator)) {
    return [{ ...hintOperator, message: `${operator} cannot compare sizes` }];
  }
  if (!values.every((value) => /^[0-9]{1,9}$/.test(value) && Number(value) > 0)) {
    return [
      {
        ...hintExpression,
        message: 'the size is not a positive whole number of GiB',
        hint: 'use a number of GiB, such as size=">= 100"',
      },
    ];
  }
  return [];
}

function checkText(name: HintName, { operator, values }: HintExpression): readonly Rule[] {
  if (operator === '<all-in>' || operator === '<range-in>') {
    return [{ ...hintOperator, message: `the agent cannot apply ${operator} to a disk` }];
  }
  if (operator !== '' && !operator.startsWith('s') && operator !== '<in>' && operator !== '<or>') {
    return [{ ...hintOperator, message: `${operator} compares numbers, but ${name} is text` }];
  }
  if (operator === '<in>') return [];
  const problem = values.map((value) => textProblem(name, value)).find((text) => text !== undefined);
  return problem === undefined ? [] : [{ ...hintValue, message: problem }];
}

function textProblem(name: HintName, value: string): string | undefined {
  if (name === 'name') return nameProblem(value);
  if (name === 'by_path' && !value.startsWith(BY_PATH_FOLDER)) {
    return `the path does not begin with ${BY_PATH_FOLDER}`;
  }
  if (name === 'by_path' && /-part\d+$/.test(value)) return PARTITION_PROBLEM;
  if (name === 'hctl' && !/^\d+:\d+:\d+:\d+$/.test(value)) return 'invalid SCSI address; the form is 0:0:0:0';
  const [, digits] = name.startsWith('wwn') ? (/^(?:naa\.)?((?:[0-9a-f]{16}){1,2})$/i.exec(value) ?? []) : [];
  return digits === undefined ? undefined : `the agent reports this WWN as 0x${digits.toLowerCase()}`;
}

/** By its path. Of Xen (`xvda1`), a whole disk may have the name of a partition. */
export function isPartition(device: string): boolean {
  const name = /^\/dev\/(?:(?:[shv]d[a-z]+|dasd[a-z]+)\d+|(?:nvme\d+n|mmcblk|md|nbd|loop)\d+p\d+)$/;
  return name.test(device) || /^\/dev\/disk\/by-(?:part(?:label|uuid)\/.|.+-part\d+$)/.test(device);
}

/** `list_block_devices` of the agent lists whole disks only. */
const PARTITION_PROBLEM = 'it is a partition, not a disk';

function nameProblem(value: string): string | undefined {
  if (value.startsWith('/dev/disk/')) return 'links are not resolved: use by_path instead';
  if (isPartition(value)) return PARTITION_PROBLEM;
  return /^\/dev\/[^/]+$/.test(value) ? undefined : 'invalid device name; the form is /dev/sda';
}

const hintNotInMetal3 = errorRule(
  'hint-not-in-metal3',
  'a BareMetalHost does not support this hint',
  'use equality of deviceName, hctl, serialNumber or wwn, a part of model or vendor, a minimum size, or rotational',
);

/**
 * Converts valid hints to those of a BareMetalHost, with the names of its resource definition. Unsupported hints are issues;
 * paths end with the name of Ironic.
 */
export function toMetal3Hints(rootDevice: RootDevice) {
  const hints: Record<string, string | number | boolean> = {};
  const issues: Finding[] = [];
  for (const [name, hint] of Object.entries(rootDevice)) {
    const [field, ...allowed]: readonly string[] = (isHintName(name) && hintTable[name].metal3) || [];
    const parsed = typeof hint === 'string' ? parseHintExpression(hint) : undefined;
    if (typeof hint === 'boolean') hints[name] = hint;
    else if (field === undefined || parsed === undefined || 'problem' in parsed) {
      issues.push({ ...hintNotInMetal3, path: ['rootDevice', name] });
    } else if (!allowed.includes(parsed.operator)) {
      const fix = `use "${allowed[0]} VALUE": Metal3 supports no other operator for this hint`;
      issues.push({ ...hintNotInMetal3, hint: fix, path: ['rootDevice', name] });
    } else if (Object.hasOwn(hints, field)) issues.push({ ...hintTwice, path: ['rootDevice', name] });
    else hints[field] = name === 'size' ? Number(parsed.values[0]) : (parsed.values[0] ?? '');
  }
  return { hints, issues };
}

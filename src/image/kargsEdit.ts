/**
 * Editing a line of kernel arguments as coreos-installer does it: text is replaced, nothing is parsed. Leaves out quotes,
 * and values with `=` in a replacement, because scripts get other bytes from one program than from the other otherwise.
 */

import { CliError } from '../core/errors.ts';

/** Deletions come first, then what is appended, and then replacements, in whatever order they were given. */
export interface KargsEdits {
  readonly append?: readonly string[] | undefined;
  /** Whole arguments, or several in a row. */
  readonly delete?: readonly string[] | undefined;
  /** `KEY=OLD=NEW` each. */
  readonly replace?: readonly string[] | undefined;
}

export interface EditedKargs {
  readonly kargs: string;
  /** What is likely not to be meant so. Values are not shown: they may be secret. */
  readonly remarks: readonly KargsRemark[];
}

/** A sentence, and what to do about it. */
export interface KargsRemark {
  readonly message: string;
  readonly hint: string;
}

interface Replacement {
  readonly key: string;
  readonly oldValue: string;
  readonly newValue: string;
}

const LINE_BREAK = /[\r\n]/;

/** @throws CliError for a replacement that is not `KEY=OLD=NEW` */
export function editKargs(current: string, edits: KargsEdits): EditedKargs {
  const remarks: KargsRemark[] = [];
  // Every argument has a space on both sides, so that only whole ones are found.
  let line = ` ${current} `;
  for (const argument of edits.delete ?? []) {
    const found = ` ${trimKargs(argument)} `;
    if (!line.includes(found)) remarks.push(remarkMissing('delete', argument, current));
    line = line.replaceAll(found, ' ');
  }
  for (const argument of edits.append ?? []) line += `${trimKargs(argument)} `;
  for (const { key, oldValue, newValue } of (edits.replace ?? []).map(parseReplacement)) {
    const found = ` ${key}=${oldValue} `;
    if (!line.includes(found)) remarks.push(remarkMissing('replace', key, line));
    line = line.replaceAll(found, () => ` ${key}=${newValue} `);
  }
  const kargs = trimKargs(line);
  return { kargs, remarks: [...remarks, ...remarkResult(current, kargs, remarks)] };
}

/** Without white space at both ends, as Rust's `str::trim` has it: a byte order mark stays, U+0085 goes. */
export function trimKargs(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isWhiteSpace(text.charAt(start))) start++;
  while (start < end && isWhiteSpace(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

function isWhiteSpace(character: string): boolean {
  return /\p{White_Space}/u.test(character);
}

function parseReplacement(text: string): Replacement {
  const [key = '', oldValue = '', newValue = '', ...others] = text.split('=');
  if (key !== '' && oldValue !== '' && newValue !== '' && others.length === 0) {
    return { key, oldValue, newValue };
  }
  throw new CliError('Wrong input, format should be: KEY=OLD=NEW', {
    code: 'ERR_SETTING',
    hint: `${nameOf(text)}: delete the argument and append the new one where a value is empty or holds "="`,
  });
}

/** @param line the arguments among which there is no such one */
function remarkMissing(edit: 'delete' | 'replace', argument: string, line: string): KargsRemark {
  const name = nameOf(argument);
  const hasName = line.split(' ').some((word) => nameOf(word) === name);
  return {
    message: `no kernel argument to ${edit} matches: ${name === '' ? '(empty)' : name}`,
    hint: hasName
      ? `${name} has another value, and only the whole argument matches: see \`iso kargs show\``
      : '`iso kargs show` prints the arguments that there are',
  };
}

function remarkResult(before: string, after: string, missing: readonly KargsRemark[]): KargsRemark[] {
  if (LINE_BREAK.test(after) && !LINE_BREAK.test(before)) {
    return [
      {
        message:
          'a line break is among the kernel arguments: the boot loader takes what follows it for a command',
        hint: 'append arguments one by one',
      },
    ];
  }
  if (before !== after || missing.length > 0) return [];
  return [
    {
      message: 'the kernel arguments stay as they are',
      hint: 'name arguments to append, to delete or to replace that make a difference',
    },
  ];
}

/** What stands before the value, which is not for messages. */
function nameOf(argument: string): string {
  return trimKargs(argument.replace(/=[^]*$/, ''));
}

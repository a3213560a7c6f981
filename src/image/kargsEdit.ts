/**
 * Edits a line of kernel arguments like coreos-installer: as text, without parsing. Quotes, and values with `=` in a
 * replacement, are not supported, so that scripts get the same bytes from both programs.
 */

import type { Diagnostic } from '../core/finding.ts';
import { CliError } from '../core/errors.ts';
import { trimSpace } from '../formats/goText.ts';
import { splitArguments } from '../kargs/argument.ts';
import type { KargsAreas } from './kargsAreas.ts';

/** Applied in this order: delete, append, replace. */
export interface KargsEdits {
  readonly append?: readonly string[] | undefined;
  /** Each is a whole argument, or several adjacent arguments. */
  readonly delete?: readonly string[] | undefined;
  /** Each is `KEY=OLD=NEW`. */
  readonly replace?: readonly string[] | undefined;
}

export interface EditedKargs {
  readonly kargs: string;
  /** Warnings for probable mistakes. They contain no values, because a value may be secret. */
  readonly remarks: readonly Diagnostic[];
}

const LINE_BREAK = /[\r\n]/;
const LINE_BREAK_REMARK: Diagnostic = {
  severity: 'warning',
  message:
    'the kernel arguments contain a line break: the boot loader interprets the text after it as a command',
  hint: 'append each argument by itself',
};
const NO_CHANGE: Diagnostic = {
  severity: 'warning',
  message: 'the kernel arguments do not change',
  hint: 'append, delete or replace other arguments',
};

/** @throws CliError for a replacement that is not `KEY=OLD=NEW` */
export function editKargs(current: string, edits: KargsEdits): EditedKargs {
  const remarks: Diagnostic[] = [];
  // Every argument has a space on both sides, so that only whole arguments match.
  let line = ` ${current} `;
  for (const argument of edits.delete ?? []) {
    const found = ` ${trimSpace(argument)} `;
    if (!line.includes(found)) remarks.push(remarkMissing('delete', argument, line));
    line = line.replaceAll(found, ' ');
  }
  for (const argument of edits.append ?? []) line += `${trimSpace(argument)} `;
  for (const [key, oldValue, newValue] of (edits.replace ?? []).map(parseReplacement)) {
    const found = ` ${key}=${oldValue} `;
    if (!line.includes(found)) remarks.push(remarkMissing('replace', key, line));
    line = line.replaceAll(found, () => ` ${key}=${newValue} `);
  }
  const kargs = trimSpace(line);
  if (LINE_BREAK.test(kargs) && !LINE_BREAK.test(current)) remarks.push(LINE_BREAK_REMARK);
  else if (kargs === current && remarks.length === 0) remarks.push(NO_CHANGE);
  return { kargs, remarks };
}

function parseReplacement(text: string): [key: string, oldValue: string, newValue: string] {
  const [key = '', oldValue = '', newValue = '', ...others] = text.split('=');
  const isComplete = key !== '' && oldValue !== '' && newValue !== '' && others.length === 0;
  if (isComplete) return [key, oldValue, newValue];
  throw new CliError('Wrong input, format should be: KEY=OLD=NEW', {
    code: 'ERR_SETTING',
    hint: `delete ${withoutValue(text)} and append it again if a value is empty or contains "="`,
  });
}

/** @param line the arguments that do not contain the argument */
function remarkMissing(edit: 'delete' | 'replace', argument: string, line: string): Diagnostic {
  const name = withoutValue(argument);
  const hasName = line.split(' ').some((word) => withoutValue(word) === name);
  return {
    severity: 'warning',
    message: `no kernel argument to ${edit} matches: ${name === '' ? '(empty)' : name}`,
    hint: hasName
      ? `pass ${name} with its current value; use \`iso kargs show\` to print it`
      : 'use `iso kargs show` to print the current kernel arguments',
  };
}

/**
 * Characters that GRUB interprets outside of quotes; `#` starts a comment at the start of a word. Quotes are left out, because
 * balanced quotes are valid.
 */
const GRUB_SPECIAL = /^#|[$\\;&|<>{}]/;

/** Warns of a new argument that makes the menu of GRUB invalid, or that GRUB changes. GRUB boots with UEFI. */
export function remarkGrub({ current, info }: KargsAreas, kargs: string): Diagnostic[] {
  const usesGrub = info === undefined || info.files.some(({ path }) => /grub/i.test(path));
  const known = new Set(splitArguments(current));
  const argument = splitArguments(kargs).find((word) => !known.has(word) && GRUB_SPECIAL.test(word));
  if (!usesGrub || argument === undefined) return [];
  const character = GRUB_SPECIAL.exec(argument)?.[0];
  return [
    {
      severity: 'warning',
      message: `GRUB cannot boot with the kernel argument ${withoutValue(argument)}, or changes it: ${character} is special in its menu`,
      hint:
        character === '#'
          ? 'remove the argument: GRUB ignores it and all arguments after it'
          : 'use a value without the characters $ \\ ; & | < > { }, for example a URL without a query',
    },
  ];
}

/** The name without the value, because messages must not contain values. */
function withoutValue(argument: string): string {
  return trimSpace(argument.replace(/=[^]*$/, ''));
}

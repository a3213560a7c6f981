/**
 * Checks a line of kernel arguments that is written to the menus of an ISO as it is: GRUB and ISOLINUX read it, and then the
 * kernel. Names of arguments may be in messages, but no values, which may be secret.
 */

import { type Issue, lintError } from '../ignition/rule.ts';
import { argumentName, argumentValue } from './bootSettings.ts';
import { rootfsUrlIssues } from './urlArgument.ts';

const argumentLineRules = {
  quotes: lintError(
    'kernel-argument-quotes',
    'a quote in the kernel arguments is not closed: GRUB cannot read its menu, and the kernel joins the arguments behind it',
    'close the quote, or percent-encode it in a URL: %22, %27',
  ),
  loaderSetting: lintError(
    'kernel-argument-loader-setting',
    'only iPXE replaces ${…} in a URL; GRUB, ISOLINUX and PXELINUX do not know its settings',
    'use the URL of one host; `prepare` writes boot scripts by MAC address for many hosts',
  ),
};

/**
 * Splits arguments like the kernel (next_arg of lib/cmdline.c): white space separates arguments, except between double quotes;
 * single quotes are ordinary characters. The quotes are kept.
 */
function splitArguments(line: string): readonly string[] {
  return line.match(/(?:"[^"]*(?:"|$)|[^\s"])+/g) ?? [];
}

/** Whether the kernel gets a text as one argument: printable ASCII, with single spaces in a value in double quotes: iPXE joins several. */
export function isOneArgument(text: string): boolean {
  return /^(?:[!#-~]*|[\w.-]+="[!#-~]*(?: [!#-~]+)*")$/.test(text);
}

/**
 * Whether all quotes are closed, for the kernel and for GRUB, whose menus are shell scripts: a backslash escapes the next
 * character except in single quotes, and each kind of quotes protects the other.
 */
function isClosed(line: string): boolean {
  const isClosedInGrub = /^(?:[^'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")*$/s.test(line);
  return isClosedInGrub && line.split('"').length % 2 === 1;
}

/**
 * Returns the issues of the arguments that an edit adds.
 * @param before the line before the edit
 */
export function checkArgumentLine(before: string, line: string): readonly Issue[] {
  const known = new Set(splitArguments(before));
  const added = splitArguments(line).filter((text) => !known.has(text));
  const quotes = isClosed(line) || !isClosed(before) ? [] : [{ rule: argumentLineRules.quotes, path: [] }];
  return [...quotes, ...added.flatMap(checkAdded)];
}

function checkAdded(text: string): readonly Issue[] {
  const plain = text.replaceAll('"', '');
  const name = argumentName(plain);
  const value = argumentValue(plain) ?? '';
  const issues =
    value.includes('${') && value.includes('://')
      ? [{ rule: argumentLineRules.loaderSetting, path: [] }]
      : name === 'coreos.live.rootfs_url'
        ? rootfsUrlIssues(value)
        : [];
  return issues.map((issue) => ({ ...issue, message: `${name}: ${issue.message ?? issue.rule.message}` }));
}

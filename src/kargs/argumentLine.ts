/**
 * Checks a line of kernel arguments that is written to the menus of an ISO as it is: GRUB and ISOLINUX read it, and then the
 * kernel. Names of arguments may be in messages, but no values, which may be secret.
 */

import { type Issue, lintError } from '../ignition/rule.ts';
import { checkArgument } from './argumentChecks.ts';
import { isClosed, isOneArgument, splitArguments } from './argumentText.ts';
import { checkLoaderSettings } from './bootForm.ts';
import { argumentName } from './bootSettings.ts';
import { checkArgumentNetwork } from './networkArguments.ts';

export const openQuote = lintError(
  'kernel-argument-quotes',
  'a quote in the kernel arguments is not closed: GRUB cannot read its menu, and the kernel joins the arguments behind it',
  'close the quote, or percent-encode it in a URL: %22, %27',
);

/**
 * Returns the issues of the arguments that an edit adds; those of the network are about all arguments together.
 * @param before the line before the edit
 */
export function checkArgumentLine(before: string, line: string): readonly Issue[] {
  const known = new Set(splitArguments(before));
  const added = splitArguments(line).filter((text) => !known.has(text));
  const quotes = isClosed(line) || !isClosed(before) ? [] : [{ rule: openQuote, path: [] }];
  if (quotes.length > 0 || added.length === 0) return quotes;
  return [
    ...added.flatMap((text) => checkAdded(text).map((issue) => naming(text, issue))),
    ...checkLineNetwork(line),
  ];
}

/** Returns the issues of the network of the arguments. */
export function checkLineNetwork(line: string): readonly Issue[] {
  const placed = splitArguments(line).map((text) => ({ text, path: [text] }));
  return checkArgumentNetwork(placed).map(({ path: [text = ''], ...issue }) => naming(String(text), issue));
}

function checkAdded(text: string): readonly Issue[] {
  const templates = checkLoaderSettings([{ text, path: [] }]);
  if (templates.length > 0) return templates;
  // Other texts reach the kernel as they are, too; nothing of CoreOS and the agent reads them.
  return isOneArgument(text) && argumentName(text) !== '' ? checkArgument(text) : [];
}

/** The message with the name of the argument, and with the value of `ip=`, of which there may be several. */
function naming(text: string, { hint, message, rule }: Omit<Issue, 'path'>): Issue {
  const subject = argumentName(text) === 'ip' ? text : argumentName(text);
  return { rule, path: [], message: `${subject}: ${message ?? rule.message}`, hint };
}

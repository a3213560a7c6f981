/**
 * Checks a line of kernel arguments that is written to the menus of an ISO as it is: GRUB and ISOLINUX read it, and then the
 * kernel. Names of arguments may be in messages, but no values, which may be secret.
 */

import type { Finding } from '../core/finding.ts';
import { lintError } from '../core/rule.ts';
import { isClosed, isOneArgument, type KernelArgument, parseArgument, splitArguments } from './argument.ts';
import { checkArgument } from './argumentChecks.ts';
import { checkLoaderSettings } from './loaders/form.ts';
import { checkArgumentNetwork } from './networkChecks.ts';

export const openQuote = lintError(
  'kernel-argument-quotes',
  'a quote in the kernel arguments is not closed: GRUB cannot read its menu, and the kernel joins the arguments behind it',
  'close the quote, or percent-encode it in a URL: %22, %27',
);

/**
 * Returns the issues of the arguments that an edit adds; those of the network are about all arguments together.
 * @param before the line before the edit
 */
export function checkArgumentLine(before: string, line: string): readonly Finding[] {
  const known = new Set(splitArguments(before));
  const added = parseLine(line).filter(({ text }) => !known.has(text));
  const quotes = isClosed(line) || !isClosed(before) ? [] : [{ ...openQuote, path: [] }];
  if (quotes.length > 0 || added.length === 0) return quotes;
  return [...added.flatMap(checkAdded).map(nameArgument), ...checkLineNetwork(line)];
}

export function checkLineNetwork(line: string): readonly Finding[] {
  return checkArgumentNetwork(parseLine(line)).map(nameArgument);
}

/** The arguments; the path of each is what messages call it: its name, or the whole of `ip=`, of which there may be several. */
function parseLine(line: string): readonly KernelArgument[] {
  return splitArguments(line).map((text) => {
    const { name } = parseArgument(text);
    return parseArgument(text, [name === 'ip' ? text : name]);
  });
}

function checkAdded(argument: KernelArgument): readonly Finding[] {
  const templates = checkLoaderSettings([argument]);
  if (templates.length > 0) return templates;
  // Other texts reach the kernel as they are, too; nothing of CoreOS and the agent reads them.
  return isOneArgument(argument.text) && argument.name !== '' ? checkArgument(argument) : [];
}

function nameArgument(finding: Finding): Finding {
  return { ...finding, path: [], message: `${finding.path[0] ?? ''}: ${finding.message}` };
}

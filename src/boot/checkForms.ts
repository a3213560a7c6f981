/** The check of settings for the loaders that they are written for, and for the kernel of an architecture. */

import type { Architecture } from '../core/architecture.ts';
import type { Issue, Rule } from '../ignition/rule.ts';
import type { BootForm } from './bootForm.ts';
import type { BootSettings, KernelArgument } from './bootSettings.ts';
import { checkArguments, isWellFormed } from './checkArguments.ts';
import { placedArguments } from './kernelArguments.ts';

export const commandLineLength: Rule = {
  id: 'command-line-length',
  severity: 'error',
  message: 'the kernel command line is too long',
  hint: 'shorten the URLs, or move ipa parameters into the configuration file of the agent',
};

/**
 * COMMAND_LINE_SIZE of each kernel, less the final NUL. The kernel drops the rest without a word. On s390x newer
 * kernels take more, but the boot loaders of CoreOS reserve no more than that.
 */
const longestCommandLine: Readonly<Record<Architecture, number>> = {
  x86_64: 2047,
  aarch64: 2047,
  ppc64le: 2047,
  s390x: 895,
};

/**
 * Everything that is wrong or doubtful about `settings` written in each of `forms`. Paths lead into the settings. Of
 * the forms, the one with the longest command line counts for its limit.
 */
export function checkForms(
  settings: BootSettings,
  forms: readonly Pick<BootForm, 'check' | 'added'>[],
  architecture: Architecture,
): readonly Issue[] {
  const placed = placedArguments(settings);
  const wellFormed = placed.filter(({ text }) => isWellFormed(text));
  const lengths = forms.map((form) => lengthOf(placed, form.added(settings)));
  return [
    ...checkArguments(settings, placed),
    ...forms.flatMap((form) => form.check(settings, wellFormed)),
    ...checkLength(Math.max(0, ...lengths), longestCommandLine[architecture]),
  ];
}

function lengthOf(placed: readonly KernelArgument[], added: readonly string[]): number {
  return Buffer.byteLength([...placed.map(({ text }) => text), ...added].join(' '));
}

function checkLength(length: number, longest: number): readonly Issue[] {
  if (length <= longest) return [];
  const message = `the kernel command line is too long: ${length} > ${longest} bytes`;
  return [{ rule: commandLineLength, path: [], message }];
}

/** The forms in which kernel arguments are written, by name, and the check of settings for one of them. */

import { findingOf, type Issue, type Rule } from '../ignition/rule.ts';
import type { Finding } from '../report.ts';
import type { BootForm } from './bootForm.ts';
import type { BootSettings, KernelArgument } from './bootSettings.ts';
import { checkArguments, isWellFormed } from './checkArguments.ts';
import { grub } from './grub.ts';
import { ipxe } from './ipxe.ts';
import { ironic } from './ironicConf.ts';
import { placedArguments } from './kernelArguments.ts';
import { json, plain } from './plain.ts';
import { pxelinux } from './pxelinux.ts';

export const bootForms = { plain, ironic, ipxe, grub, pxelinux, json } satisfies Record<string, BootForm>;

export type BootFormName = keyof typeof bootForms;

export const bootFormNames = [
  'plain',
  'ironic',
  'ipxe',
  'grub',
  'pxelinux',
  'json',
] as const satisfies BootFormName[];

export const commandLineLength: Rule = {
  id: 'command-line-length',
  severity: 'error',
  message: 'the kernel command line is too long',
  hint: 'shorten the URLs, or move ipa parameters into the configuration file of the agent',
};

/** COMMAND_LINE_SIZE of x86_64, aarch64 and ppc64le, less the final NUL. The kernel drops the rest without a word. */
const maxCommandLine = 2047;

/** Everything that is wrong or doubtful about `settings` written as `form`. Paths lead into the settings. */
export function checkBoot(settings: BootSettings, form: BootForm): readonly Finding[] {
  const placed = placedArguments(settings);
  return [
    ...checkArguments(settings, placed),
    ...form.check(
      settings,
      placed.filter(({ text }) => isWellFormed(text)),
    ),
    ...checkLength(placed, form.added(settings)),
  ].map(findingOf);
}

function checkLength(placed: readonly KernelArgument[], added: readonly string[]): readonly Issue[] {
  const length = Buffer.byteLength([...placed.map(({ text }) => text), ...added].join(' '));
  if (length <= maxCommandLine) return [];
  const message = `the kernel command line is too long: ${length} > ${maxCommandLine} bytes`;
  return [{ rule: commandLineLength, path: [], message }];
}

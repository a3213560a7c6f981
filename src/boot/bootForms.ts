/** The forms in which kernel arguments are written, by name, and the check of settings for one of them. */

import { findingOf } from '../ignition/rule.ts';
import type { Finding } from '../core/finding.ts';
import type { BootForm } from './bootForm.ts';
import type { BootSettings } from './bootSettings.ts';
import { checkForms } from './checkForms.ts';
import { grub } from './grub.ts';
import { ipxe } from './ipxe.ts';
import { ironic } from './ironicConf.ts';
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

/** Everything that is wrong or doubtful about `settings` written as `form`. Paths lead into the settings. */
export function checkBoot(settings: BootSettings, form: BootForm): readonly Finding[] {
  return checkForms(settings, [form], 'x86_64').map(findingOf);
}

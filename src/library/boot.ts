/** `ironic-coreos/boot`: kernel arguments and boot scripts. */

import type { Finding } from '../core/finding.ts';
import { type BootFormName, bootForms } from '../kargs/bootForms.ts';
import type { BootSettings } from '../kargs/bootSettings.ts';
import { checkBoot as checkForm } from '../kargs/checkBoot.ts';

export type { Position } from '../core/errors.ts';
export type { Finding, Path, Severity } from '../core/finding.ts';
export { bootFormNames, type BootFormName } from '../kargs/bootForms.ts';
export type { BootSettings } from '../kargs/bootSettings.ts';
export { kernelArguments } from '../kargs/kernelArguments.ts';

/** Errors and warnings about the settings; paths refer to them. With an error, the script does not boot a machine. */
export function checkBoot(settings: BootSettings, form: BootFormName): readonly Finding[] {
  return checkForm(settings, bootForms[form]);
}

/** The kernel arguments in a form: a boot script, an option of ironic.conf, JSON, or one line. */
export function bootScript(settings: BootSettings, form: BootFormName): string {
  return bootForms[form].render(settings);
}

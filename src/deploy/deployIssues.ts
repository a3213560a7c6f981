/**
 * Telling what is wrong with the settings of a `deploy` command, on standard error: by the option that it is about, or by
 * the place in an inventory that stands for the option.
 */

import type { Issue } from '../ignition/rule.ts';
import type { ExitCode, Io } from '../io/io.ts';
import { report, withoutRepeats } from '../io/report/report.ts';
import type { Path } from '../core/finding.ts';

/** By the first step of an issue's path. */
const flags: ReadonlyMap<string, string> = new Map([
  ['name', '--name'],
  ['namespace', '--namespace'],
  ['bootMac', '--boot-mac'],
  ['bmc', '--bmc-address'],
  ['bmcCredentials', '--bmc-credentials-name'],
  ['rootDevice', '--root-device'],
  ['kernelArguments', '--append-karg'],
  ['copyNetwork', '--copy-network'],
  ['config', '--ignition'],
  ['userData', '--user-data-name'],
  ['image', '--image-source'],
  ['bootMode', '--boot-mode'],
  ['networkData', '--network-data'],
  ['iso', '--deploy-iso'],
  ['kernel', '--deploy-kernel'],
  ['ramdisk', '--deploy-ramdisk'],
  ['arguments', '--kernel-append-params'],
  ['node', '--node'],
]);

const imageFlags: ReadonlyMap<unknown, string> = new Map([
  ['checksum', '--image-checksum'],
  ['format', '--image-format'],
]);

/** How the user says what an option would say. */
export interface Wording {
  /** Where its value stands, or of what is repeatable one of its values. */
  readonly place: (flag: string, detail?: string | number) => string;
  /** A sentence that names flags. */
  readonly reword: (text: string) => string;
}

export const wordingOfFlags: Wording = { place: (flag) => flag, reword: (text) => text };

/** Tells all issues, each once; answers with 1 where one is an error. */
export function tellIssues(issues: readonly Issue[], io: Io, wording: Wording = wordingOfFlags): ExitCode {
  const { reword } = wording;
  const diagnostics = issues.map(({ rule, path, message = rule.message, hint = rule.hint }) => ({
    severity: rule.severity,
    message: `${subjectOf(path, wording)}${reword(message)}`,
    hint: hint && reword(hint),
  }));
  report(io, ...withoutRepeats(diagnostics));
  return issues.some(({ rule }) => rule.severity === 'error') ? 1 : 0;
}

/** Of what may repeat, the name of a hint or the place of an argument; never a value, which may be secret. */
function subjectOf([setting, detail]: Path, { place }: Wording): string {
  if (setting === 'image') return `${place(imageFlags.get(detail) ?? '--image-source')}: `;
  const flag = flags.get(String(setting));
  if (flag === undefined) return '';
  if (typeof detail === 'number') return `${place(flag, detail)} (number ${detail + 1}): `;
  const isNamed = setting === 'rootDevice' && detail !== undefined;
  return isNamed ? `${place(flag, detail)} ${detail}: ` : `${place(flag)}: `;
}

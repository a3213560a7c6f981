/** Telling what is wrong with the settings of a `deploy` command: by the option that it is about, on standard error. */

import type { Issue } from '../../ignition/rule.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { formatRemark } from '../../reporters/remark.ts';
import type { Path } from '../../report.ts';

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

/** Tells all issues, each once; answers with 1 where one is an error. */
export function tellIssues(issues: readonly Issue[], io: Io): ExitCode {
  const texts = issues.map(({ rule, path, message = rule.message, hint = rule.hint }) =>
    formatRemark({ severity: rule.severity, message: `${subjectOf(path)}${message}`, hint }),
  );
  io.stderr.write([...new Set(texts)].join(''));
  return issues.some(({ rule }) => rule.severity === 'error') ? 1 : 0;
}

/** Of what may repeat, the name of a hint or the place of an argument; never a value, which may be secret. */
function subjectOf([setting, detail]: Path): string {
  if (setting === 'image') return `${imageFlags.get(detail) ?? '--image-source'}: `;
  const flag = flags.get(String(setting));
  if (flag === undefined) return '';
  if (typeof detail === 'number') return `${flag} (number ${detail + 1}): `;
  return setting === 'rootDevice' && detail !== undefined ? `${flag} ${detail}: ` : `${flag}: `;
}

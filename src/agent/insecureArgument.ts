/**
 * The kernel argument `ipa-insecure`, with which ironic-image and Bifrost boot their machines. It sets only the default of the
 * agent's option `insecure`: a line in a conf takes precedence (config.py of ironic-python-agent).
 */

import type { Finding } from '../core/finding.ts';
import type { KernelArgument } from '../kargs/argument.ts';
import type { Config } from '../ignition/config.ts';
import { lintWarning } from '../core/rule.ts';
import { parseOsloBoolean } from '../ipa/confValues.ts';
import { hasHttpsUrl } from './ironicUrl.ts';
import { confValues, readContents, readSubject } from './lint/subject.ts';

export const insecureArgument = lintWarning(
  'ipa-insecure',
  'ipa-insecure=1 in the kernel arguments turns the verification of certificates off, because no conf sets "insecure"',
  'remove ipa-insecure=1, or add "insecure = False" to the conf, as profile default does',
);

/** A finding if `ipa-insecure=1` turns off the verification of the agent of a config. @param kernelArguments others are ignored */
export function checkInsecureArgument(kernelArguments: readonly KernelArgument[], config: Config): Finding[] {
  const last = kernelArguments.findLast(({ name, value }) => name === 'ipa-insecure' && value !== undefined);
  if (parseOsloBoolean(last?.value ?? '') !== true) return [];
  const subject = readSubject(config);
  // What Ignition fetches is unknown.
  if (subject.confs.some(({ file }) => readContents(file.contents) === undefined)) return [];
  if (subject.confs.length === 0 || confValues(subject, 'insecure').length > 0) return [];
  const isVerified =
    confValues(subject, 'cafile').some((path) => path !== '') ||
    [...confValues(subject, 'api_url'), ...confValues(subject, 'inspection_callback_url')].some(
      hasHttpsUrl,
    ) ||
    kernelArguments.some(({ name, value = '' }) => urlArguments.has(name) && hasHttpsUrl(value));
  return isVerified ? [{ ...insecureArgument, path: [] }] : [];
}

/** The arguments with URLs of Ironic, for which the conf may have no line. */
const urlArguments: ReadonlySet<string> = new Set(['ipa-api-url', 'ipa-inspection-callback-url']);

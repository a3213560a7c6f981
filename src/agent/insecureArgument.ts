/**
 * The kernel argument `ipa-insecure`, with which ironic-image and Bifrost boot their machines. It sets only the default of the
 * agent's option `insecure`: a line in a conf takes precedence (config.py of ironic-python-agent).
 */

import type { Finding } from '../core/finding.ts';
import type { KernelArgument } from '../kargs/argument.ts';
import type { Config } from '../ignition/config.ts';
import { lintNote, lintWarning } from '../core/rule.ts';
import { parseOsloBoolean } from '../ipa/confValues.ts';
import { hasHttpsUrl } from './ironicUrl.ts';
import { confValues, readContents, readFiles } from './lint/subject.ts';

export const insecureArgumentRules = {
  turnsOff: lintWarning(
    'ipa-insecure',
    'ipa-insecure=1 in the kernel arguments turns the verification of certificates off, because no conf sets "insecure"',
    'remove ipa-insecure=1, or add "insecure = False" to the conf, as profile default does',
  ),
  onlyDefault: lintNote(
    'ipa-insecure-default',
    'ipa-insecure=1 in the kernel arguments has an effect only if no conf sets "insecure"; profile default always sets it',
    'remove ipa-insecure=1, and use `render --insecure` to turn the verification of certificates off',
  ),
};

/**
 * What `ipa-insecure=1` means for the agent of a config. No issue if there is nothing to verify, or if the conf itself turns
 * verification off.
 * @param kernelArguments other arguments are ignored
 * @param config undefined if the config is unknown
 */
export function checkInsecureArgument(
  kernelArguments: readonly KernelArgument[],
  config?: Config,
): Finding[] {
  const last = kernelArguments.findLast(({ name, value }) => name === 'ipa-insecure' && value !== undefined);
  if (parseOsloBoolean(last?.value ?? '') !== true) return [];
  const onlyDefault = [{ ...insecureArgumentRules.onlyDefault, path: [] }];
  if (config === undefined) return onlyDefault;
  const files = readFiles(config);
  const stated = confValues(files, 'insecure').map(parseOsloBoolean);
  if (stated.length > 0) return stated.includes(true) ? [] : onlyDefault;
  // What Ignition fetches is unknown.
  if (files.confs.length === 0 || files.confs.some(({ file }) => readContents(file.contents) === undefined)) {
    return onlyDefault;
  }
  const isVerified =
    confValues(files, 'cafile').some((path) => path !== '') ||
    [...confValues(files, 'api_url'), ...confValues(files, 'inspection_callback_url')].some(hasHttpsUrl) ||
    kernelArguments.some(({ name, value = '' }) => urlArguments.has(name) && hasHttpsUrl(value));
  return isVerified ? [{ ...insecureArgumentRules.turnsOff, path: [] }] : [];
}

/** The arguments with URLs of Ironic, for which the conf may have no line. */
const urlArguments: ReadonlySet<string> = new Set(['ipa-api-url', 'ipa-inspection-callback-url']);

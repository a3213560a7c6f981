/** `ironic-coreos/ignition`: functions of Ignition configs. They use no files, no network and no output. */

import { lintConfig as listIssues } from '../agent/lint/lintConfig.ts';
import type { HostLintOptions } from '../agent/lint/lintRule.ts';
import { FormatError } from '../core/errors.ts';
import type { Finding, Report } from '../core/finding.ts';
import type { Config } from '../ignition/config.ts';
import { readEffectiveConfig } from '../ignition/effectiveConfig.ts';
import { validateConfig as validateBytes } from '../ignition/validate.ts';
import { type IpaVersion, parseIpaVersion } from '../ipa/ipaOptions.ts';
import { bytesOf } from './content.ts';

export { compareConfigs, describeConfig } from '../agent/configLines.ts';
export type { ConfigPart, PartChange } from '../agent/configLines.ts';
export { CliError, FormatError, UsageError, type ErrorCode } from '../core/errors.ts';
export { formatPath } from '../core/finding.ts';
export type { Position } from '../core/errors.ts';
export type { Finding, Path, Report, Severity } from '../core/finding.ts';
export type { Config } from '../ignition/config.ts';
export { formatIgnition } from '../ignition/ignitionText.ts';
export { mergeConfigs } from '../ignition/merge.ts';
export { translateConfig, type Translation } from '../ignition/translate.ts';
export { specVersions, type SpecVersion } from '../ignition/versions.ts';

/** What ignition-validate reports about a config, with positions in its text. */
export function validateConfig(config: string | Uint8Array): Report {
  return validateBytes(bytesOf(config, 'config'));
}

/**
 * The config, merged with the configs that it inlines.
 * @throws FormatError if it is not an Ignition config that can be read
 */
export function readConfig(config: string | Uint8Array): Config {
  const read = readEffectiveConfig(bytesOf(config, 'config'));
  if (read.status === 'read') return read.config;
  const { hint, message, position, rule } = read.finding;
  throw new FormatError(message, { hint, rule, ...(position && { position }) });
}

export interface ConfigLintOptions extends Partial<HostLintOptions> {
  /** The release of ironic-python-agent, e.g. `11.2.0` (default: the newest one). */
  readonly ipaVersion?: string;
}

/**
 * What Ignition accepts, but what stops the agent or a part of the system.
 * @throws UsageError if `ipaVersion` is not a release
 */
export function lintConfig(config: Config, options: ConfigLintOptions = {}): Finding[] {
  const { ipaVersion, now = new Date(), ...others } = options;
  const release: IpaVersion | undefined = ipaVersion === undefined ? undefined : parseIpaVersion(ipaVersion);
  return listIssues(config, { ...others, now, ...(release && { ipaVersion: release }) });
}

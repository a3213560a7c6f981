/** The message of `--verbose` about a checked Ignition config: its version, and whether lint rules were applied. */

import { isAgentConfig } from '../../agent/lint/lintConfig.ts';
import { readEffectiveConfig } from '../../ignition/effectiveConfig.ts';
import type { CheckOptions } from './checkConfig.ts';

/** @param name of the document, for messages */
export function describeCheckedConfig(
  name: string,
  bytes: Uint8Array,
  { ipaVersion, lint }: Pick<CheckOptions, 'ipaVersion' | 'lint'>,
): string {
  const read = readEffectiveConfig(bytes);
  if (read.status !== 'read') return `${name}: not a readable Ignition config; no further checks`;
  const checked = `${name}: checked as Ignition ${read.version} (its ignition.version)`;
  if (lint === 'none') return `${checked}; no lint rules: --lint none`;
  const isAgent = isAgentConfig(read.config);
  if (!isAgent && lint === 'auto') return `${checked}; no lint rules: no unit runs the agent`;
  const release = ipaVersion === undefined ? 'the newest release' : 'the release of --ipa-version';
  const reason = isAgent ? 'a unit runs the agent' : `--lint ${lint}`;
  return `${checked}; if valid, lint rules for ${release} of ironic-python-agent: ${reason}`;
}

/** What `--verbose` says of an Ignition config that was checked: by which version, and whether further than Ignition. */

import { isAgentConfig } from '../../agent/lint/lintConfig.ts';
import { readEffectiveConfig } from '../../ignition/effectiveConfig.ts';
import type { CheckOptions } from './checkConfig.ts';

/** @param name as the user knows the document */
export function describeCheckedConfig(
  name: string,
  bytes: Uint8Array,
  { ipaVersion, lint }: Pick<CheckOptions, 'ipaVersion' | 'lint'>,
): string {
  const read = readEffectiveConfig(bytes);
  if (read.status !== 'read')
    return `${name}: not understood as an Ignition config, so not looked at further`;
  const checked = `${name}: checked as Ignition ${read.version}, which its ignition.version names`;
  if (lint === 'none') return `${checked}; not as a config that runs the agent: --lint none`;
  const isAgent = isAgentConfig(read.config);
  if (!isAgent && lint === 'auto') return `${checked}; no unit in it runs the agent`;
  const release = ipaVersion === undefined ? 'the newest release' : 'the release that --ipa-version names';
  const reason = isAgent ? 'a unit in it runs the agent' : `--lint ${lint}`;
  return `${checked}; if it is valid, for ${release} of ironic-python-agent, too: ${reason}`;
}

/** What a rendered config would change where another one is deployed. */

import { compareConfigs, type SettingChange } from '../agent/deployed/describeConfig.ts';
import { CliError } from '../core/errors.ts';
import type { Config } from '../ignition/config.ts';
import { readEffectiveConfig } from '../ignition/effectiveConfig.ts';
import type { RenderedConfig } from '../hosts/settings/renderConfig.ts';

/** By setting; throws CliError where the rendered document cannot be read. */
export function compareRendered(
  deployed: Config,
  rendered: Pick<RenderedConfig, 'document'>,
): readonly SettingChange[] {
  return compareConfigs(deployed, configOf(rendered));
}

/** As a reader of the document would see it, and not as it was before it was written. */
function configOf({ document }: Pick<RenderedConfig, 'document'>): Config {
  const read = readEffectiveConfig(document);
  if (read.status === 'read') return read.config;
  throw new CliError(`the rendered config cannot be read: ${read.finding.message}`);
}

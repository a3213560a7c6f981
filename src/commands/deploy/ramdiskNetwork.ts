/** Whether the network of a ramdisk works with the settings of its agent, as `render` reports it. */

import { CliError, only } from '../../core/errors.ts';
import type { Inputs } from '../../agent/settingInputs.ts';
import type { RenderOptions } from '../../hosts/settings/options.ts';
import { readInputs } from '../../hosts/settings/settings.ts';
import type { Io } from '../../io/io.ts';
import { collectDiagnostics, report } from '../../io/report/report.ts';
import { networkRules } from '../../network/networkRules.ts';
import { createRenderer } from '../../hosts/settings/renderConfig.ts';

/** The settings of the agent in an inventory. */
export interface AgentSource {
  readonly options: RenderOptions;
  /** In order of precedence. */
  readonly files?: readonly Inputs[];
}

/**
 * Reports the findings about the network. Other mistakes in the settings are those of `render`.
 * @param nmstate a file with the network, if it is not in the inventory
 */
export async function reportRamdiskNetwork(
  { files = [], options }: AgentSource,
  nmstate: string | undefined,
  io: Io,
): Promise<void> {
  const { io: silent, reported } = collectDiagnostics(io);
  const source = { files, options: { ...options, nmstate }, io: silent };
  const { inputs } = readInputs(source);
  // Without settings, another program renders the config of the ramdisk.
  const unknown = {
    ...(inputs.has('ironic.apiUrls') ? {} : { apiUrl: 'mdns' }),
    ...(inputs.has('agent.image') || inputs.has('agent.archive') ? {} : { pullPolicy: 'never' }),
  };
  const render = createRenderer();
  await render({ ...source, options: { ...source.options, ...unknown } }).catch(
    only(CliError, () => undefined),
  );
  const rules = new Set(Object.values(networkRules).map(({ rule }) => rule));
  report(
    io,
    reported.filter(({ rule = '' }) => rules.has(rule)),
  );
}

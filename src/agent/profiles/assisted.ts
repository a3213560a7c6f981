/**
 * The agent's part of the discovery config of assisted-service in its converged flow: the agent starts on boot, and starts
 * the agent of assisted-service by D-Bus when Ironic requests the deploy step `start_assisted_install`. Identical to the
 * output of the service: an older unit than in ICC, and a registry that is never verified. Pull secret, keys, certificates
 * and network are in the config of the service, to which `withDiscovery` adds this part.
 */

import type { Config } from '../../ignition/config.ts';
import { mergeConfigs } from '../../ignition/merge.ts';
import { madeOf } from '../../ignition/origins.ts';
import { CONF_PATH } from '../files.ts';
import type { AgentSettings } from '../settings.ts';
import { renderAgentUnit } from '../unit.ts';
import { formatIccConf, ICC_SPEC_VERSION, proxyHoles, renderIccFile } from './icc.ts';

/** The unit of assisted-service's agent, which the deploy step starts. */
export const ASSISTED_UNIT_NAME = 'agent.service';

export function renderAssistedConfig(settings: AgentSettings): Config {
  const unit = renderAgentUnit('assisted', { ...proxyHoles(settings), image: settings.agentImage });
  return {
    ignition: { version: ICC_SPEC_VERSION },
    storage: { files: renderIccFile(CONF_PATH, formatIccConf(settings)) },
    systemd: { units: [unit] },
  };
}

/**
 * The agent's part merged over a discovery config, in which assisted-service's agent no longer starts automatically.
 * Both configs are of version 3.2.0.
 */
export function withDiscovery(part: Config, discovery: Config): Config {
  const units = discovery.systemd?.units?.map((unit) =>
    unit.name === ASSISTED_UNIT_NAME ? madeOf({ ...unit, enabled: false }, unit) : unit,
  );
  const waiting =
    units === undefined ? discovery : { ...discovery, systemd: { ...discovery.systemd, units } };
  return mergeConfigs(waiting, part, ICC_SPEC_VERSION);
}

/**
 * The Ignition config of configure-coreos-ipa, a script in ironic-image from 2021 to 2023, for deployments that still set
 * its environment. Identical to its output: spec 3.0.0, a unit without restart, inspection options that are defaults of
 * the agent's image today, no `insecure` (the kernel arguments of that deployment set it).
 */

import { quotePythonUrl } from '../../formats/pythonText.ts';
import type { Config } from '../../ignition/config.ts';
import { AUTH_FILE_PATH, CONF_PATH, renderPlainPullSecret } from '../files.ts';
import type { AgentSettings } from '../settings.ts';
import { renderAgentUnit } from '../unit.ts';
import { renderPasswd } from '../login.ts';

export function renderConfigureScriptConfig(settings: AgentSettings): Config {
  const { agentImage, pullArgs, pullSecret } = settings;
  const conf = `data:,${quotePythonUrl(formatConfigureScriptConf(settings))}`;
  const unit = renderAgentUnit('configure-coreos-ipa', {
    image: agentImage,
    pullFlags: pullArgs.join(' '),
    authfile: pullSecret === undefined ? '' : `--authfile=${AUTH_FILE_PATH}`,
  });
  return {
    ignition: { version: '3.0.0' },
    ...renderPasswd(settings.sshKeys, settings.passwordHash),
    storage: { files: [{ path: CONF_PATH, contents: { source: conf } }, ...renderPlainPullSecret(settings)] },
    systemd: { units: [unit] },
  };
}

export function formatConfigureScriptConf(settings: AgentSettings): string {
  const { apiUrls, callbackUrls, confOptions } = settings;
  return [
    '',
    '[DEFAULT]',
    `api_url = ${apiUrls.join(',')}`,
    `inspection_callback_url = ${callbackUrls.join(',')}`,
    '',
    'collect_lldp = True',
    `enable_vlan_interfaces = ${confOptions['enable_vlan_interfaces'] ?? 'all'}`,
    'inspection_collectors = default,extra-hardware,logs',
    'inspection_dhcp_all_interfaces = True',
    '',
  ].join('\n');
}

/** How the user calls what becomes options of the agent's conf: the flag, or the variable that it came from. */

import type { ConfPlaces } from '../../agent/confReport.ts';
import type { Inputs } from '../../agent/settingInputs.ts';
import type { SettingName } from '../../agent/settingTable.ts';
import type { RenderOptions } from './options.ts';

/** The settings that become options of the conf. */
const confSettings: Readonly<Record<string, SettingName>> = {
  api_url: 'ironic.apiUrls',
  inspection_callback_url: 'ironic.inspectorUrls',
  insecure: 'ironic.insecure',
  cafile: 'ironic.caFiles',
  ntp_server: 'host.ntpServers',
  enable_vlan_interfaces: 'agent.vlanInterfaces',
  debug: 'agent.debug',
};

export function nameConfPlaces(options: RenderOptions, inputs: Inputs): ConfPlaces {
  const places = Object.entries(confSettings).flatMap(([option, name]) => {
    const place = inputs.get(name)?.at(-1)?.place;
    return place === undefined ? [] : [[option, place] as const];
  });
  const ofHost = options.host === undefined ? {} : { api_url: '--host', inspection_callback_url: '--host' };
  const callback = inputs.get('ironic.inspectionCallbackUrls')?.at(-1);
  const ofCallback = callback === undefined ? {} : { inspection_callback_url: callback.place };
  return {
    userConf: inputs.get('agent.confFile')?.at(-1)?.text ?? '--conf',
    optionLine: inputs.get('agent.options')?.find(({ origin }) => origin === 'file')?.place ?? '--option',
    options: {
      ...Object.fromEntries(places),
      ...ofHost,
      ...ofCallback,
      ...(options.tls && { insecure: '--tls' }),
    },
  };
}

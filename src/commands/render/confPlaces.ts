/** How the user calls what becomes options of the agent's conf: the flag, or the variable that it came from. */

import type { ConfPlaces } from '../../agent/confReport.ts';
import type { SettingName } from '../../agent/settingTable.ts';
import type { Io } from '../../io/io.ts';
import type { RenderOptions } from './options.ts';
import { readInputs } from './settings.ts';

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

/** Throws UsageError as `readInputs` does. */
export function nameConfPlaces(options: RenderOptions, io: Io): ConfPlaces {
  const { inputs } = readInputs(options, io);
  const places = Object.entries(confSettings).flatMap(([option, name]) => {
    const place = inputs.get(name)?.at(-1)?.place;
    return place === undefined ? [] : [[option, place] as const];
  });
  const ofHost = options.host === undefined ? {} : { api_url: '--host', inspection_callback_url: '--host' };
  const ofCallback =
    options.inspectionCallbackUrl === undefined
      ? {}
      : { inspection_callback_url: '--inspection-callback-url' };
  return {
    userConf: options.conf ?? '--conf',
    optionLine: '--option',
    options: {
      ...Object.fromEntries(places),
      ...ofHost,
      ...ofCallback,
      ...(options.tls && { insecure: '--tls' }),
    },
  };
}

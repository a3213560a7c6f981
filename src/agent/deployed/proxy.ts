/** Proxies, which stand in two places of a config: in the environment of the agent's unit, and for Ignition itself. */

import type { Proxy } from '../../ignition/config.ts';
import type { SettingName } from '../settingTable.ts';
import { type Entry, say } from './entry.ts';

/** `environment` has the variables of the unit by their names in capitals. An empty one is none. */
export function readProxyEntries(
  environment: ReadonlyMap<string, string>,
  { httpProxy = '', httpsProxy = '', noProxy = [] }: Proxy = {},
): Entry[] {
  return [
    ...readBoth('proxy.http', listOf(environment.get('HTTP_PROXY')), listOf(httpProxy)),
    ...readBoth('proxy.https', listOf(environment.get('HTTPS_PROXY')), listOf(httpsProxy)),
    ...readBoth('proxy.none', (environment.get('NO_PROXY') ?? '').split(',').flatMap(listOf), noProxy),
  ];
}

function listOf(text = ''): string[] {
  return text === '' ? [] : [text];
}

/** Once where both say the same, as the settings do. */
function readBoth(setting: SettingName, unit: readonly string[], ignition: readonly string[]): Entry[] {
  const isSame = unit.length === ignition.length && unit.every((text, index) => text === ignition[index]);
  if (isSame) return unit.map((text) => say(setting, text));
  return [
    ...unit.map((text) => say(setting, `${text} (agent)`)),
    ...ignition.map((text) => say(setting, `${text} (Ignition)`)),
  ];
}

/** The root of a config: what its sections have to do with each other. */

import type { Config, Systemd } from '../config.ts';
import type { Check } from '../rule.ts';
import { issue, refusal } from './declare.ts';

export const configRules = {
  pathConflict: refusal(
    'path-conflicts-unit',
    'path conflicts with systemd unit or dropin',
    'keep the contents in one place: here, or under systemd.units',
  ),
};

export const checkUnitPaths: Check<Config> = function* ({ storage = {}, systemd = {} }) {
  const unitPaths = unitFilePaths(systemd);
  if (unitPaths.size === 0) return;
  for (const kind of ['files', 'directories', 'links'] as const) {
    for (const [index, { path = '' }] of (storage[kind] ?? []).entries()) {
      if (unitPaths.has(path)) yield issue(configRules.pathConflict, ['storage', kind, index, 'path']);
    }
  }
};

/** Where Ignition writes units and drop-ins that have contents. */
function unitFilePaths({ units = [] }: Systemd): ReadonlySet<string> {
  const paths = new Set<string>();
  for (const { contents, dropins = [], name = '' } of units) {
    const path = `/etc/systemd/system/${name}`;
    if (contents) paths.add(path);
    for (const dropin of dropins) if (dropin.contents) paths.add(`${path}.d/${dropin.name ?? ''}`);
  }
  return paths;
}

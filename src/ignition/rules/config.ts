/** The root of a config: relations between its sections. */

import type { Config } from '../config.ts';
import { errorRules, issue } from '../../core/rule.ts';
import type { Check } from '../check.ts';

export const configRules = errorRules({
  'path-conflicts-unit': [
    'path conflicts with systemd unit or dropin',
    'remove the contents here or under systemd.units',
  ],
});

export const checkUnitPaths: Check<Config> = function* ({ storage = {}, systemd = {} }) {
  // The paths to which Ignition writes units and drop-ins with contents.
  const unitPaths = new Set<string>();
  for (const { contents, dropins = [], name = '' } of systemd.units ?? []) {
    const path = `/etc/systemd/system/${name}`;
    if (contents) unitPaths.add(path);
    for (const dropin of dropins) if (dropin.contents) unitPaths.add(`${path}.d/${dropin.name ?? ''}`);
  }
  if (unitPaths.size === 0) return;
  for (const kind of ['files', 'directories', 'links'] as const) {
    for (const [index, { path = '' }] of (storage[kind] ?? []).entries()) {
      if (unitPaths.has(path))
        yield issue(configRules['path-conflicts-unit'], ['storage', kind, index, 'path']);
    }
  }
};

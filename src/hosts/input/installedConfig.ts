/** Recognizes a config for the ramdisk in place of the config for the installed host. */

import { UNIT_NAME } from '../../agent/unit.ts';
import type { Finding } from '../../core/finding.ts';
import type { Config } from '../../ignition/config.ts';
import { warningRule } from '../../core/rule.ts';

export const configOfRamdisk = warningRule(
  'install-config-of-ramdisk',
  'the config runs ironic-python-agent: it seems to be for the ramdisk, not for the installed host',
  'pass the config for the installed host',
);

/** Paths are relative to the config. */
export function findAgentUnits({ systemd = {} }: Config): readonly Finding[] {
  return (systemd.units ?? []).flatMap(({ name }, index) =>
    name === UNIT_NAME ? [{ ...configOfRamdisk, path: ['systemd', 'units', index, 'name'] }] : [],
  );
}

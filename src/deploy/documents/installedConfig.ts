/**
 * The Ignition config of the host that is installed, not of the ramdisk, as `install_coreos` takes it. The agent adds
 * to it in Python before it is written to disk, so it is passed on as Ignition understands it: without nulls and
 * with the keys as they are spelled in the specification.
 */

import type { Config } from '../../ignition/config.ts';
import { formatIgnition } from '../../ignition/ignitionText.ts';
import type { Issue, Rule } from '../../ignition/rule.ts';

/** JSON that programs other than Ignition can hold. */
export type PlainConfig = Readonly<Record<string, unknown>>;

const hostNameTwice: Rule = {
  id: 'install-hostname-twice',
  severity: 'error',
  message: 'install_coreos adds /etc/hostname itself, and Ignition refuses a config that has it twice',
  hint: 'leave it out: the host keeps the name that it has in the ramdisk',
};
const integerTooLarge: Rule = {
  id: 'install-integer',
  severity: 'error',
  message: 'an integer of the config has more digits than JSON keeps on the way to the host',
  hint: 'use numbers up to 9007199254740991',
};
export const configOfRamdisk: Rule = {
  id: 'install-config-of-ramdisk',
  severity: 'warning',
  message:
    'the config runs ironic-python-agent: it looks like the one for the ramdisk, not for the installed host',
  hint: 'give the config that the host shall have after the installation',
};

/** Issues with paths into the config, which Ignition has found valid. */
export function checkInstalledConfig(config: Config): readonly Issue[] {
  return [...checkHostName(config), ...checkUnits(config), ...checkIntegers(config)];
}

function checkHostName({ storage = {} }: Config): readonly Issue[] {
  return (['files', 'directories', 'links'] as const).flatMap((kind) =>
    (storage[kind] ?? []).flatMap((node, index) =>
      node.path === '/etc/hostname' ? [{ rule: hostNameTwice, path: ['storage', kind, index, 'path'] }] : [],
    ),
  );
}

function checkUnits({ systemd = {} }: Config): readonly Issue[] {
  return (systemd.units ?? []).flatMap(({ name }, index) =>
    name === 'ironic-agent.service'
      ? [{ rule: configOfRamdisk, path: ['systemd', 'units', index, 'name'] }]
      : [],
  );
}

function checkIntegers(config: Config): readonly Issue[] {
  let isTooLarge = false;
  JSON.stringify(config, (_key, value: unknown) => {
    if (typeof value !== 'bigint') return value;
    isTooLarge = true;
    return null;
  });
  return isTooLarge ? [{ rule: integerTooLarge, path: [] }] : [];
}

/** A config without issues of severity `error`, members in the order of Ignition's own documents. */
export function plainConfig(config: Config): PlainConfig {
  const plain: PlainConfig = JSON.parse(formatIgnition(config));
  return plain;
}

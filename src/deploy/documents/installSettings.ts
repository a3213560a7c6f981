/**
 * What `install_coreos` is told besides the Ignition config: how the installed system boots and finds its network. The
 * agent reads it from the meta_data of the config drive (`hardware_manager/ironic_coreos_install.py`).
 */

import { checkConsole, checkIp } from '../../boot/argumentValues.ts';
import { argumentName, argumentValue } from '../../boot/bootSettings.ts';
import { isPlainText } from '../../boot/urlArgument.ts';
import type { Issue, Rule } from '../../ignition/rule.ts';

export interface InstallSettings {
  /** For the installed system, one argument each. */
  readonly kernelArguments: readonly string[];
  /** Whether the installed system takes over the network of the ramdisk; absent leaves it to the agent. */
  readonly copyNetwork?: boolean;
}

/** The names are the agent's. */
export interface InstallMetaData {
  /** One element at most: see `renderMetaData`. */
  readonly coreos_append_karg?: readonly [string];
  readonly coreos_copy_network?: boolean;
}

const installKarg: Rule = {
  id: 'install-karg',
  severity: 'error',
  message:
    'a kernel argument has a name, and neither white space, double quotes nor other than printable ASCII',
  hint: 'write NAME or NAME=VALUE, and give each argument by itself',
};
const installKargOfRamdisk: Rule = {
  id: 'install-karg-of-ramdisk',
  severity: 'warning',
  message: 'the argument is for the ramdisk; the installed system has no use for it or is disturbed by it',
  hint: 'give it to the ramdisk: see pxe kargs, and iso kargs',
};
const installKargsJoined: Rule = {
  id: 'install-kargs-joined',
  severity: 'info',
  message: 'the kernel arguments are written as one element with blanks between them',
  hint: 'install_coreos would join a list by commas into one argument; coreos-installer appends one element as it is',
};

/** Paths lead into the settings. */
export function checkInstall({ kernelArguments }: InstallSettings): readonly Issue[] {
  const issues = kernelArguments.flatMap((text, index) =>
    checkArgument(text).map((issue) => ({ ...issue, path: ['kernelArguments', index] })),
  );
  return kernelArguments.length > 1 ? [...issues, { rule: installKargsJoined, path: [] }] : issues;
}

function checkArgument(text: string): readonly Issue[] {
  const name = argumentName(text);
  if (name === '' || !isPlainText(text)) return [{ rule: installKarg, path: [] }];
  if (/^(?:coreos\.(?:inst|live)(?:\.|iso$)|ipa-|ignition\.(?:firstboot|config\.url$))/.test(name)) {
    return [{ rule: installKargOfRamdisk, path: [] }];
  }
  if (name === 'console') return checkConsole(argumentValue(text) ?? '');
  return name === 'ip' ? checkIp(argumentValue(text) ?? '') : [];
}

/** The settings for the agent; undefined where there are none. */
export function renderMetaData({
  kernelArguments,
  copyNetwork,
}: InstallSettings): InstallMetaData | undefined {
  if (kernelArguments.length === 0 && copyNetwork === undefined) return undefined;
  return {
    ...(kernelArguments.length > 0 && { coreos_append_karg: [kernelArguments.join(' ')] as const }),
    ...(copyNetwork !== undefined && { coreos_copy_network: copyNetwork }),
  };
}

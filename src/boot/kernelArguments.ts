/**
 * The kernel arguments that boot CoreOS into Ignition and the agent. Always in this order, so that two runs compare:
 * root filesystem, Ignition, network, proxies, consoles, the agent's parameters, and what the operator adds.
 *
 * Left out: `nofb nomodeset vga=normal` and the like, Ironic's habits that CoreOS does not need, and `sshkey=`, which
 * CoreOS does not read. Both may be added.
 */

import { maskText } from '../core/masking.ts';
import { ipaArgument } from './ipaParameter.ts';
import { argumentName, type BootSettings, type KernelArgument } from './bootSettings.ts';
import { proxyArguments } from './proxyArguments.ts';

/** The arguments as texts, in the order described above. They are not checked; see `checkBoot`. */
export function kernelArguments(settings: BootSettings): readonly string[] {
  return placedArguments(settings).map((argument) => argument.text);
}

/** What of the arguments others must not see, as nouns for a sentence. */
export function argumentSecrets(settings: BootSettings): readonly string[] {
  const isSecret = kernelArguments(settings).some((text) => maskText(text) !== text);
  return isSecret ? ['a password in the kernel arguments'] : [];
}

/** The same arguments, each with the setting that it comes from. An added argument that is already there is left out. */
export function placedArguments(settings: BootSettings): readonly KernelArgument[] {
  const own: readonly KernelArgument[] = [
    ...named('coreos.live.rootfs_url', settings.rootfsUrl, 'rootfsUrl'),
    ...named('ignition.config.url', settings.ignitionUrl, 'ignitionUrl'),
    { text: 'ignition.firstboot', path: [] },
    { text: 'ignition.platform.id=metal', path: [] },
    ...each(settings.ip, 'ip', (value) => `ip=${value}`),
    ...networkDemand(settings),
    ...proxyArguments(settings),
    ...each(settings.consoles, 'consoles', (value) => `console=${value}`),
    ...each(settings.ipaParameters, 'ipaParameters', ipaArgument),
  ];
  const extra = each(settings.extraArguments, 'extraArguments', (text) => text);
  const present = new Set(own.map((argument) => argument.text));
  return [...own, ...extra.filter(({ text }) => !present.has(text) || argumentName(text) === 'console')];
}

function named(name: string, value: string | undefined, setting: string): readonly KernelArgument[] {
  return value === undefined ? [] : [{ text: `${name}=${value}`, path: [setting] }];
}

function each(
  values: readonly string[],
  setting: string,
  format: (value: string) => string,
): readonly KernelArgument[] {
  return values.map((value, index) => ({ text: format(value), path: [setting, index] }));
}

/** CoreOS asks for the network itself when it needs it; an explicit `ip=` has to work also when it does not. */
function networkDemand(settings: BootSettings): readonly KernelArgument[] {
  return settings.ip.length === 0 ? [] : [{ text: 'rd.neednet=1', path: ['ip'] }];
}

/**
 * The kernel arguments with which CoreOS finds its root filesystem and Ignition its config, each with what other places need to
 * know about it. Sources: coreos-livepxe-rootfs and live-generator of fedora-coreos-config, docs/supported-platforms.md of
 * Ignition, dracut.cmdline(7).
 */

import { type KernelArgument, parseArgument } from './argument.ts';

interface CoreosArgument {
  readonly name: string;
  /** The only value with which a live system runs the agent. */
  readonly value?: string;
  /** What the live system fetches from the URL in the value. */
  readonly fetched?: string;
  /** Whether users write it, so that a similar name is a misspelling. */
  readonly isTyped: boolean;
  /** Whether it is left out for hosts that boot a live ISO, which has it, or needs none. */
  readonly isOfIso: boolean;
}

export const coreosArguments = {
  rootfsUrl: {
    name: 'coreos.live.rootfs_url',
    fetched: 'root filesystem',
    isTyped: true,
    isOfIso: true,
  },
  /** The label of the ISO that contains the root filesystem. */
  liveIso: { name: 'coreos.liveiso', isTyped: false, isOfIso: true },
  /** The live system copies its medium to memory and unmounts it. */
  fromRam: { name: 'coreos.liveiso.fromram', isTyped: true, isOfIso: false },
  configUrl: { name: 'ignition.config.url', fetched: 'Ignition config', isTyped: true, isOfIso: true },
  firstBoot: { name: 'ignition.firstboot', isTyped: true, isOfIso: true },
  platform: { name: 'ignition.platform.id', value: 'metal', isTyped: true, isOfIso: true },
  /** CoreOS enables the network only if it needs it. */
  network: { name: 'rd.neednet', value: '1', isTyped: true, isOfIso: false },
  /** The live system installs CoreOS instead of running the agent. */
  installDevice: { name: 'coreos.inst.install_dev', isTyped: false, isOfIso: false },
} as const satisfies Readonly<Record<string, CoreosArgument>>;

export const allCoreosArguments: readonly CoreosArgument[] = Object.values(coreosArguments);

/** The arguments without which Ignition does not run in a live system. */
const firstBoot = [coreosArguments.firstBoot, coreosArguments.platform] as const;
export const firstBootNames: readonly string[] = firstBoot.map(({ name }) => name);

/** The argument with a value, by default the one that it requires: `ignition.firstboot`, `ignition.platform.id=metal`. */
export function formatCoreosArgument({ name, value }: CoreosArgument): string {
  return value === undefined ? name : `${name}=${value}`;
}

/** Where a live system of CoreOS finds what it needs; undefined for what the image itself contains. */
interface LiveSources {
  readonly rootfsUrl?: string | undefined;
  /** The label of the ISO that contains the root filesystem. */
  readonly rootfsLabel?: string | undefined;
  readonly ignitionUrl?: string | undefined;
}

/** The arguments that a live system of CoreOS needs, for ISOs and for network boot; their paths name the source. */
export function liveArguments(sources: LiveSources): readonly KernelArgument[] {
  const named = ({ name }: CoreosArgument, source: keyof LiveSources): readonly KernelArgument[] => {
    const value = sources[source];
    return value === undefined ? [] : [parseArgument(`${name}=${value}`, [source])];
  };
  return [
    ...named(coreosArguments.rootfsUrl, 'rootfsUrl'),
    ...named(coreosArguments.liveIso, 'rootfsLabel'),
    ...named(coreosArguments.configUrl, 'ignitionUrl'),
    ...firstBoot.map((argument) => parseArgument(formatCoreosArgument(argument))),
  ];
}

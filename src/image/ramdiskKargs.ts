/**
 * The kernel arguments of an ISO that is made of a kernel and an initramfs. Left out: consoles and whatever else depends on
 * the machine, which the user names.
 */

import { argumentName } from '../boot/bootSettings.ts';
import type { RamdiskSystem } from './ramdiskSystem.ts';

export interface KargsWishes {
  /** What the user asked for; undefined for what is usual. */
  readonly given: readonly string[] | undefined;
  /** Volume ID of the ISO. */
  readonly label: string;
  /** Whether the root filesystem is on the ISO. */
  readonly hasRootfs: boolean;
}

/** As the scripts of ironic-python-agent-builder have them. */
const OTHER_KARGS = ['boot_method=vmedia'];

/** The whole line. CoreOS finds neither its root filesystem nor a config without arguments, so it gets those anyway. */
export function ramdiskKargs({ kind }: RamdiskSystem, wishes: KargsWishes): string {
  const { given, hasRootfs, label } = wishes;
  if (kind === 'other') return (given ?? OTHER_KARGS).join(' ');
  const names = new Set((given ?? []).flatMap((text) => text.trim().split(/\s+/)).map(argumentName));
  const needed = [
    ...(hasRootfs ? [`coreos.liveiso=${label}`] : []),
    'ignition.firstboot',
    'ignition.platform.id=metal',
  ];
  return [...needed.filter((text) => !names.has(argumentName(text))), ...(given ?? [])].join(' ');
}

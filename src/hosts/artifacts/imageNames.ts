/**
 * The names under which Fedora CoreOS and RHCOS release their live images, so that a folder of downloads can be used as
 * it is: `fedora-coreos-VERSION-live-kernel.x86_64`, `-live-kernel-x86_64`, `rhcos-VERSION-live-rootfs.x86_64.img`,
 * `-live-iso.x86_64.iso`, `-live.x86_64.iso`. Compressed and signed files are not among them.
 */

import { type Architecture, architectures } from '../../core/architecture.ts';
import type { ImagePart } from '../../image/bootParts.ts';

export type ImageRole = ImagePart | 'iso';

export interface ImageName {
  readonly role: ImageRole;
  readonly architecture: Architecture;
  /** What files of one release have in common. */
  readonly release: string;
}

/** Undefined for the name of anything else. */
export function parseImageName(name: string): ImageName | undefined {
  const [, release = '', part, machine] =
    /^(.{1,200})-live(?:-(iso|kernel|initramfs|rootfs))?[.-]([a-z0-9_]{1,20})(?:\.img|\.iso)?$/.exec(name) ??
    [];
  const architecture = architectures.find((known) => known === machine);
  if (architecture === undefined) return undefined;
  const isIso = name.endsWith('.iso');
  if (isIso) return part === undefined || part === 'iso' ? { role: 'iso', architecture, release } : undefined;
  if (part === 'kernel' || part === 'initramfs' || part === 'rootfs')
    return { role: part, architecture, release };
  return undefined;
}

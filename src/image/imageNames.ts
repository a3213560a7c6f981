/** The file names with which releases of CoreOS publish their live images. */

import { basename } from 'node:path';
import { type Architecture, architectures } from '../core/architecture.ts';
import { imageParts, type ImageRole } from './bootParts.ts';

/** What the name of a live image says. */
export interface NamedImage {
  readonly role: ImageRole;
  readonly architecture: Architecture;
  /** The prefix that all files of one release share, such as `fedora-coreos-44.20261101.3.0`. */
  readonly release: string;
}

/** Undefined for names of other files. @param name with or without folders */
export function parseImageName(name: string): NamedImage | undefined {
  const [, release = '', part, machine] =
    /^(.{1,200})-live(?:-(iso|kernel|initramfs|rootfs))?[.-]([a-z0-9_]{1,20})(?:\.img|\.iso)?$/.exec(
      basename(name),
    ) ?? [];
  const architecture = architectures.find((known) => known === machine);
  if (architecture === undefined) return undefined;
  const isIso = name.endsWith('.iso');
  if (isIso) return part === undefined || part === 'iso' ? { role: 'iso', architecture, release } : undefined;
  const role = imageParts.find((known) => known === part);
  return role && { role, architecture, release };
}

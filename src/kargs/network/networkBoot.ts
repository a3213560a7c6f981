/** The input for a folder of boot files: the known hosts, and the ramdisks for unknown machines. The data is not checked. */

import type { BootSettings } from '../bootSettings.ts';
import type { Architecture } from '../../core/architecture.ts';

export const networkLoaders = ['ipxe', 'grub', 'pxelinux'] as const;

export type NetworkLoader = (typeof networkLoaders)[number];

export interface NetworkBoot {
  readonly hosts: readonly NetworkHost[];
  /** Ramdisks for unknown machines, one per architecture; empty if they are not booted. */
  readonly discovery: readonly RamdiskBoot[];
  readonly loaders: readonly NetworkLoader[];
  /** HTTP URL of the folder without a final slash, for the full URLs in DHCP replies. */
  readonly folderUrl?: string | undefined;
}

export interface NetworkHost {
  /** Host name, also the name of its files. */
  readonly name: string;
  /** MAC addresses of all interfaces from which it may boot, as returned by `parseMacAddress`. */
  readonly macs: readonly string[];
  readonly start: RamdiskBoot | IsoBoot;
}

/** A kernel with its archives; the URLs of the kernel and the initramfs are required. */
export interface RamdiskBoot {
  readonly kind: 'ramdisk';
  readonly architecture: Architecture;
  readonly settings: BootSettings;
}

/** A live ISO, for UEFI HTTP boot and for `sanboot` of iPXE. */
export interface IsoBoot {
  readonly kind: 'iso';
  readonly architecture: Architecture;
  readonly url: string;
}

/** A file of the folder. */
export interface BootFile {
  /** Path relative to the folder, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** Formats a MAC address for file names: `52-54-00-12-34-56`. */
export function hyphenMac(mac: string): string {
  return mac.replaceAll(':', '-');
}

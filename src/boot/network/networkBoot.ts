/**
 * What a folder of boot files is made from: the machines that are known, and what the others boot. Plain data; nothing
 * here has been checked yet.
 */

import type { BootSettings } from '../bootSettings.ts';
import type { Architecture } from '../../core/architecture.ts';

export const networkLoaders = ['ipxe', 'grub', 'pxelinux'] as const;

export type NetworkLoader = (typeof networkLoaders)[number];

export interface NetworkBoot {
  readonly hosts: readonly NetworkHost[];
  /** What an unknown machine boots, by architecture; empty where it is left to its firmware. */
  readonly discovery: readonly RamdiskBoot[];
  readonly loaders: readonly NetworkLoader[];
  /** Where the folder is served over HTTP, without a final slash: for DHCP, which has to name its files in full. */
  readonly folderUrl?: string;
}

export interface NetworkHost {
  /** A host name; its files are called so. */
  readonly name: string;
  /** Of every interface that it may boot from, as `parseMacAddress` gives them. */
  readonly macs: readonly string[];
  readonly start: RamdiskBoot | IsoBoot;
}

/** A kernel with its archives; the URLs of kernel and initramfs have to be there. */
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
  /** Relative to the folder, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** As loaders spell a MAC address in the name of a file: `52-54-00-12-34-56`. */
export function hyphenMac(mac: string): string {
  return mac.replaceAll(':', '-');
}

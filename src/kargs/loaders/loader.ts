/** A boot loader that machines run from the network, and what it reads from a folder of boot files. The data is not checked. */

import type { Architecture } from '../../core/architecture.ts';
import type { BootSettings } from '../bootSettings.ts';
import type { BootForm } from './form.ts';

export interface Loader extends BootForm {
  /** The files that all machines read. */
  shared(discovery: readonly RamdiskBoot[]): readonly BootFile[];
  /** The paths of the files of a host, which have the same content. */
  hostPaths(host: NamedHost): readonly string[];
  hostScript(host: NetworkHost): string;
  isFor(architecture: Architecture): boolean;
}

export type NamedHost = Pick<NetworkHost, 'name' | 'macs'>;

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

/** What UEFI starts, by architecture: paths below the folder of TFTP, and below the URL of the boot scripts. */
export type EfiLoaders = Readonly<Record<'x86_64' | 'aarch64', string>>;

/** iPXE, as the packages of distributions have it. It is not signed. */
export const ipxeLoaders: EfiLoaders = { x86_64: 'snponly-x86_64.efi', aarch64: 'snponly-aarch64.efi' };

export function isIpxeLoader(file: string): boolean {
  return file === ipxeLoaders.x86_64 || file === ipxeLoaders.aarch64;
}

export interface BootFile {
  /** Path relative to the folder, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** Formats a MAC address for file names: `52-54-00-12-34-56`. */
export function hyphenMac(mac: string): string {
  return mac.replaceAll(':', '-');
}

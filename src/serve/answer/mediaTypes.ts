/** Media types of what is served. */

import type { Artifact } from './resource.ts';

const bytes = 'application/octet-stream';
/** By it, UEFI HTTP boot knows a disk image (UEFI 2.10, section 24.7.3.1, and EDK II, which asks for this spelling). */
const efiIso = 'application/vnd.efi-iso';

export const mediaTypes: Readonly<Record<Artifact, string>> = {
  iso: efiIso,
  'minimal-iso': efiIso,
  initramfs: bytes,
  ign: 'application/vnd.coreos.ignition+json',
  archive: bytes,
  script: 'text/plain; charset=utf-8',
  kernel: bytes,
  rootfs: bytes,
  agent: 'application/x-tar',
};

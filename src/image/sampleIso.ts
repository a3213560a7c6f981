/** A small sample of a live ISO, which has the reserved areas of current releases. Its programs are only text. */

import { jsonText } from '../formats/mapping.ts';
import { planIso } from './createIso.ts';
import { changedImage } from './imageChange.ts';
import { writeInitrd } from './initrd.ts';
import { bytesAccess, zeros } from './overlay.ts';
import { LIVE_FEATURES, LIVE_STAMP, ramdiskKargs } from './ramdiskSystem.ts';

export interface SampleIso {
  /** Volume ID: letters, digits, dots, dashes and underscores, at most 32. */
  readonly label: string;
  /** Time stamp of all files. */
  readonly date: Date;
}

/** The content of each program; the BIOS loader has to name ISOLINUX. */
const NOT_BOOTABLE = Buffer.from(
  'This is a sample in the layout of a CoreOS live ISO. It has no operating system, no ISOLINUX and no GRUB, and does not boot.\n',
);
/** Directives that the installer of current releases supports. */
const DIRECTIVES = [
  'append-karg',
  'console',
  'copy-network',
  'delete-karg',
  'dest-device',
  'ignition-file',
  'ignition-url',
  'network-dir',
];
/** What the live system supports, as the JSON document of its initramfs. */
export const sampleFeatures = jsonText({
  'installer-config': true,
  'installer-config-directives': Object.fromEntries(DIRECTIVES.map((name) => [name, true])),
  'live-initrd-network': true,
});

/**
 * Returns the whole image; equal input creates equal bytes.
 * @throws CliError for an invalid label
 */
export async function writeSampleIso({ label, date }: SampleIso): Promise<Uint8Array> {
  const text = bytesAccess(NOT_BOOTABLE);
  const features = Buffer.from(sampleFeatures);
  const initrd = writeInitrd(
    new Map([
      [LIVE_STAMP, Buffer.from(`${label}\n`)],
      [LIVE_FEATURES, features],
    ]),
  );
  const system = { build: label, features };
  const iso = planIso({
    kernel: text,
    initrd: bytesAccess(initrd),
    rootfs: text,
    system,
    label,
    date,
    kargs: ramdiskKargs(system, ['mitigations=auto,nosmt'], label),
    bios: { isolinux: NOT_BOOTABLE },
    efi: { image: text, menus: ['EFI/fedora/grub.cfg'] },
  });
  return changedImage(zeros(iso.size), iso).read(0, iso.size);
}

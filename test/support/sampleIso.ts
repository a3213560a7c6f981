/** The files of current x86_64 releases, as the builder of CoreOS lays them out; all programs are only text. */

import { jsonText } from '../../src/formats/mapping.ts';
import { EMBED_AREA_SIZE } from '../../src/image/embeddedIgnition.ts';
import { writeInitrd } from '../../src/image/initrd.ts';
import { sampleFeatures } from '../../src/image/sampleIso.ts';
import { liveArguments } from '../../src/kargs/coreosArguments.ts';

const PADDING = 1024;
const MARKER = ' COREOS_KARG_EMBED_AREA\n';
const NOT_BOOTABLE =
  'This is a sample in the layout of a CoreOS live ISO. It has no operating system and does not boot.\n';

/** The files by path. */
export function sampleFiles(label: string): Map<string, Uint8Array> {
  const kargs = defaultKargs(label);
  const configs = bootConfigs(`${kargs}\n${'#'.repeat(PADDING)}${MARKER}`);
  const kargsInfo = {
    default: kargs,
    files: [...configs].map(([path, text]) => ({ end: '\n', offset: text.indexOf(kargs), pad: '#', path })),
    size: kargs.length + PADDING, // the last `#` is not part of the area, so that the marker stays a comment
  };
  const texts = new Map([
    ...configs,
    ['README.txt', NOT_BOOTABLE],
    ['coreos/features.json', sampleFeatures],
    ['coreos/igninfo.json', jsonText({ file: 'images/ignition.img' })],
    ['coreos/kargs.json', jsonText(kargsInfo)],
    ['images/efiboot.img', NOT_BOOTABLE],
    ['images/pxeboot/rootfs.img', NOT_BOOTABLE],
    ['images/pxeboot/vmlinuz', NOT_BOOTABLE],
  ]);
  return new Map([
    ...[...texts].map(([path, text]): [string, Uint8Array] => [path, Buffer.from(text)]),
    ['images/ignition.img', new Uint8Array(EMBED_AREA_SIZE)],
    [
      'images/pxeboot/initrd.img',
      writeInitrd(
        new Map([
          ['etc/coreos-live-initramfs', Buffer.from(`${label}\n`)],
          ['etc/coreos/features.json', Buffer.from(sampleFeatures)],
        ]),
      ),
    ],
  ]);
}

/** The default kernel arguments of the image. */
export function defaultKargs(label: string): string {
  const needed = liveArguments({ rootfsLabel: label }).map(({ text }) => text);
  return ['mitigations=auto,nosmt', ...needed].join(' ');
}

/**
 * The menus of both boot loaders, which contain the kernel arguments.
 * @param area the arguments, the rest of the reserved area, and the marker after it
 */
export function bootConfigs(area: string): Map<string, string> {
  return new Map([
    [
      'EFI/fedora/grub.cfg',
      `set default="1"\nset timeout=5\n\nmenuentry 'Fedora CoreOS (Live)' --class fedora {\n` +
        `\tlinux /images/pxeboot/vmlinuz ${area}\tinitrd /images/pxeboot/initrd.img /images/ignition.img\n}\n`,
    ],
    [
      'isolinux/isolinux.cfg',
      'serial 0\ntimeout 50\n\nlabel linux\n  menu label ^Fedora CoreOS (Live)\n  menu default\n' +
        '  kernel /images/pxeboot/vmlinuz\n' +
        `  append initrd=/images/pxeboot/initrd.img,/images/ignition.img ${area}`,
    ],
  ]);
}

/**
 * The configuration of GRUB in the EFI system partition of CoreOS live ISOs (images/efiboot.img), which continues with the menu
 * on the ISO (osbuild, stages/org.osbuild.coreos.live-artifacts.mono). GRUB reads it if the firmware boots from a disk; from a CD,
 * it reads the menu directly.
 */

import { CHUNK, chunksOf, type RandomAccess } from './overlay.ts';

/** The largest image that is searched: those of live ISOs have 10 MiB. */
const MAX_IMAGE = 64 * CHUNK;

/**
 * The volume ID of the ISO on which the menu is, and its path there, without a leading slash. Undefined for images of other builders.
 */
export async function findEfiStub(
  image: RandomAccess,
): Promise<{ readonly label: string; readonly menu: string } | undefined> {
  if (image.size > MAX_IMAGE) return undefined;
  // A file starts at a sector and the stub is smaller than a sector, so no chunk divides it.
  for await (const chunk of chunksOf(image, { offset: 0, length: image.size })) {
    const stub =
      /search --label "([^"\n]+)" --set root[^\n]*\nset prefix=\(\$root\)\/([^\n]+)\n[^\0]*configfile \$prefix\/grub\.cfg$/m.exec(
        Buffer.from(chunk).toString('latin1'),
      );
    const [, label, folder] = stub ?? [];
    if (label !== undefined && folder !== undefined) return { label, menu: `${folder}/grub.cfg` };
  }
  return undefined;
}

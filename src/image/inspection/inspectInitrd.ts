/**
 * Looks into an initramfs for network boot, or into archives that go behind one. Left out: everything that is not of
 * CoreOS or of this program, thousands of files of the system among it.
 */

import { FormatError } from '../../core/errors.ts';
import { readInitrdFrom, sourceOfImage } from '../initrd.ts';
import type { RandomAccess } from '../overlay.ts';
import { type InitrdMarks, isMark, marksOf, readInitrdFeatures } from '../ramdiskSystem.ts';
import { imageRules } from './imageRules.ts';
import { checkInitrd, checkNetwork, type InitrdInspection } from './inspection.ts';
import { filesMemory, liveMemory } from './memoryNeed.ts';

/** Root filesystems, one of which is the first member of the archive for network boot. */
const ROOTFS: ReadonlySet<string> = new Set(['root.squashfs', 'root.erofs']);
/** Bytes of all files that are looked at. */
const MAX_KEPT = 256 * 1024 * 1024;
/** Characters of the name of a build that are shown. */
const MAX_BUILD = 200;

/** @throws FormatError where an archive is damaged */
export async function inspectInitrd(image: RandomAccess): Promise<InitrdInspection> {
  let hasRootfs = false;
  const found = await readInitrdFrom(sourceOfImage(image), {
    maxKept: MAX_KEPT,
    wants: (path) => {
      hasRootfs ||= ROOTFS.has(path);
      return isMark(path);
    },
  });
  const marks = marksOf(found);
  const { stamp, embedded: files } = marks;
  const { features, issues } = stamp === undefined ? { issues: [] } : readFeatures(marks);
  const sizes = [...files.values()].map(({ length }) => length);
  return {
    kind: 'initramfs',
    size: image.size,
    ...(stamp !== undefined && { build: Buffer.from(stamp).toString('utf8').trim().slice(0, MAX_BUILD) }),
    hasRootfs,
    ...(features !== undefined && { features }),
    files,
    memory: [
      ...(stamp === undefined
        ? []
        : liveMemory(hasRootfs ? 'initramfs' : 'network', { initramfs: image.size })),
      ...filesMemory('embedded files', sizes),
    ],
    issues: [
      ...issues,
      ...(stamp === undefined ? checkNetwork(files, undefined) : checkInitrd(files, features)),
    ],
  };
}

function readFeatures(marks: InitrdMarks): Pick<InitrdInspection, 'features' | 'issues'> {
  try {
    return { features: readInitrdFeatures(marks), issues: [] };
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    const { message, hint = imageRules.featuresUnreadable.hint } = error;
    return { issues: [{ rule: imageRules.featuresUnreadable, path: [], message, hint }] };
  }
}

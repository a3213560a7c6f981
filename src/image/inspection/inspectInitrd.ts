/**
 * Inspects an initramfs for network boot, or archives to append to one. Only the files of CoreOS and of this program are
 * inspected, not the thousands of other files.
 */

import type { Issue } from '../../ignition/rule.ts';
import { sourceOfImage } from '../initrd.ts';
import type { RandomAccess } from '../overlay.ts';
import { readInitrdFeatures, readMarks } from '../ramdiskSystem.ts';
import { imageRules } from './imageRules.ts';
import { attempt, checkInitrd, checkNetwork, type InitrdInspection } from './inspection.ts';
import { filesMemory, liveMemory } from './memoryNeed.ts';

/** Limit of all inspected files in bytes. */
const MAX_KEPT = 256 * 1024 * 1024;
/** Characters of a build name that are shown. */
const MAX_BUILD = 200;

/** @throws FormatError if an archive is damaged */
export async function inspectInitrd(image: RandomAccess): Promise<InitrdInspection> {
  const marks = await readMarks(sourceOfImage(image), { maxKept: MAX_KEPT });
  const { stamp, hasRootfs, embedded: files } = marks;
  const issues: Issue[] = [];
  const features =
    stamp &&
    (await attempt({ issues }, imageRules.featuresUnreadable, async () => readInitrdFeatures(marks)));
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

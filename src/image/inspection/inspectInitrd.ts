/**
 * Looks into an initramfs for network boot, or into archives that go behind one. Left out: everything that is not of
 * CoreOS or of this program, thousands of files of the system among it.
 */

import { FormatError } from '../../core/errors.ts';
import type { Issue } from '../../ignition/rule.ts';
import type { EmbedFiles } from '../embedArea.ts';
import { CONFIG_NAME } from '../embeddedIgnition.ts';
import { readInitrdFrom, sourceOfImage } from '../initrd.ts';
import { type LiveFeatures, noFeatures, parseFeatures } from '../liveFeatures.ts';
import { isNetworkPath } from '../networkSettings.ts';
import type { RandomAccess } from '../overlay.ts';
import { imageRules } from './imageRules.ts';
import { checkInitrd, checkNetwork, type InitrdInspection } from './inspection.ts';
import { filesMemory, liveMemory } from './memoryNeed.ts';

const STAMP = 'etc/coreos-live-initramfs';
const FEATURES = 'etc/coreos/features.json';
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
      return path === STAMP || path === FEATURES || isEmbedded(path);
    },
  });
  const files: EmbedFiles = new Map([...found].filter(([path]) => isEmbedded(path)));
  const stamp = found.get(STAMP);
  const { features, issues } = readFeatures(
    stamp === undefined ? undefined : (found.get(FEATURES) ?? 'none'),
  );
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

function isEmbedded(path: string): boolean {
  return path === CONFIG_NAME || isNetworkPath(path);
}

interface ReadFeatures {
  readonly features?: LiveFeatures;
  readonly issues: readonly Issue[];
}

/** @param bytes undefined where they do not matter, as the initramfs itself is elsewhere */
function readFeatures(bytes: Uint8Array | 'none' | undefined): ReadFeatures {
  if (bytes === undefined) return { issues: [] };
  if (bytes === 'none') return { features: noFeatures, issues: [] };
  try {
    return { features: parseFeatures(bytes, `${FEATURES} in the initramfs`), issues: [] };
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    const { message, hint = imageRules.featuresUnreadable.hint } = error;
    return { issues: [{ rule: imageRules.featuresUnreadable, path: [], message, hint }] };
  }
}

/** What is served: all that can be made from the images that are given, unless the user names it. */

import { UsageError } from '../core/errors.ts';
import { MINISO_PATH } from '../image/minimalIso/minisoData.ts';
import { openIsoTree } from '../image/isoTree.ts';
import { type ConfigArtifact, parseArtifacts, type WantedArtifacts } from '../hosts/artifacts/artifacts.ts';
import type { NetworkLoader } from '../boot/network/networkBoot.ts';
import type { BaseSet } from '../hosts/artifacts/baseImages.ts';

/** Throws UsageError for a name that is not known, and for what the images cannot give. */
export async function chooseArtifacts(
  asked: string | undefined,
  bases: readonly BaseSet[],
): Promise<WantedArtifacts> {
  const possible = await possibleArtifacts(bases);
  if (asked === undefined) return possible;
  const wanted = parseArtifacts(asked);
  const missing = wanted.configs.find((name) => !possible.configs.includes(name));
  if (missing !== undefined) {
    throw new UsageError(`--artifacts asks for ${missing}, and no image is given to make it from`, {
      hint: imageHints[missing] ?? 'give a live ISO with --iso FILE',
    });
  }
  if (wanted.loaders.length > 0 && !bases.some(canNetboot)) {
    throw new UsageError('boot scripts need a kernel, an initramfs and a root filesystem to start', {
      hint: 'give --iso FILE, or --kernel, --initramfs and --rootfs, or --images FOLDER of downloads',
    });
  }
  return wanted;
}

const imageHints: Readonly<Partial<Record<ConfigArtifact, string>>> = {
  initramfs: 'give --initramfs FILE, or a live ISO that has it',
  'minimal-iso': 'give a live ISO of 2022 or later with --iso FILE',
};

/** The others come by TFTP mostly, as GRUB knows port 80 alone, and PXELINUX no long URLs. */
const usualLoaders: readonly NetworkLoader[] = ['ipxe'];

async function possibleArtifacts(bases: readonly BaseSet[]): Promise<WantedArtifacts> {
  const configs: ConfigArtifact[] = ['ign'];
  if (bases.length > 0) configs.push('archive');
  if (bases.some(({ parts }) => parts.initramfs !== undefined)) configs.push('initramfs');
  if (bases.some(({ iso }) => iso !== undefined)) configs.push('iso');
  for (const base of bases) {
    if (!configs.includes('minimal-iso') && (await givesMinimalIso(base))) configs.push('minimal-iso');
  }
  return { configs, loaders: bases.some(canNetboot) ? usualLoaders : [] };
}

function canNetboot({ parts }: BaseSet): boolean {
  return parts.kernel !== undefined && parts.initramfs !== undefined;
}

async function givesMinimalIso({ iso, parts }: BaseSet): Promise<boolean> {
  if (iso === undefined || parts.rootfs === undefined) return false;
  return (await (await openIsoTree(iso.bytes)).find(MINISO_PATH)) !== undefined;
}

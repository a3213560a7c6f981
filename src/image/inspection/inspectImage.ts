/**
 * Inspects a live ISO or an initramfs, and continues after damaged parts. Of an ISO, only the necessary files are read: not
 * the contents of its initramfs, EFI boot image and root filesystem. Of an initramfs for network boot, or of archives to
 * append to one, only the files of CoreOS and of this program are inspected, not the thousands of other files.
 */

import type { Finding } from '../../core/finding.ts';
import { FormatError, only } from '../../core/errors.ts';
import { maskSetting } from '../../core/masking.ts';
import type { Rule } from '../../core/rule.ts';
import { readAppendix } from '../appendix.ts';
import { findArchitecture } from '../bootParts.ts';
import type { Architecture } from '../../core/architecture.ts';
import { type EmbedArea, findEmbedArea, readEmbedArea } from '../embedArea.ts';
import { hasAreaHeader } from '../growth.ts';
import { sourceOfImage } from '../initrd.ts';
import { type IsoTree, openIsoTree } from '../isoTree.ts';
import { bytesBehind } from '../isoVolume.ts';
import { findKargsAreas, findKargsLayout } from '../kargsAreas.ts';
import { readIsoFeatures } from '../liveFeatures.ts';
import { MINISO_MAGIC, MINISO_PATH } from '../minimalIso/minisoData.ts';
import { CHUNK, hasTextAt, type ImageAccess, type RandomAccess, slice } from '../overlay.ts';
import { readInitrdFeatures, readRamdiskSystem } from '../ramdiskSystem.ts';
import { readRollback } from '../rollback.ts';
import { imageRules, unreadableParts } from './imageRules.ts';
import { type BootingIso, checkInitrd, checkIso, checkNetwork, issueOf } from './imageChecks.ts';
import type { InitrdInspection, IsoInspection, Leftover } from './inspection.ts';
import { parseArguments } from '../../kargs/argument.ts';
import { filesMemory, liveMemory, type MemoryPart } from './memoryNeed.ts';
import { coreosArguments } from '../../kargs/coreosArguments.ts';
import { livePaths } from '../livePaths.ts';

/** By a file or folder of the ISO. Images of other architectures have the folder of ISOLINUX, too, with the kernel arguments. */
const LOADERS: readonly (readonly [path: string, loader: string, only?: Architecture])[] = [
  ['isolinux', 'BIOS (ISOLINUX)', 'x86_64'],
  ['EFI', 'UEFI (GRUB)'],
  ['boot/grub', 'GRUB'],
  ['images/cdboot.img', 's390x CD boot'],
];

/** @throws FormatError if the file is not an ISO 9660 image, or is truncated */
export async function inspectIso(source: ImageAccess): Promise<IsoInspection> {
  const journal = await readRollback(source);
  const image: ImageAccess =
    journal === undefined ? source : slice(source, { offset: 0, length: journal.start });
  const tree = await openIsoTree(image);
  const { issues, read } = damageReader();
  if (journal !== undefined) issues.push(issueOf(imageRules.editUnfinished));
  const area = await read(unreadableParts.embedArea, () => findEmbedArea(tree));
  // The hint is for damaged contents, which can be cleared. A damaged description of the area cannot be repaired.
  const { hint } = unreadableParts.embedArea;
  const files =
    area &&
    (await read(unreadableParts.embedArea, () =>
      readEmbedArea(image, area).catch(
        only(FormatError, (error) => {
          throw new FormatError(error.message, { hint, cause: error });
        }),
      ),
    ));
  // The areas of kernel arguments are known also if their contents cannot be read.
  const layout = await read(unreadableParts.kernelArguments, () => findKargsLayout(tree));
  const kargs = layout && (await read(unreadableParts.kernelArguments, () => findKargsAreas(tree)))?.current;
  const features = await read(unreadableParts.features, () => readIsoFeatures(tree));
  const appendix = await read(unreadableParts.appendix, () => readAppendix(tree));
  // During an unfinished edit, the end of the image is not inspected.
  const isBehind = journal === undefined && (await bytesBehind(tree)) > 0;
  const leftovers: Leftover[] = [
    ...(journal === undefined ? [] : ['unfinished edit' as const]),
    ...(isBehind ? ['bytes after the end' as const] : []),
  ];
  const facts = await read(unreadableParts.files, () => readFacts(tree, layout !== undefined));
  const label = tree.volume.volumeId;
  const isOtherSystem = features?.otherSystem === true;
  const isMinimal = facts !== undefined && facts.rootfsSize === undefined && !isOtherSystem;
  const booting = { label, isMinimal, kargs, files, features };
  return {
    kind: 'iso',
    size: source.size,
    label,
    isMinimal,
    rootfsSize: facts?.rootfsSize,
    hasMinimalIso: facts?.hasMinimalIso ?? false,
    layout: facts?.layout ?? 'unknown',
    architecture: facts?.architecture,
    bootLoaders: facts?.bootLoaders ?? [],
    embedArea: area && { ...area, used: await usedBytes(image, area) },
    files,
    kargs: layout && { ...layout, current: kargs },
    features,
    appended: appendix && {
      originalSize: appendix.originalSize,
      hasGrown: area !== undefined && area.offset >= appendix.originalSize,
      files: appendix.mediumFiles.map(({ name, size }) => ({ name, size })),
    },
    leftovers,
    memory: isOtherSystem ? filesMemory('initramfs', [facts?.initramfsSize ?? 0]) : memoryFor(booting, facts),
    issues: [...issues, ...checkIso(booting)],
  };
}

/** Reads the parts of an image. A part that cannot be read is undefined, and one of the issues. */
function damageReader() {
  const issues: Finding[] = [];
  const read = async <T>(rule: Rule, step: () => Promise<T>): Promise<T | undefined> =>
    step().catch(
      only(FormatError, ({ message: text, hint = rule.hint }) => {
        const message = maskSetting(text); // the message may contain kernel arguments
        const isReported = issues.some((issue) => issue.message === message); // several steps read the same directory
        if (!isReported) issues.push({ ...rule, path: [], message, hint });
        return undefined;
      }),
    );
  return { issues, read };
}

async function readFacts(tree: IsoTree, hasKargs: boolean) {
  const architecture = await findArchitecture(tree);
  const bootLoaders: string[] = [];
  for (const [path, loader, required = architecture] of LOADERS) {
    if (architecture === required && (await tree.find(path)) !== undefined) bootLoaders.push(loader);
  }
  const miniso = await tree.find(MINISO_PATH);
  return {
    rootfsSize: (await tree.find(livePaths.rootfs))?.size,
    initramfsSize: (await tree.find(livePaths.initramfs))?.size,
    hasMinimalIso: miniso?.kind === 'file' && (await hasTextAt(tree.image, miniso.offset, MINISO_MAGIC)),
    layout: await findLayout(tree, hasKargs),
    architecture,
    bootLoaders,
  };
}

/**
 * Detects the layout from the descriptions of the reserved areas, which changed several times. The dates are those of Fedora
 * CoreOS; RHEL CoreOS changed up to a year later.
 */
async function findLayout(tree: IsoTree, hasKargs: boolean): Promise<string> {
  if ((await tree.find(livePaths.embedInfo)) !== undefined) return '2023 and later';
  const isOlder = await hasAreaHeader(tree.image);
  if ((await tree.find(livePaths.kargsInfo)) !== undefined) return isOlder ? '2021-09 to 2022-01' : '2022';
  return hasKargs ? '2020-10 to 2021-09' : 'before 2020-10';
}

/**
 * Number of bytes up to the last byte that is not zero, rounded up to 4 bytes, the alignment of archives. It may be 4 bytes too
 * small, because gzip ends with the size of the unpacked data.
 */
async function usedBytes(image: RandomAccess, { offset, length }: EmbedArea): Promise<number> {
  for (let end = length; end > 0; end -= Math.min(CHUNK, end)) {
    const size = Math.min(CHUNK, end);
    const last = (await image.read(offset + end - size, size)).findLastIndex((byte) => byte !== 0);
    if (last >= 0) return Math.min(length, Math.ceil((end - size + last + 1) / 4) * 4);
  }
  return 0;
}

function memoryFor(
  { isMinimal, kargs = '', files = new Map() }: BootingIso,
  parts: { readonly rootfsSize: number | undefined; readonly initramfsSize: number | undefined } | undefined,
): MemoryPart[] {
  const { initramfsSize: initramfs = 0, rootfsSize = 0 } = parts ?? {};
  const sizes = [...files.values()].map(({ length }) => length);
  const isCopied = parseArguments(kargs).some(({ name }) => name === coreosArguments.fromRam.name);
  return [
    ...liveMemory(isMinimal ? 'network' : 'medium', { initramfs }),
    ...filesMemory('copy of the root filesystem (coreos.liveiso.fromram)', isCopied ? [rootfsSize] : []),
    ...filesMemory('embedded files', sizes),
  ];
}

/** @throws FormatError if an archive is damaged */
export async function inspectInitrd(image: RandomAccess): Promise<InitrdInspection> {
  const system = await readRamdiskSystem(sourceOfImage(image));
  const { build, hasRootfs, embedded: files } = system;
  const isLive = build !== undefined;
  const { issues, read } = damageReader();
  const features = isLive
    ? await read(unreadableParts.features, async () => readInitrdFeatures(system))
    : undefined;
  const source = hasRootfs ? 'initramfs' : 'network';
  const sizes = [...files.values()].map(({ length }) => length);
  return {
    kind: 'initramfs',
    size: image.size,
    build,
    hasRootfs,
    features,
    files,
    memory: [
      ...(!isLive ? [] : liveMemory(source, { initramfs: image.size })),
      ...filesMemory('embedded files', sizes),
    ],
    issues: [...issues, ...(isLive ? checkInitrd(files, features) : checkNetwork(files, undefined))],
  };
}

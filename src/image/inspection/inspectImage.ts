/**
 * Inspects a live ISO or an initramfs, and continues after damaged parts. Of an ISO, only the necessary files are read: not
 * the contents of its initramfs, EFI boot image and root filesystem. Of an initramfs for network boot, or of archives to
 * append to one, only the files of CoreOS and of this program are inspected, not the thousands of other files.
 */

import { FormatError, ifWellFormed, replaceFormatError } from '../../core/errors.ts';
import type { Issue } from '../../ignition/rule.ts';
import { addedFiles, bytesBehind, readAppendix, volumeEnds } from '../appendix.ts';
import { findArchitecture } from '../bootParts.ts';
import type { Architecture } from '../../core/architecture.ts';
import { type EmbedArea, findEmbedArea, readEmbedArea } from '../embedArea.ts';
import { hasAreaHeader } from '../growth.ts';
import { sourceOfImage } from '../initrd.ts';
import { type IsoTree, openIsoTree } from '../isoTree.ts';
import { findKargsAreas, findKargsLayout } from '../kargsAreas.ts';
import { readIsoFeatures } from '../liveFeatures.ts';
import { decodeMinisoData, MAX_MINISO, MINISO_PATH } from '../minimalIso/minisoData.ts';
import { CHUNK, type ImageAccess, type RandomAccess, slice } from '../overlay.ts';
import { readInitrdFeatures, readMarks, versionIn } from '../ramdiskSystem.ts';
import { readRollback } from '../rollback.ts';
import { imageRules } from './imageRules.ts';
import {
  type Appended,
  attempt,
  type BootingIso,
  checkInitrd,
  checkIso,
  checkNetwork,
  type InitrdInspection,
  type InspectedKargs,
  type IsoInspection,
  issueOf,
  type Leftover,
} from './inspection.ts';
import { splitArguments } from '../../kargs/argument.ts';
import { filesMemory, liveMemory, type MemoryPart } from './memoryNeed.ts';
import { coreosArguments } from '../../kargs/coreosArguments.ts';

interface Iso {
  /** Of the image without the rollback journal of an unfinished edit. */
  readonly tree: IsoTree;
  /** Damaged parts. */
  readonly issues: Issue[];
}

const ROOTFS = 'images/pxeboot/rootfs.img';
const INITRAMFS = 'images/pxeboot/initrd.img';
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
  const iso: Iso = { tree: await openIsoTree(image), issues: [] };
  if (journal !== undefined) iso.issues.push(issueOf(imageRules.editUnfinished));
  const area = await attempt(iso, imageRules.embedAreaUnreadable, () => findEmbedArea(iso.tree));
  // The hint is for damaged contents, which can be cleared. A damaged description of the area cannot be repaired.
  const files =
    area &&
    (await attempt(iso, imageRules.embedAreaUnreadable, () => {
      const { hint } = imageRules.embedAreaUnreadable;
      return readEmbedArea(image, area).catch(
        replaceFormatError((error) => new FormatError(error.message, { hint, cause: error })),
      );
    }));
  const kargs = await readKargs(iso);
  const features = await attempt(iso, imageRules.featuresUnreadable, () => readIsoFeatures(iso.tree));
  const appended = await attempt(iso, imageRules.appendixUnreadable, () => readAppended(iso, area));
  // During an unfinished edit, the end of the image is not inspected.
  const leftovers: readonly Leftover[] =
    journal === undefined ? await findLeftovers(iso, appended) : ['unfinished edit'];
  const facts = await attempt(iso, imageRules.layoutUnreadable, () => readFacts(iso, kargs));
  const isOtherSystem = features?.otherSystem === true;
  const isMinimal = facts?.isMinimal === true && !isOtherSystem;
  const initramfs = await attempt(
    iso,
    imageRules.layoutUnreadable,
    async () => (await iso.tree.find(INITRAMFS))?.size,
  );
  const label = iso.tree.volume.volumeId;
  const booting = { label, isMinimal, kargs: kargs?.current, files, features };
  return {
    kind: 'iso',
    size: source.size,
    label,
    ...(facts ?? { hasMinimalIso: false, layout: 'unknown', bootLoaders: [] }),
    isMinimal,
    ...(area !== undefined && { embedArea: { ...area, used: await usedBytes(image, area) } }),
    ...(files !== undefined && { files }),
    ...(kargs !== undefined && { kargs }),
    ...(features !== undefined && { features }),
    ...(appended !== undefined && { appended }),
    leftovers,
    memory: isOtherSystem
      ? filesMemory('initramfs', [initramfs ?? 0])
      : memoryFor(booting, facts?.rootfsSize, initramfs),
    issues: [...iso.issues, ...checkIso(booting)],
  };
}

async function findLeftovers({ tree, issues }: Iso, appended: Appended | undefined): Promise<Leftover[]> {
  const { image } = tree;
  const isUsed = appended === undefined || appended.hasGrown || appended.files.length > 0;
  const bytes = isUsed ? await bytesBehind(tree) : image.size - appended.originalSize;
  const [first, ...others] = volumeEnds(tree);
  const leftovers: Leftover[] = [];
  if (others.some((end) => end !== first)) {
    leftovers.push('volume descriptors');
    const found = 'its volume descriptors differ, probably because of an interrupted edit';
    issues.push(issueOf(imageRules.endUnexpected, found));
  }
  if (bytes > 0) {
    leftovers.push('bytes after the end');
    const found = `${bytes} bytes after its end, probably of an interrupted edit; they may contain secrets`;
    if (!(await isPadding(image, bytes))) issues.push(issueOf(imageRules.endUnexpected, found));
  }
  return leftovers;
}

/** Whether the last `bytes` of an image are zeros, as added by copying programs. Checks only both ends of the range. */
async function isPadding(image: ImageAccess, bytes: number): Promise<boolean> {
  const length = Math.min(bytes, CHUNK);
  for (const offset of [image.size - bytes, image.size - length]) {
    if ((await image.read(offset, length)).some((byte) => byte !== 0)) return false;
  }
  return true;
}

/** Returns the areas also if their contents cannot be read. */
async function readKargs(iso: Iso): Promise<InspectedKargs | undefined> {
  const { tree } = iso;
  const layout = await attempt(iso, imageRules.kernelArgumentsUnreadable, () => findKargsLayout(tree));
  if (layout === undefined) return undefined;
  const areas = await attempt(iso, imageRules.kernelArgumentsUnreadable, () => findKargsAreas(tree));
  return { ...layout, ...(areas !== undefined && { current: areas.current }) };
}

async function readAppended({ tree }: Iso, area: EmbedArea | undefined): Promise<Appended | undefined> {
  const appendix = await readAppendix(tree);
  if (appendix === undefined) return undefined;
  const { originalSize } = appendix;
  const added = await addedFiles(tree, appendix);
  return {
    originalSize,
    hasGrown: area !== undefined && area.offset >= originalSize,
    files: added.map(({ name, size }) => ({ name, size })),
  };
}

type Facts = Pick<
  IsoInspection,
  'isMinimal' | 'rootfsSize' | 'hasMinimalIso' | 'layout' | 'architecture' | 'bootLoaders'
>;

async function readFacts({ tree }: Iso, kargs: InspectedKargs | undefined): Promise<Facts> {
  const rootfs = await tree.find(ROOTFS);
  const architecture = await findArchitecture(tree);
  const bootLoaders: string[] = [];
  for (const [path, loader, only = architecture] of LOADERS) {
    if (architecture === only && (await tree.find(path)) !== undefined) bootLoaders.push(loader);
  }
  return {
    isMinimal: rootfs === undefined,
    ...(rootfs !== undefined && { rootfsSize: rootfs.size }),
    hasMinimalIso: await hasMinisoData(tree),
    layout: await findLayout(tree, kargs !== undefined),
    ...(architecture !== undefined && { architecture }),
    bootLoaders,
  };
}

async function hasMinisoData(tree: IsoTree): Promise<boolean> {
  const entry = await tree.find(MINISO_PATH);
  if (entry?.kind !== 'file' || entry.size > MAX_MINISO) return false;
  const bytes = await tree.readFile(entry, { maxBytes: MAX_MINISO });
  return ifWellFormed(() => decodeMinisoData(bytes)) !== undefined;
}

/**
 * Detects the layout from the descriptions of the reserved areas, which changed several times. The dates are those of Fedora
 * CoreOS; RHEL CoreOS changed up to a year later.
 */
async function findLayout(tree: IsoTree, hasKargs: boolean): Promise<string> {
  if ((await tree.find('coreos/igninfo.json')) !== undefined) return '2023 and later';
  const isOlder = await hasAreaHeader(tree.image);
  if ((await tree.find('coreos/kargs.json')) !== undefined) return isOlder ? '2021-09 to 2022-01' : '2022';
  return hasKargs ? '2020-10 to 2021-09' : 'before 2020-10';
}

/** Number of bytes up to the last byte that is not zero, rounded up to 4 bytes, the alignment of archives. */
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
  rootfsSize = 0,
  initramfs = 0,
): MemoryPart[] {
  const sizes = [...files.values()].map(({ length }) => length);
  const isCopied = splitArguments(kargs).some((argument) =>
    argument.startsWith(coreosArguments.fromRam.name),
  );
  return [
    ...liveMemory(isMinimal ? 'network' : 'medium', { initramfs }),
    ...filesMemory('copy of the root filesystem (coreos.liveiso.fromram)', isCopied ? [rootfsSize] : []),
    ...filesMemory('embedded files', sizes),
  ];
}

/** Limit of all inspected files of an initramfs in bytes. */
const MAX_KEPT = 256 * 1024 * 1024;
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
    ...(stamp !== undefined && { build: versionIn(stamp) }),
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

/** The files of a live image that a boot loader loads: their location on an ISO, and their architecture. */

import { quoteText } from '../core/foreignText.ts';
import type { Architecture } from '../core/architecture.ts';
import { FormatError } from '../core/errors.ts';
import { COPY_AGAIN } from './imageHints.ts';
import { type IsoEntry, type IsoTree, openIsoTree } from './isoTree.ts';
import { readKernelHeader } from './kernel.ts';
import { type ByteRange, type RandomAccess, slice } from './overlay.ts';
import { livePaths } from './livePaths.ts';

/** The parts of a live system for network boot, with the names of ironic-image. */
export const imageParts = ['kernel', 'initramfs', 'rootfs'] as const;

export type ImagePart = (typeof imageParts)[number];

/** A part, or a live ISO, which contains all of them. */
export type ImageRole = ImagePart | 'iso';

const namesOnIso: Readonly<Record<ImagePart, readonly string[]>> = {
  kernel: ['vmlinuz', 'kernel.img'],
  initramfs: ['initrd.img'],
  rootfs: ['rootfs.img'],
};

/**
 * Returns the range of the part on a live ISO, or undefined.
 * @throws FormatError if the image is not a live ISO
 */
export async function findBootPart(iso: RandomAccess, part: ImagePart): Promise<ByteRange | undefined> {
  const files = await findPxeFiles(await openIsoTree(iso));
  return namesOnIso[part].map((name) => files.find((file) => file.name === name)).find(Boolean);
}

export interface PxeFile extends ByteRange {
  /** In lower case, e.g. `rootfs.img`; never a path. */
  readonly name: string;
}

const FOLDER = 'images/pxeboot';
/** Characters that lead to another folder, or that control a terminal. */
// oxlint-disable-next-line no-control-regex -- names on an image are untrusted
const UNSAFE = /[/\\\u0000-\u001f\u007f-\u009f]/;

/**
 * All files of the folder, in the order of the image.
 * @throws FormatError if the folder is missing, or a name or a range is invalid
 */
export async function findPxeFiles(tree: IsoTree): Promise<readonly PxeFile[]> {
  const folder = await tree.find(FOLDER);
  if (folder?.kind !== 'directory') {
    throw new FormatError(`Unrecognized CoreOS ISO image: it contains no ${FOLDER}`, {
      hint: 'use a live ISO of CoreOS',
    });
  }
  const files = (await tree.list(folder)).filter(({ kind }) => kind === 'file');
  return files.map((file) => pxeFile(file, tree.image.size));
}

/** Uses the name in the primary tree, because scripts rely on it. */
function pxeFile({ recordName, offset, size }: IsoEntry, imageSize: number): PxeFile {
  const name = recordName.toLowerCase();
  if (name === '' || UNSAFE.test(name)) {
    throw new FormatError(`path ${quoteText(name)} contains path traversal`, {
      hint: 'download the image from a trusted source; nothing was written',
    });
  }
  if (offset + size > imageSize) {
    throw new FormatError(`ISO image is incomplete: ${name} exceeds the end of the image`, {
      hint: COPY_AGAIN,
    });
  }
  return { name, offset, length: size };
}

/** Files that only images of one architecture contain, most specific first. A kernel of s390x has no header. */
const SIGNS: readonly (readonly [path: string, architecture: Architecture])[] = [
  ['images/cdboot.img', 's390x'],
  ['isolinux', 'x86_64'],
  ['boot/grub', 'ppc64le'],
  ['EFI', 'aarch64'],
];

/** The architecture of the kernel, or else of the other files; undefined if neither is recognized. */
export async function findArchitecture(tree: IsoTree): Promise<Architecture | undefined> {
  const { image } = tree;
  const kernel = await tree.find(livePaths.kernel);
  const length = Math.min(kernel?.size ?? 0, image.size - (kernel?.offset ?? 0));
  if (kernel?.kind === 'file' && length > 0) {
    const header = await readKernelHeader(slice(image, { offset: kernel.offset, length }));
    // A kernel of another architecture, such as riscv64, also has a header.
    if (header !== undefined) return header.architecture;
  }
  for (const [path, architecture] of SIGNS) {
    if ((await tree.find(path)) !== undefined) return architecture;
  }
  return undefined;
}

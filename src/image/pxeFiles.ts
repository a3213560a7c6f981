/** The files for network boot on a live ISO: kernel, initramfs and root filesystem, on s390x also `kernel.img`. */

import { FormatError } from '../core/errors.ts';
import type { IsoEntry, IsoTree } from './isoTree.ts';
import type { ByteRange } from './overlay.ts';

/** A file by its place on the image. */
export interface PxeFile extends ByteRange {
  /** In lower case, e.g. `rootfs.img`; never a path. */
  readonly name: string;
}

const FOLDER = 'images/pxeboot';
/** Real images have three or four. */
const MAX_FILES = 100;
/** What would lead to another folder, or confuse a terminal. */
// oxlint-disable-next-line no-control-regex -- names on an image are anybody's
const UNSAFE = /[/\\\u0000-\u001f\u007f-\u009f]/;

/**
 * All files of the folder, in the order of the image.
 * @param size of the image
 * @throws FormatError where it has no such folder, or names and places that cannot be right
 */
export async function findPxeFiles(
  tree: IsoTree,
  { size }: { readonly size: number },
): Promise<readonly PxeFile[]> {
  const folder = await tree.find(FOLDER);
  if (folder?.kind !== 'directory') {
    throw new FormatError(`Unrecognized CoreOS ISO image: it has no ${FOLDER}`, {
      hint: 'give a live ISO of CoreOS',
    });
  }
  const files = (await tree.list(folder)).filter(({ kind }) => kind === 'file');
  if (files.length > MAX_FILES) throw new FormatError(`more than ${MAX_FILES} files in ${FOLDER}`);
  return files.map((file) => pxeFile(file, size));
}

/** The name of the primary tree, because scripts know the files by it. */
function pxeFile({ recordName, offset, size }: IsoEntry, imageSize: number): PxeFile {
  const name = recordName.toLowerCase();
  if (name === '' || UNSAFE.test(name)) {
    throw new FormatError(`path ${JSON.stringify(name)} contains path traversal`, {
      hint: 'nothing was written: the image is damaged, or was made to do harm',
    });
  }
  if (offset + size > imageSize) {
    throw new FormatError(`ISO image is incomplete: ${name} reaches beyond its end`, {
      hint: 'copy it again',
    });
  }
  return { name, offset, length: size };
}

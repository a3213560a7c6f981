/** The files of a live image that a boot loader loads: their location on an ISO, their architecture, and unpacked kernels. */

import { quoteText } from '../core/foreignText.ts';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Architecture } from '../core/architecture.ts';
import { FormatError, onFormatError } from '../core/errors.ts';
import { ByteReader } from '../formats/byteReader.ts';
import {
  type Compression,
  compressionAt,
  detectCompression,
  MAX_MAGIC,
  unpackMember,
} from '../formats/compression.ts';
import { COPY_AGAIN } from './imageHints.ts';
import { sourceOfImage } from './initrd.ts';
import { type IsoEntry, type IsoTree, openIsoTree } from './isoTree.ts';
import { type ByteRange, chunksOf, type RandomAccess, slice } from './overlay.ts';

/** The parts of a live system for network boot, with the names of ironic-image. */
export const imageParts = ['kernel', 'initramfs', 'rootfs'] as const;

export type ImagePart = (typeof imageParts)[number];

/** A part, or a live ISO, which contains all of them. */
export type ImageRole = ImagePart | 'iso';

/** Names of the parts on an ISO. */
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

/** Kernels of aarch64 are compressed by gzip, but UEFI and iPXE start only unpacked kernels. */
export async function isPackedKernel(image: RandomAccess, { offset, length }: ByteRange): Promise<boolean> {
  return detectCompression(await image.read(offset, Math.min(MAX_MAGIC, length))) === 'gzip';
}

/** Limit of an unpacked kernel in bytes; real kernels have less than a tenth of it. */
const MAX_KERNEL = 1024 ** 3;

/** @throws FormatError if the kernel cannot be decompressed or is too large; errors of reading the image */
export async function* unpackKernel(image: RandomAccess, range: ByteRange): AsyncGenerator<Uint8Array, void> {
  const gunzip = createGunzip();
  const packed = Readable.from(chunksOf(image, range)).once('error', (error) => gunzip.destroy(error));
  let size = 0;
  try {
    for await (const chunk of packed.pipe(gunzip) as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > MAX_KERNEL) {
        throw new FormatError(`the decompressed kernel is larger than ${MAX_KERNEL} bytes`, {
          hint: 'use a kernel of CoreOS',
        });
      }
      yield chunk;
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!code.startsWith('Z_')) throw error;
    throw new FormatError('the kernel cannot be decompressed', {
      hint: 'download the kernel again: ironic-coreos download -f pxe',
      cause: error,
    });
  } finally {
    packed.destroy();
    gunzip.destroy();
  }
}

/** A file as a range of the image. */
export interface PxeFile extends ByteRange {
  /** In lower case, e.g. `rootfs.img`; never a path. */
  readonly name: string;
}

const FOLDER = 'images/pxeboot';
/** Real images have three or four. */
const MAX_FILES = 100;
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
  if (files.length > MAX_FILES) throw new FormatError(`more than ${MAX_FILES} files in ${FOLDER}`);
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

const KERNEL = 'images/pxeboot/vmlinuz';
/** Bytes of the kernel that contain the headers of both formats. */
const HEADERS = 1024;

/** Values of the machine field of PE, the format of EFI kernels. */
const PE_MACHINES: ReadonlyMap<number, Architecture> = new Map([
  [0x8664, 'x86_64'],
  [0xaa64, 'aarch64'],
]);
/** Values of the machine field of ELF. */
const ELF_MACHINES: ReadonlyMap<number, Architecture> = new Map([
  [21, 'ppc64le'],
  [22, 's390x'],
  [62, 'x86_64'],
  [183, 'aarch64'],
]);
/** Files that only images of one architecture contain, most specific first. A kernel of s390x has no header. */
const SIGNS: readonly (readonly [path: string, architecture: Architecture])[] = [
  ['images/cdboot.img', 's390x'],
  ['isolinux', 'x86_64'],
  ['boot/grub', 'ppc64le'],
  ['EFI', 'aarch64'],
];

/** The start of a file, unpacked. */
export interface FileStart {
  readonly format: Compression;
  /** No bytes if the data cannot be unpacked. */
  readonly head: Buffer;
}

/** Unpacks only the first bytes, whatever size the compressed data state. */
export async function readStart(image: RandomAccess): Promise<FileStart> {
  const reader = new ByteReader('compressed', sourceOfImage(image));
  const format = await compressionAt(reader);
  if (format === 'none')
    return { format, head: Buffer.from(await image.read(0, Math.min(HEADERS, image.size))) };
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of unpackMember(format, reader, { maxBytes: Infinity })) {
      pieces.push(Uint8Array.from(piece.subarray(0, HEADERS)));
      length += piece.length;
      if (length >= HEADERS) break;
    }
  } catch (error) {
    onFormatError(() => undefined)(error); // damaged data are reported when all of it is read
  }
  return { format, head: Buffer.concat(pieces) };
}

/** The architecture of the kernel, or else of the other files; undefined if neither is recognized. */
export async function findArchitecture(tree: IsoTree): Promise<Architecture | undefined> {
  const { image } = tree;
  const kernel = await tree.find(KERNEL);
  const length = Math.min(kernel?.size ?? 0, image.size - (kernel?.offset ?? 0));
  if (kernel?.kind === 'file' && length > 0) {
    const { head } = await readStart(slice(image, { offset: kernel.offset, length }));
    const found = kernelArchitecture(head);
    // A kernel of another architecture, such as riscv64, also has a header.
    if (found !== undefined || isKernelHead(head)) return found;
  }
  for (const [path, architecture] of SIGNS) {
    if ((await tree.find(path)) !== undefined) return architecture;
  }
  return undefined;
}

/**
 * Magic numbers in the headers of kernels: of the boot protocol of x86 (Documentation/arch/x86/boot.rst) and of the images of
 * arm64 and riscv (booting.rst, boot-image-header.rst). UEFI starts kernels as PE programs, with these headers or without them.
 */
const KERNEL_MARKS: readonly (readonly [offset: number, mark: string, architecture?: Architecture])[] = [
  [514, 'HdrS', 'x86_64'],
  [56, 'ARM\x64', 'aarch64'],
  [56, 'RSC\x05'],
];

/** The architecture in the header of a kernel; undefined for other data, and for architectures without CoreOS. */
export function kernelArchitecture(head: Uint8Array): Architecture | undefined {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  if (isElf(bytes)) return ELF_MACHINES.get(uint16(bytes, 18));
  const header = peHeader(bytes);
  if (header !== undefined) return PE_MACHINES.get(uint16(bytes, header + 4));
  return KERNEL_MARKS.find(([offset, mark]) => hasMark(bytes, offset, mark))?.[2];
}

/** Whether these are the first bytes of a kernel of any architecture but s390x, whose kernels have no header. */
export function isKernelHead(head: Uint8Array): boolean {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  if (isElf(bytes) || peHeader(bytes) !== undefined) return true;
  return KERNEL_MARKS.some(([offset, mark]) => hasMark(bytes, offset, mark));
}

function hasMark(bytes: Buffer, offset: number, mark: string): boolean {
  return bytes.toString('latin1', offset, offset + mark.length) === mark;
}

function isElf(bytes: Buffer): boolean {
  return hasMark(bytes, 0, '\x7fELF');
}

/** The offset of the PE header, to which the header of DOS refers. */
function peHeader(bytes: Buffer): number | undefined {
  if (bytes.toString('latin1', 0, 2) !== 'MZ' || bytes.length < 64) return undefined;
  const header = bytes.readUInt32LE(60);
  return bytes.toString('latin1', header, header + 4) === 'PE\0\0' ? header : undefined;
}

/** Reads little-endian order, which all architectures except s390x use; returns -1 after the end. */
function uint16(bytes: Buffer, offset: number): number {
  return offset + 2 > bytes.length ? -1 : bytes.readUInt16LE(offset);
}

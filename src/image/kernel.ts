/** Linux kernels: what their headers say, and how they are unpacked. */

import type { Architecture } from '../core/architecture.ts';
import { FormatError } from '../core/errors.ts';
import { ByteReader } from '../formats/byteReader.ts';
import { detectCompression, MAX_MAGIC } from '../formats/compressionFormat.ts';
import { unpackGzip } from '../formats/gzip.ts';
import { readStart } from './fileStart.ts';
import { sourceOfImage } from './initrd.ts';
import { hasTextAt, type RandomAccess } from './overlay.ts';

export interface KernelHeader {
  /** Undefined for an architecture without CoreOS. */
  readonly architecture: Architecture | undefined;
}

/** Undefined for a file that is no kernel. */
export async function readKernelHeader(image: RandomAccess): Promise<KernelHeader | undefined> {
  if (await hasTextAt(image, S390_MARK.offset, S390_MARK.text)) return { architecture: 's390x' };
  const { head } = await readStart(image);
  return headerIn(head);
}

/** Kernels of aarch64 are compressed by gzip, but UEFI and iPXE start only unpacked kernels. */
export async function isPackedKernel(image: RandomAccess): Promise<boolean> {
  return detectCompression(await image.read(0, Math.min(MAX_MAGIC, image.size))) === 'gzip';
}

/** Limit of an unpacked kernel in bytes; real kernels have less than a tenth of it. */
const MAX_KERNEL = 1024 ** 3;

/** @throws FormatError if the kernel cannot be decompressed or is too large; errors of reading the image */
export async function* unpackKernel(image: RandomAccess): AsyncGenerator<Uint8Array, void> {
  try {
    yield* unpackGzip(new ByteReader('gzip', sourceOfImage(image)), MAX_KERNEL);
  } catch (cause) {
    if (!(cause instanceof FormatError)) throw cause;
    throw new FormatError('the kernel cannot be decompressed', {
      hint: 'download the kernel again: ironic-coreos download -f pxe',
      cause,
    });
  }
}

/** A kernel of s390x: `EP_STRING` at `EP_OFFSET` (arch/s390/include/asm/setup.h). */
const S390_MARK = { offset: 0x1_0008, text: 'S390EP' };

/** Values of the machine field of PE, the format of EFI kernels. */
const PE_MACHINES: ReadonlyMap<number, Architecture> = new Map([
  [0x8664, 'x86_64'],
  [0xaa64, 'aarch64'],
]);
/** Values of the machine field of ELF in little-endian order, which all architectures but s390x have. */
const ELF_MACHINES: ReadonlyMap<number, Architecture> = new Map([
  [21, 'ppc64le'],
  [62, 'x86_64'],
  [183, 'aarch64'],
]);
/**
 * Magic numbers in the headers of kernels: of the boot protocol of x86 (Documentation/arch/x86/boot.rst) and of the images of
 * arm64 and riscv (booting.rst, boot-image-header.rst). UEFI starts kernels as PE programs, with these headers or without them.
 */
const KERNEL_MARKS: readonly (readonly [offset: number, mark: string, architecture?: Architecture])[] = [
  [514, 'HdrS', 'x86_64'],
  [56, 'ARM\x64', 'aarch64'],
  [56, 'RSC\x05'],
];

/** Undefined for bytes that begin no kernel. */
function headerIn(head: Buffer): KernelHeader | undefined {
  if (hasMark(head, 0, '\x7fELF')) return { architecture: ELF_MACHINES.get(uint16(head, 18)) };
  const header = peHeader(head);
  if (header !== undefined) return { architecture: PE_MACHINES.get(uint16(head, header + 4)) };
  const mark = KERNEL_MARKS.find(([offset, text]) => hasMark(head, offset, text));
  return mark && { architecture: mark[2] };
}

function hasMark(bytes: Buffer, offset: number, mark: string): boolean {
  return bytes.toString('latin1', offset, offset + mark.length) === mark;
}

/** The offset of the PE header, to which the header of DOS refers. */
function peHeader(bytes: Buffer): number | undefined {
  if (bytes.toString('latin1', 0, 2) !== 'MZ' || bytes.length < 64) return undefined;
  const header = bytes.readUInt32LE(60);
  return bytes.toString('latin1', header, header + 4) === 'PE\0\0' ? header : undefined;
}

/** -1 after the end. */
function uint16(bytes: Buffer, offset: number): number {
  return offset + 2 > bytes.length ? -1 : bytes.readUInt16LE(offset);
}

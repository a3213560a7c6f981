/** The shared images of a folder: kernel, initramfs and root filesystem of each architecture, put there once. */

import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { Architecture } from '../../boot/checkForms.ts';
import { CliError } from '../../errors.ts';
import { detectCompression, MAX_MAGIC } from '../../formats/compression.ts';
import { openIsoTree } from '../../image/isoTree.ts';
import { type ByteRange, chunksOf } from '../../image/overlay.ts';
import { findPxeFiles } from '../../image/pxeFiles.ts';
import { copyRange } from '../../io/copyRange.ts';
import { errorCode } from '../../io/fileErrors.ts';
import { writeAll } from '../../io/handles.ts';
import type { OpenImage } from '../../io/imageBytes.ts';
import type { Io } from '../../io/io.ts';
import { createFile, type NewFile } from '../../io/newFile.ts';
import type { Access, FilePurpose, PreparedFolder } from '../../io/preparedFolder.ts';
import { readImage } from '../../io/readImage.ts';
import { type ImagePart, imageParts, imagePath, imageSetId } from '../../prepare/servedPaths.ts';
import type { InputImage, InputImages } from './imageInputs.ts';

/** Images of one architecture, as they are in the folder. */
export interface ImageSet {
  readonly architecture: Architecture;
  /** The folder below `images`. */
  readonly id: string;
  /** Paths in the folder. */
  readonly parts: Readonly<Partial<Record<ImagePart, string>>>;
  readonly iso: InputImage | undefined;
}

/** Where images go. */
export interface ImagePlace {
  readonly folder: PreparedFolder;
  readonly access: Access;
  readonly pathOf: (part: ImagePart) => string;
}

/** Names the images, and puts those that scripts load into the folder where `isServed`. */
export async function putImageSet(
  images: InputImages,
  { folder, access, isServed }: Omit<ImagePlace, 'pathOf'> & { readonly isServed: boolean },
  io: Io,
): Promise<ImageSet> {
  const inputs = [...images.values()];
  const architecture = inputs[0]?.architecture ?? 'x86_64';
  const id = imageSetId(
    architecture,
    inputs.map(({ role, sha256 }) => `${role} ${sha256}`),
  );
  const place = { folder, access, pathOf: (part: ImagePart) => imagePath(id, part) };
  const parts = isServed ? await putImages(images, place, io) : {};
  return { architecture, id, parts, iso: images.get('iso') };
}

/**
 * Puts kernel, initramfs and root filesystem into the folder, whichever are given: files as they are, the others from the
 * ISO. Gives their paths in the folder.
 * @throws CliError where an image cannot be read, or the folder not be written
 */
export async function putImages(
  images: InputImages,
  place: ImagePlace,
  io: Io,
): Promise<Readonly<Partial<Record<ImagePart, string>>>> {
  const iso = images.get('iso');
  const parts: Partial<Record<ImagePart, string>> = {};
  // What is large and read last comes first, so that a kernel never waits for what is not there yet.
  for (const part of imageParts.toReversed()) {
    const file = images.get(part);
    const isDone =
      file === undefined ? await takeFromIso(iso, part, place, io) : await takeFile(file, part, place, io);
    if (isDone) parts[part] = place.pathOf(part);
  }
  return parts;
}

async function takeFile(file: InputImage, part: ImagePart, place: ImagePlace, io: Io): Promise<boolean> {
  const purpose = purposeOf(part, place);
  const isPacked =
    part === 'kernel' &&
    file.architecture === 'aarch64' &&
    (await readImage(file.name, { cwd: io.cwd }, (image) =>
      isGzip(image, { offset: 0, length: image.size }),
    ));
  if (!isPacked) await place.folder.share(purpose, file.path);
  else {
    await place.folder.make({ ...purpose, recipe: recipeOf(file, part) }, (target) =>
      readImage(file.name, { cwd: io.cwd }, (image) =>
        unpack(image, { offset: 0, length: image.size }, target),
      ),
    );
  }
  return true;
}

/** Names of the parts on an ISO. */
const namesOnIso: Readonly<Record<ImagePart, readonly string[]>> = {
  kernel: ['vmlinuz', 'kernel.img'],
  initramfs: ['initrd.img'],
  rootfs: ['rootfs.img'],
};

async function takeFromIso(
  iso: InputImage | undefined,
  part: ImagePart,
  place: ImagePlace,
  io: Io,
): Promise<boolean> {
  if (iso === undefined) return false;
  return readImage(iso.name, { cwd: io.cwd }, async (image) => {
    const files = await findPxeFiles(await openIsoTree(image), image);
    const file = namesOnIso[part].map((name) => files.find((found) => found.name === name)).find(Boolean);
    if (file === undefined) return false;
    const isPacked = part === 'kernel' && iso.architecture === 'aarch64' && (await isGzip(image, file));
    await place.folder.make({ ...purposeOf(part, place), recipe: recipeOf(iso, part) }, (target) =>
      isPacked
        ? unpack(image, file, target)
        : createFile(target, ({ handle }) => copyRange(image, file, handle)),
    );
    return true;
  });
}

function purposeOf(part: ImagePart, { access, pathOf }: ImagePlace): FilePurpose {
  return { path: pathOf(part), ...access };
}

function recipeOf({ role, sha256 }: InputImage, part: ImagePart): string {
  return createHash('sha256').update(`${part} of ${role} ${sha256}`).digest('hex');
}

async function isGzip(image: OpenImage, { offset, length }: ByteRange): Promise<boolean> {
  return detectCompression(await image.read(offset, Math.min(MAX_MAGIC, length))) === 'gzip';
}

/** Bytes of an unpacked kernel; real ones have less than a tenth of it. */
const MAX_KERNEL = 1024 ** 3;

/** UEFI and iPXE start what is a program, and no archive of one. */
async function unpack(image: OpenImage, range: ByteRange, target: NewFile): Promise<void> {
  try {
    await createFile(target, ({ handle }) =>
      pipeline(Readable.from(chunksOf(image, range)), createGunzip(), (chunks: AsyncIterable<Uint8Array>) =>
        writeChunks(handle, chunks),
      ),
    );
  } catch (error) {
    const cause = error instanceof CliError ? error.cause : error;
    if (!/^(?:Z_|ERR_)/.test(errorCode(cause) ?? '')) throw error;
    throw new CliError(`${image.name}: the kernel cannot be unpacked`, { hint: 'download it again', cause });
  }
}

async function writeChunks(handle: FileHandle, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  let offset = 0;
  for await (const chunk of chunks) {
    if (offset + chunk.length > MAX_KERNEL) {
      throw new CliError(`The kernel is larger than ${MAX_KERNEL} bytes when it is unpacked`, {
        hint: 'is this the right file?',
      });
    }
    await writeAll(handle, chunk, offset);
    offset += chunk.length;
  }
}

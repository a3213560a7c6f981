/** The shared images of a folder: kernel, initramfs and root filesystem of each architecture, put there once. */

import { createHash } from 'node:crypto';
import type { Architecture } from '../core/architecture.ts';
import type { LiveParts } from '../image/inspection/memoryNeed.ts';
import {
  findBootPart,
  type ImagePart,
  imageParts,
  isPackedKernel,
  unpackKernel,
} from '../image/bootParts.ts';
import type { ByteRange } from '../image/overlay.ts';
import { writeChunks } from '../io/files/handles.ts';
import { writeHashed } from '../io/images/copyImage.ts';
import type { OpenImage } from '../io/images/imageBytes.ts';
import type { Io } from '../io/io.ts';
import { createFile, type NewFile } from '../io/files/newFile.ts';
import type { Access, FilePurpose, PreparedFolder } from './folder/preparedFolder.ts';
import { readImage } from '../io/images/imageFile.ts';
import { imagePath, imageSetId } from '../hosts/artifacts/servedPaths.ts';
import type { InputImage, InputImages } from '../hosts/plan/imageInputs.ts';
import type { ImageSet } from '../hosts/plan/imageSet.ts';

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
  const id = imageSetId(architecture, inputs);
  const place = { folder, access, pathOf: (part: ImagePart) => imagePath(id, part) };
  const parts = isServed ? await putImages(images, place, io) : {};
  return { architecture, id, parts, iso: images.get('iso'), sizes: await sizesOf(images, io) };
}

/** A file by itself counts before the one on the ISO, as it does where they are put. */
export async function sizesOf(images: InputImages, io: Io): Promise<LiveParts> {
  const iso = images.get('iso');
  const onIso = iso === undefined ? {} : await readImage(iso.name, { cwd: io.cwd }, sizesOnIso);
  return {
    rootfs: images.get('rootfs')?.size ?? onIso.rootfs,
    initramfs: images.get('initramfs')?.size ?? onIso.initramfs,
  };
}

async function sizesOnIso(image: OpenImage): Promise<LiveParts> {
  return {
    rootfs: (await findBootPart(image, 'rootfs'))?.length,
    initramfs: (await findBootPart(image, 'initramfs'))?.length,
  };
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
  const isPacked = await readImage(file.name, { cwd: io.cwd }, (image) =>
    needsUnpacking(image, { offset: 0, length: image.size }, { part, ...file }),
  );
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

async function takeFromIso(
  iso: InputImage | undefined,
  part: ImagePart,
  place: ImagePlace,
  io: Io,
): Promise<boolean> {
  if (iso === undefined) return false;
  return readImage(iso.name, { cwd: io.cwd }, async (image) => {
    const file = await findBootPart(image, part);
    if (file === undefined) return false;
    const isPacked = await needsUnpacking(image, file, { part, ...iso });
    await place.folder.make({ ...purposeOf(part, place), recipe: recipeOf(iso, part) }, (target) =>
      isPacked ? unpack(image, file, target) : writeHashed(image, target, file),
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

async function needsUnpacking(
  image: OpenImage,
  range: ByteRange,
  { part, architecture }: { readonly part: ImagePart; readonly architecture: Architecture },
): Promise<boolean> {
  return part === 'kernel' && architecture === 'aarch64' && (await isPackedKernel(image, range));
}

async function unpack(image: OpenImage, range: ByteRange, target: NewFile): Promise<void> {
  await createFile(target, ({ handle }) => writeChunks(handle, unpackKernel(image, range)));
}

/** The base images that all hosts share, open while files are created or served from them. */

import { createHash } from 'node:crypto';
import type { Architecture } from '../../core/architecture.ts';
import { splitArguments } from '../../kargs/argument.ts';
import { CliError, FormatError, only, type ErrorContext, located } from '../../core/errors.ts';
import { once } from '../../core/once.ts';
import { imageSetId } from './servedPaths.ts';
import type { BaseCatalog, ImagesName } from './baseCatalog.ts';
import type { InputImage, InputImages } from './imageInputs.ts';
import { findBootPart, type ImagePart, imageParts } from '../../image/bootParts.ts';
import { type LiveFeatures, parseFeatures } from '../../image/liveFeatures.ts';
import { sourceOfImage } from '../../image/initrd.ts';
import type { Growth } from '../../image/growth.ts';
import { type LiveIso, openLiveIso } from '../../image/liveIso.ts';
import { isPackedKernel, unpackKernel } from '../../image/kernel.ts';
import { findRamdiskSystem, readRamdiskSystem } from '../../image/ramdiskSystem.ts';
import {
  openMinimalIso,
  refuseCustomized,
  type Reconstruction,
  verifyReconstruction,
} from '../../image/minimalIso/extract.ts';
import { type ImageBytes, slice } from '../../image/overlay.ts';
import type { OpenImage } from '../../imagefile/openImage.ts';
import { openSharedImage } from '../../imagefile/sharedImage.ts';
import { openSpooled } from '../../imagefile/spool.ts';

export interface BaseImage {
  readonly file: OpenImage;
  readonly bytes: ImageBytes;
  /** Identifies the content; hexadecimal. */
  readonly digest: string;
  /** Absolute path of the file; undefined for a part of a file. */
  readonly path: string | undefined;
}

/** The images of one architecture and stream. */
export interface BaseSet {
  readonly architecture: Architecture;
  /** Changes with any of the images. */
  readonly id: string;
  readonly inputs: InputImages;
  readonly iso: BaseImage | undefined;
  readonly parts: Readonly<Partial<Record<ImagePart, BaseImage>>>;
  /**
   * Returns undefined without an ISO, which is opened with the first call for each growth.
   * @throws CliError that names the ISO
   */
  inLiveIso<T>(growth: Growth, use: (live: LiveIso) => Promise<T>): Promise<T | undefined>;
  /** Built and verified with the first call. Undefined without an ISO. @throws CliError if it cannot be built from the ISO */
  minimalIso(): Promise<Reconstruction | undefined>;
  /** What the live system supports, by its `features.json`; read with the first call. Undefined if that file is missing. */
  readonly features: () => Promise<LiveFeatures | undefined>;
  /** The volume ID of the ISO, or else the version of the initramfs; read with the first call. Undefined for other systems than CoreOS. */
  readonly build: () => Promise<string | undefined>;
  /** The kernel arguments of the ISO; read with the first call. Empty without an ISO. */
  readonly isoKargs: () => Promise<readonly string[]>;
  /** Closes all files. */
  readonly close: () => Promise<void>;
}

/**
 * Images with the same content are opened once, also if several streams have them.
 * @throws CliError if an image cannot be read or has an unexpected type; all files are then closed
 */
export async function openBaseSets(given: BaseCatalog<InputImages>): Promise<Map<ImagesName, BaseSet>> {
  const bases = new Map<ImagesName, BaseSet>();
  try {
    for (const [name, inputs] of given) {
      const id = idOf(inputs);
      const same = [...bases.values()].find((base) => base.id === id);
      bases.set(name, same === undefined ? await openBaseSet(inputs) : { ...same, inputs });
    }
  } catch (error) {
    await closeBaseSets(bases);
    throw error;
  }
  return bases;
}

/** The paths of the files that contain the images. */
export function imageFiles(bases: Iterable<BaseSet> = []): string[] {
  return [...bases].flatMap(({ inputs }) => [...inputs.values()].map(({ path }) => path));
}

export async function closeBaseSets(bases: BaseCatalog<BaseSet>): Promise<void> {
  for (const close of new Set([...bases.values()].map((base) => base.close))) await close();
}

export async function isUnchanged({ iso, parts }: BaseSet): Promise<boolean> {
  const files = new Set([iso, ...Object.values(parts)].flatMap((image) => image?.file ?? []));
  const checks = [...files].map((file) =>
    file.checkUnchanged().then(
      () => true,
      only(CliError, () => false),
    ),
  );
  return (await Promise.all(checks)).every(Boolean);
}

function idOf(inputs: InputImages): string {
  const all = [...inputs.values()];
  return imageSetId(all[0]?.architecture ?? 'x86_64', all);
}

/** @throws CliError if an image cannot be read or has an unexpected type; all files are then closed */
export async function openBaseSet(inputs: InputImages): Promise<BaseSet> {
  const [{ architecture } = { architecture: 'x86_64' } as const] = inputs.values();
  const input = inputs.get('iso');
  const iso = input === undefined ? undefined : await openWhole(input);
  const parts: Partial<Record<ImagePart, BaseImage>> = {};
  try {
    for (const part of imageParts) {
      const file = inputs.get(part);
      const found = file === undefined ? await findOnIso(iso, part) : await openWhole(file);
      if (found === undefined) continue;
      parts[part] = found;
      if (part === 'kernel') parts[part] = await asProgram(found, architecture);
    }
  } catch (error) {
    await closeImages([iso, ...Object.values(parts)]);
    throw error;
  }
  const opened = new Map<Growth, Promise<LiveIso>>();
  const inLiveIso = async <T>(growth: Growth, use: (live: LiveIso) => Promise<T>): Promise<T | undefined> => {
    if (iso === undefined) return undefined;
    const live = opened.get(growth) ?? openLiveIso(iso.bytes, growth);
    opened.set(growth, live);
    return located(imageContext(iso), async () => use(await live));
  };
  const minimalIso = once(() => makeMinimal(iso));
  const features = once(async () =>
    iso === undefined ? findFeatures(parts.initramfs) : inLiveIso('refused', (live) => live.features()),
  );
  const build = once(async () => {
    const label = inputs.get('iso')?.label;
    if (label !== undefined || parts.initramfs === undefined) return label;
    // An initramfs that cannot be unpacked is not one of CoreOS.
    const system = readRamdiskSystem(sourceOfImage(parts.initramfs.bytes));
    return (await system.catch(only(FormatError, () => undefined)))?.build;
  });
  const isoKargs = once(async () => {
    const areas = await inLiveIso('refused', (live) => live.kargsAreas());
    return splitArguments(areas?.current ?? '');
  });
  const close = (): Promise<void> => closeImages([iso, ...Object.values(parts)]);
  const id = idOf(inputs);
  return { architecture, id, inputs, iso, parts, inLiveIso, minimalIso, features, build, isoKargs, close };
}

/** An initramfs without an ISO is read completely. */
async function findFeatures(initramfs: BaseImage | undefined): Promise<LiveFeatures | undefined> {
  if (initramfs === undefined) return undefined;
  const { features: file } = await located(imageContext(initramfs), () => findRamdiskSystem(initramfs.bytes));
  return file && parseFeatures(file, `features.json of ${initramfs.file.name}`);
}

async function closeImages(images: readonly (BaseImage | undefined)[]): Promise<void> {
  for (const file of new Set(images.map((image) => image?.file))) await file?.close();
}

async function openWhole({ path, name, sha256 }: InputImage): Promise<BaseImage> {
  const file = await openSharedImage(path, name);
  return { file, bytes: file, digest: sha256, path };
}

async function findOnIso(iso: BaseImage | undefined, part: ImagePart): Promise<BaseImage | undefined> {
  if (iso === undefined) return undefined;
  const place = await located(imageContext(iso), () => findBootPart(iso.bytes, part));
  if (place === undefined) return undefined;
  const bytes = slice(iso.file, place);
  return { file: iso.file, bytes, digest: digestOf(`${part} of ${iso.digest}`), path: undefined };
}

/** Unpacks the kernel into an unlinked temporary file: requests read parts at any offset. */
async function asProgram(kernel: BaseImage, architecture: Architecture): Promise<BaseImage> {
  const { bytes, digest, file } = kernel;
  if (architecture !== 'aarch64' || !(await isPackedKernel(bytes))) return kernel;
  const program = await located(imageContext(kernel), () => openSpooled(file.name, unpackKernel(bytes)));
  if (bytes === file) await file.close(); // other parts use the file of an ISO, too
  return { file: program, bytes: program, digest: digestOf(`unpacked ${digest}`), path: undefined };
}

async function makeMinimal(iso: BaseImage | undefined): Promise<Reconstruction | undefined> {
  if (iso === undefined) return undefined;
  return located(imageContext(iso), async () => {
    const live = await openLiveIso(iso.bytes);
    await refuseCustomized(live);
    const minimal = await openMinimalIso(live);
    await verifyReconstruction(minimal);
    return minimal;
  });
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export function imageContext({ file }: BaseImage): ErrorContext {
  return { subject: `${file.name}:`, code: 'ERR_IMAGE' };
}

/** Images, and the paths that hosts fetch them from. */
export interface ImageSet {
  readonly base: BaseSet;
  /** Relative to the base URL. */
  readonly paths: Readonly<Partial<Record<ImagePart, string>>>;
}

/** @param pathOf the path of a part, relative to the base URL */
export function imageSetOf(base: BaseSet, pathOf: (part: ImagePart) => string): ImageSet {
  const present = imageParts.filter((part) => base.parts[part] !== undefined);
  return { base, paths: Object.fromEntries(present.map((part) => [part, pathOf(part)])) };
}

/** Whether the initramfs applies keyfiles. Without images or `features.json`, it is assumed. */
export async function supportsNetwork(images: ImageSet | undefined): Promise<boolean> {
  const features = await images?.base.features();
  return features?.liveInitrdNetwork ?? true;
}

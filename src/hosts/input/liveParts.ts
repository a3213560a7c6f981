/**
 * Refuses kernels, initramfs files, root filesystems and ISOs that do not boot: files of another kind, damaged ones, and those
 * of different builds. Every command that takes them calls this.
 */

import { CliError, FormatError, only, UnsupportedError } from '../../core/errors.ts';
import { quoteText } from '../../core/foreignText.ts';
import { findBootPart, type ImageRole } from '../../image/bootParts.ts';
import { isPackedKernel, unpackKernel } from '../../image/kernel.ts';
import { detectKind } from '../../image/imageKind.ts';
import { sourceOfImage } from '../../image/initrd.ts';
import { type RandomAccess, slice } from '../../image/overlay.ts';
import { type RamdiskSystem, readRamdiskSystem, readRootfsBuild } from '../../image/ramdiskSystem.ts';
import { hasStreamHash } from '../../image/streamHash.ts';
import { refuseOther } from './contentKind.ts';

export interface LivePart extends RandomAccess {
  /** As the user named it. */
  readonly name: string;
}

export type PartFiles = Readonly<Partial<Record<ImageRole, LivePart>>>;

export type PartFlags = Readonly<Partial<Record<ImageRole, string>>>;

/** What errors call an image. */
const nouns: Readonly<Record<ImageRole, string>> = {
  iso: 'an ISO image',
  kernel: 'a kernel',
  initramfs: 'an initramfs',
  rootfs: 'a root filesystem of a CoreOS live system',
};

/**
 * Refuses a file that is not of the kind of its option, by its magic number.
 * @param flags of the command, for the hint
 * @throws CliError
 */
export async function requireRole(role: ImageRole, image: LivePart, flags: PartFlags): Promise<void> {
  const { name, size } = image;
  const code = 'ERR_IMAGE';
  if (size === 0) throw new CliError(`${name} is empty`, { code, hint: `download or build ${name} again` });
  const found = await detectKind(image);
  // A boot loader may get one file with both, in any order.
  const isBoth = role === 'initramfs' && found === 'rootfs';
  const system = isBoth && (await readInitramfs(image).catch(only(FormatError, () => undefined)));
  if (found === role || (system && system.build !== undefined)) return;
  if (found === 'other') {
    await refuseOther(nouns[role], name, await image.read(0, Math.min(MOST_TEXT, size)));
    const hint = `download ${name} again, or pass another file to ${flags[role]}`;
    throw new CliError(`${name} is not ${nouns[role]}`, { code, hint });
  }
  const use = flags[found] === undefined ? '' : `use ${flags[found]} for this file, and `;
  const hint = `${use}pass the ${role} to ${flags[role]}`;
  throw new CliError(`${name} is ${nouns[found]}, not the ${role}`, { code, hint });
}

/** Bytes of a file whose content is named in an error. */
const MOST_TEXT = 64 * 1024;

/**
 * Refuses damaged images, and images of different builds: with those, the live system stops at its root filesystem, or has no
 * drivers.
 * @throws CliError
 */
export async function requireOneBuild({ iso, kernel, initramfs, rootfs }: PartFiles): Promise<void> {
  if (kernel !== undefined) await requireUnpackable(kernel);
  const own = initramfs && (await intact(initramfs, readInitramfs));
  const rootfsBuild = rootfs && (await intact(rootfs, readRootfsBuild));
  if (kernel === undefined && initramfs === undefined && rootfs === undefined) return;
  const onIso = iso && (await readIsoInitramfs(iso));
  const builds = [
    { part: initramfs, build: own?.build },
    { part: rootfs, build: rootfsBuild },
    { part: iso, build: onIso?.system.build },
  ].flatMap(({ part, build }) =>
    part === undefined || build === undefined ? [] : [{ name: part.name, build }],
  );
  if (new Set(builds.map(({ build }) => build)).size > 1) {
    throw differentBuilds(builds.map(({ name, build }) => `${name} is of ${quoteText(build)}`));
  }
  const used = initramfs === undefined ? onIso : { image: initramfs, system: own };
  const wanted = used?.system?.wantedRootfs;
  if (used !== undefined && rootfs !== undefined && wanted !== undefined) {
    if (!(await hasStreamHash(rootfs, wanted))) {
      throw differentBuilds([`${rootfs.name} is not the root filesystem that ${used.image.name} requires`]);
    }
  }
}

/** Undefined for an ISO of another system, whose initramfs is elsewhere. A damaged one is not an error of the other images. */
async function readIsoInitramfs(iso: LivePart) {
  try {
    const range = await findBootPart(iso, 'initramfs');
    if (range === undefined) return undefined;
    const image = { ...slice(iso, range), name: iso.name };
    return { image, system: await readInitramfs(image) };
  } catch (error) {
    if (error instanceof FormatError) return undefined;
    throw error;
  }
}

function readInitramfs(image: RandomAccess): Promise<RamdiskSystem> {
  return readRamdiskSystem(sourceOfImage(image));
}

/** What `read` returns; undefined if the format is not supported. @throws CliError if the file is damaged */
async function intact<T>(part: LivePart, read: (image: RandomAccess) => Promise<T>): Promise<T | undefined> {
  return read(part).catch(
    only(FormatError, (error) => {
      if (error instanceof UnsupportedError) return undefined;
      throw damaged(part.name, error);
    }),
  );
}

function damaged(name: string, cause: FormatError): CliError {
  return new CliError(`${name} is incomplete or damaged: ${cause.message}`, {
    code: 'ERR_IMAGE',
    hint: `download or build ${name} again`,
    cause,
  });
}

async function requireUnpackable(kernel: LivePart): Promise<void> {
  if (!(await isPackedKernel(kernel))) return;
  await intact(kernel, async (image) => {
    for await (const _ of unpackKernel(image));
  });
}

function differentBuilds(found: readonly string[]): CliError {
  return new CliError(`the images are of different builds: ${found.join(', ')}`, {
    code: 'ERR_IMAGE',
    hint: 'use the kernel, initramfs, root filesystem and ISO of one build: ironic-coreos download -f pxe',
  });
}

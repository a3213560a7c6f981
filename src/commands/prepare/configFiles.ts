/** The files that carry the config of one host: the config itself, archives and images with it. */

import { createHash } from 'node:crypto';
import { bothChanges, changedImage, type ImageChange } from '../../image/imageChange.ts';
import { CONFIG_NAME, embedIgnition } from '../../image/embeddedIgnition.ts';
import type { Growth } from '../../image/growth.ts';
import { writeInitrd } from '../../image/initrd.ts';
import { requireKargsAreas } from '../../image/kargsAreas.ts';
import { editKargs } from '../../image/kargsEdit.ts';
import { type LiveIso, openLiveIso } from '../../image/liveIso.ts';
import { adaptKargs, openMinimalIso, refuseCustomized } from '../../image/minimalIso/extract.ts';
import { verifyReconstruction } from '../../image/minimalIso/reconstruct.ts';
import type { RandomAccess } from '../../image/randomAccess.ts';
import { CliError } from '../../errors.ts';
import { copyWithChange } from '../../io/changeFile.ts';
import type { OpenImage } from '../../io/imageBytes.ts';
import type { Io } from '../../io/io.ts';
import type { NewFile } from '../../io/newFile.ts';
import type { FilePurpose, PreparedFolder } from '../../io/preparedFolder.ts';
import { readImage } from '../../io/readImage.ts';
import type { ConfigArtifact } from '../../prepare/artifacts.ts';
import { programVersion } from './programVersion.ts';
import type { InputImage } from './imageInputs.ts';
import type { ImageSet } from './imageSets.ts';

/** What is made for a host, or for all machines that are not known. */
export interface ConfigFiles {
  readonly config: Uint8Array;
  readonly artifacts: readonly ConfigArtifact[];
  /** What images boot with besides. */
  readonly isoArguments: readonly string[];
  /** Undefined where only the config is made. */
  readonly images: ImageSet | undefined;
  readonly purposeOf: (artifact: ConfigArtifact) => FilePurpose;
}

/** What is the same for all hosts. */
export interface FileMaker {
  readonly folder: PreparedFolder;
  readonly grow: boolean;
  /** Without a final slash; there is one where minimal ISOs are made. */
  readonly baseUrl: string | undefined;
  readonly io: Io;
  /** ISOs whose minimal one has been verified, by digest: of many hosts once is enough. */
  readonly verified: Set<string>;
}

/** @throws CliError where something does not fit, or cannot be written */
export async function putConfigFiles(files: ConfigFiles, maker: FileMaker): Promise<void> {
  for (const artifact of files.artifacts) await makers[artifact](files, maker);
}

type Make = (files: ConfigFiles, maker: FileMaker) => Promise<void>;

const makers: Readonly<Record<ConfigArtifact, Make>> = {
  ign: ({ config, purposeOf }, { folder }) => folder.put(purposeOf('ign'), config),
  archive: ({ config, purposeOf }, { folder }) => folder.put(purposeOf('archive'), archiveOf(config)),
  initramfs: putInitramfs,
  iso: putIso,
  'minimal-iso': putMinimalIso,
};

function archiveOf(config: Uint8Array): Uint8Array {
  return writeInitrd(new Map([[CONFIG_NAME, config]]));
}

async function putInitramfs(
  { config, images, purposeOf }: ConfigFiles,
  { folder }: FileMaker,
): Promise<void> {
  const base = images?.parts.initramfs;
  if (base === undefined) throw missing('initramfs');
  const recipe = recipeOf('initramfs', folder.files.get(base)?.sha256 ?? '', [config]);
  await folder.make({ ...purposeOf('initramfs'), recipe }, (target) =>
    readImage(base, { cwd: folder.path }, (image) => {
      // Archives follow each other; the kernel needs those that are not compressed at a multiple of 4 bytes only.
      const change = { stages: [[{ offset: image.size, data: archiveOf(config) }]] };
      return copyWithChange({ image, change }, target);
    }),
  );
}

async function putIso(files: ConfigFiles, { folder, grow, io }: FileMaker): Promise<void> {
  const { config, images, isoArguments, purposeOf } = files;
  const iso = requireIso(images);
  const recipe = recipeOf('iso', iso.sha256, [config, isoArguments.join('\n'), String(grow)]);
  await folder.make({ ...purposeOf('iso'), recipe }, (target) =>
    readImage(iso.name, { cwd: io.cwd }, async (image) => {
      const change = await changeIso(image, files, growthOf(grow));
      return copyWithChange({ image, change }, target);
    }),
  );
}

/** The minimal ISO is put together anew for each host, which takes no longer than copying it would. */
async function putMinimalIso(files: ConfigFiles, maker: FileMaker): Promise<void> {
  const { config, images, isoArguments, purposeOf } = files;
  const { baseUrl = '', folder, grow, io } = maker;
  const iso = requireIso(images);
  const rootfs = images?.parts.rootfs;
  if (rootfs === undefined) throw missing('root filesystem');
  const rootfsUrl = `${baseUrl}/${rootfs}`;
  const recipe = recipeOf('minimal', iso.sha256, [config, isoArguments.join('\n'), String(grow), rootfsUrl]);
  await folder.make({ ...purposeOf('minimal-iso'), recipe }, (target) =>
    readImage(iso.name, { cwd: io.cwd }, async (full) => {
      const live = await openLiveIso(full);
      await refuseCustomized(live);
      const minimal = await openMinimalIso(live);
      if (!maker.verified.has(iso.sha256)) await verifyReconstruction(minimal);
      maker.verified.add(iso.sha256);
      const adapted = changedImage(minimal.image, await adaptKargs(minimal, rootfsUrl));
      const change = await changeIso(adapted, files, growthOf(grow));
      return writeWhole(changedImage(adapted, change), full, target);
    }),
  );
}

function growthOf(grow: boolean): Growth {
  return grow ? 'usual' : 'refused';
}

async function changeIso(
  image: RandomAccess,
  { config, isoArguments }: ConfigFiles,
  growth: Growth,
): Promise<ImageChange> {
  const iso = await openLiveIso(image, growth);
  const embedded = await embedIgnition(iso, { config, existing: 'replace' });
  return isoArguments.length === 0 ? embedded : bothChanges(embedded, await appendKargs(iso, isoArguments));
}

async function appendKargs(iso: LiveIso, append: readonly string[]): Promise<ImageChange> {
  const { current } = requireKargsAreas(await iso.kargsAreas());
  return iso.change({ kargs: editKargs(current, { append }).kargs });
}

/** An image that is made of parts of another one. */
async function writeWhole(image: RandomAccess, { name }: OpenImage, target: NewFile): Promise<void> {
  const parts: OpenImage = {
    kind: 'spool',
    name,
    size: image.size,
    read: (offset, length) => image.read(offset, length),
    readInto: async (bytes, offset) => bytes.set(await image.read(offset, bytes.length)),
    close: async () => undefined,
  };
  return copyWithChange({ image: parts, change: { stages: [] } }, target);
}

function requireIso(images: ImageSet | undefined): InputImage {
  if (images?.iso !== undefined) return images.iso;
  throw new CliError('There is no live ISO for this architecture', { hint: 'give one with --iso' });
}

function missing(what: string): CliError {
  return new CliError(`There is no ${what} for this architecture`, {
    hint: 'give an ISO that has it, or the file itself: --kernel, --initramfs, --rootfs',
  });
}

/** Another version of the program may make other bytes of the same. */
function recipeOf(kind: string, base: string, parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256').update(`${kind} ${programVersion()} ${base}\n`);
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash.digest('hex');
}

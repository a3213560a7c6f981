/** The files that carry the config of one host: the config itself, archives and images with it. */

import { createHash, type Hash } from 'node:crypto';
import { join } from 'node:path';
import type { Growth } from '../image/growth.ts';
import { configArchive, hostInitramfs, hostIso, hostMinimalIso } from '../image/hostImages.ts';
import { openLiveIso } from '../image/liveIso.ts';
import { openMinimalIso, refuseCustomized } from '../image/minimalIso/extract.ts';
import { verifyReconstruction } from '../image/minimalIso/reconstruct.ts';
import { CliError } from '../core/errors.ts';
import { copyWithChange } from '../io/images/copyImage.ts';
import { hashFile } from '../io/files/fileDigests.ts';
import { copyHashed, digestBehind, writeHashed } from '../io/images/copyImage.ts';
import type { OpenImage } from '../io/images/imageBytes.ts';
import type { Io } from '../io/io.ts';
import type { NewFile } from '../io/files/newFile.ts';
import type { FilePurpose, PreparedFolder } from './folder/preparedFolder.ts';
import { readImage } from '../io/images/imageFile.ts';
import type { ConfigArtifact } from '../hosts/artifacts/artifacts.ts';
import { type HostConfigs, mediumArchiveOf } from '../hosts/plan/agentArchives.ts';
import { type MediumArchive, withMediumArchive } from '../hosts/plan/mediumArchive.ts';
import { programVersion } from '../core/programVersion.ts';
import type { InputImage } from '../hosts/plan/imageInputs.ts';
import type { ImageSet } from '../hosts/plan/imageSet.ts';

/** What is made for a host, or for all machines that are not known. */
export interface ConfigFiles {
  readonly config: Uint8Array;
  /** What a full ISO gets instead. */
  readonly iso: IsoConfig;
  readonly artifacts: readonly ConfigArtifact[];
  /** What images boot with besides. */
  readonly isoArguments: readonly string[];
  /** Undefined where only the config is made. */
  readonly images: ImageSet | undefined;
  readonly purposeOf: (artifact: ConfigArtifact) => FilePurpose;
}

/** The config on a full ISO, and the archive of the agent's image that it then loads from there. */
interface IsoConfig {
  readonly config: Uint8Array;
  readonly archive: MediumArchive | undefined;
}

/** The documents for the files of a host. */
export function documentsOf(configs: HostConfigs): Pick<ConfigFiles, 'config' | 'iso'> {
  const { fetched, onIso } = configs;
  return {
    config: fetched.document,
    iso: { config: onIso.document, archive: mediumArchiveOf(configs) },
  };
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
  /** What has taken in files that others begin with, by absolute path. */
  readonly bases: Map<string, Promise<Hash>>;
}

/** A maker that has made nothing yet. */
export function fileMaker(job: Omit<FileMaker, 'verified' | 'bases'>): FileMaker {
  return { ...job, verified: new Set(), bases: new Map() };
}

/** @throws CliError where something does not fit, or cannot be written */
export async function putConfigFiles(files: ConfigFiles, maker: FileMaker): Promise<void> {
  for (const artifact of files.artifacts) await makers[artifact](files, maker);
}

type Make = (files: ConfigFiles, maker: FileMaker) => Promise<void>;

const makers: Readonly<Record<ConfigArtifact, Make>> = {
  ign: ({ config, purposeOf }, { folder }) => folder.put(purposeOf('ign'), config),
  archive: ({ config, purposeOf }, { folder }) => folder.put(purposeOf('archive'), configArchive(config)),
  initramfs: putInitramfs,
  iso: putIso,
  'minimal-iso': putMinimalIso,
};

async function putInitramfs(
  { config, images, purposeOf }: ConfigFiles,
  { bases, folder }: FileMaker,
): Promise<void> {
  const base = images?.parts.initramfs;
  if (base === undefined) throw missing('initramfs');
  const recipe = recipeOf('initramfs', folder.files.get(base)?.sha256 ?? '', [config]);
  await folder.make({ ...purposeOf('initramfs'), recipe }, (target) =>
    readImage(base, { cwd: folder.path }, async (image) => {
      const start = await rememberHash(join(folder.path, base), bases);
      await copyWithChange({ image, change: hostInitramfs(image, config) }, target);
      return digestBehind(start, configArchive(config));
    }),
  );
}

async function putIso(files: ConfigFiles, { folder, grow, io }: FileMaker): Promise<void> {
  const { images, isoArguments, purposeOf } = files;
  const { archive, config } = files.iso;
  const iso = requireIso(images);
  const added = archive === undefined ? [] : [archive.name, archive.sha512];
  const recipe = recipeOf('iso', iso.sha256, [config, isoArguments.join('\n'), String(grow), ...added]);
  await folder.make({ ...purposeOf('iso'), recipe }, (target) =>
    readImage(iso.name, { cwd: io.cwd }, async (image) =>
      writeIso({ image, files: files.iso, isoArguments }, { growth: growthOf(grow), target, io }),
    ),
  );
}

/** A live ISO with a config, and perhaps an archive, in place of those that it had. */
interface IsoCopy {
  readonly image: OpenImage;
  readonly files: IsoConfig;
  readonly isoArguments: readonly string[];
}

/** Gives the SHA-256 of the new file. */
export async function writeIso(
  { image, files: { archive, config }, isoArguments: kargs }: IsoCopy,
  { growth, target, io }: { readonly growth: Growth; readonly target: NewFile; readonly io: Io },
): Promise<string> {
  return withMediumArchive(archive, image, {
    io,
    use: async (mediumFiles) => {
      const change = await hostIso(image, { config, kargs, mediumFiles }, growth);
      return copyHashed({ image, change }, target);
    },
  });
}

/** What has taken in a file that many begin with; computed once. */
function rememberHash(path: string, known: FileMaker['bases']): Promise<Hash> {
  const hash = known.get(path) ?? hashWhole(path);
  known.set(path, hash);
  return hash;
}

async function hashWhole(path: string): Promise<Hash> {
  return (await hashFile(path, ['sha256'])).get('sha256') ?? createHash('sha256');
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
      const original = await openLiveIso(full);
      await refuseCustomized(original);
      const minimal = await openMinimalIso(original);
      if (!maker.verified.has(iso.sha256)) await verifyReconstruction(minimal);
      maker.verified.add(iso.sha256);
      const contents = { config, kargs: isoArguments, rootfsUrl };
      const { image } = await hostMinimalIso(minimal, contents, growthOf(grow));
      return writeHashed(image, target);
    }),
  );
}

export function growthOf(grow: boolean): Growth {
  return grow ? 'usual' : 'refused';
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

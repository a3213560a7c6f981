/** What is served of one host: its config, and images with it, made when they are asked for. */

import { CliError } from '../core/errors.ts';
import { configArchive, hostInitramfs, hostIso, hostMinimalIso } from '../image/hostImages.ts';
import { changedImage, type ImageChange } from '../image/imageChange.ts';
import type { Growth } from '../image/growth.ts';
import { bytesAccess, overlay } from '../image/overlay.ts';
import type { MediumFile } from '../image/mediumFiles.ts';
import type { ImageBytes } from '../io/images/imageBytes.ts';
import type { ConfigArtifact } from '../hosts/artifacts/artifacts.ts';
import { bytesTag, imageTag } from './answer/entityTag.ts';
import { type HostFile, hostFileName } from '../hosts/artifacts/hostFiles.ts';
import { mediaTypes } from './answer/mediaTypes.ts';
import type { Resource } from './answer/resource.ts';
import { type BaseImage, type BaseSet, named } from './baseImages.ts';
import { isOnMedium } from '../hosts/plan/mediumArchive.ts';
import type { Cached } from './imageCache.ts';
import { heldBytes, leanChange } from './leanChange.ts';
import type { ServedArchive } from './servedArchives.ts';

/** What the files of a host are made from. */
export interface HostSource {
  readonly name: string;
  readonly config: () => Uint8Array;
  /** Of full ISOs, which have the archive of the agent's image on them. */
  readonly isoConfig: () => Uint8Array;
  readonly archive: ServedArchive | undefined;
  /** Of the config; images are as old as it is, or younger. */
  readonly modified: Date;
  /** Kernel arguments of ISOs. */
  readonly kargs: readonly string[];
  /** For minimal ISOs. */
  readonly rootfsUrl: string;
  /** Undefined where only the config is served. */
  readonly bases: BaseSet | undefined;
  readonly growth: Growth;
}

/** @throws CliError where something does not fit, or an image that it is made from is not there */
export function makeHostResource(
  source: HostSource,
  { artifact, host }: HostFile,
): Promise<Cached<Resource>> {
  return makers[artifact]({ ...source, stem: host });
}

/** What its files are called before the ending, which machines that are not listed have no name for. */
interface NamedSource extends HostSource {
  readonly stem: string;
}

const makers: Readonly<Record<ConfigArtifact, (source: NamedSource) => Promise<Cached<Resource>>>> = {
  ign: async (source) => bytesResource(source, 'ign', source.config()),
  archive: async (source) => bytesResource(source, 'archive', configArchive(source.config())),
  initramfs: async (source) => {
    const base = requireBase(source.bases?.parts.initramfs, 'initramfs');
    const change = hostInitramfs(base.bytes, source.config());
    return imageResource(source, 'initramfs', { base, unchanged: base.bytes, changes: [change] });
  },
  iso: async (source) => {
    const base = requireBase(source.bases?.iso, 'live ISO');
    const { archive, growth, kargs } = source;
    const mediumFiles = await missingArchives(archive, base.bytes);
    const contents = { config: source.isoConfig(), kargs, mediumFiles };
    const change = await named(base, () => hostIso(base.bytes, contents, growth));
    return imageResource(source, 'iso', { base, archive, unchanged: base.bytes, changes: [change] });
  },
  'minimal-iso': async (source) => {
    const { bases, growth, kargs, rootfsUrl } = source;
    const base = requireBase(bases?.iso, 'live ISO');
    const minimal = requireBase(await bases?.minimalIso(), 'live ISO');
    const contents = { config: source.config(), kargs, rootfsUrl };
    const { changes } = await named(base, () => hostMinimalIso(minimal, contents, growth));
    return imageResource(source, 'minimal-iso', { base, unchanged: minimal.image, changes });
  },
};

/** None where the medium has it already. Throws CliError where it has another one of that name. */
async function missingArchives(
  archive: ServedArchive | undefined,
  iso: ImageBytes,
): Promise<readonly MediumFile[]> {
  if (archive === undefined || (await isOnMedium(archive, iso))) return [];
  return [{ name: archive.name, content: archive.file }];
}

/** Throws CliError where there is none. */
function requireBase<T>(base: T | undefined, what: string): T {
  if (base !== undefined) return base;
  throw new CliError(`there is no ${what} for this architecture`, {
    hint: 'give an ISO that has it, or the file itself: --kernel, --initramfs, --rootfs',
  });
}

/** What an image is made from. */
interface ImageOrigin {
  readonly base: BaseImage;
  readonly archive?: ServedArchive | undefined;
  /** The base, or what was made of it for all hosts. */
  readonly unchanged: ImageBytes;
  /** What makes the image of the host from that, in this order. */
  readonly changes: readonly ImageChange[];
}

/** Bytes that a resource takes besides its data. */
const OVERHEAD = 4096;

function bytesResource(
  source: NamedSource,
  artifact: 'ign' | 'archive',
  bytes: Uint8Array,
): Cached<Resource> {
  const content = overlay(bytesAccess(bytes), []);
  const value: Resource = {
    ...describe(source, artifact),
    size: bytes.length,
    etag: bytesTag(bytes),
    lastModified: source.modified,
    open: async () => ({ ...content, close: async () => undefined }),
  };
  return { value, size: bytes.length + OVERHEAD };
}

async function imageResource(
  source: NamedSource,
  artifact: 'initramfs' | 'iso' | 'minimal-iso',
  { base, archive, unchanged, changes }: ImageOrigin,
): Promise<Cached<Resource>> {
  const { digest, file } = base;
  const lean = changes.map(leanChange);
  const image = lean.reduce<ImageBytes>(changedImage, unchanged);
  const check = async (): Promise<void> => {
    await file.checkUnchanged();
    await archive?.file.checkUnchanged();
  };
  const known = archive && new Map([[archive.file, archive.sha512]]);
  const value: Resource = {
    ...describe(source, artifact),
    size: image.size,
    etag: await imageTag({ base: `${artifact} of ${digest}`, changes, ...(known && { known }) }),
    lastModified: new Date(Math.max(source.modified.getTime(), file.modified.getTime())),
    check,
    open: async () => {
      await check();
      return { ...image, close: async () => undefined };
    },
  };
  const held = lean.reduce((sum, change) => sum + heldBytes(change), 0);
  return { value, size: held + OVERHEAD };
}

function describe(
  { name, stem }: NamedSource,
  artifact: ConfigArtifact,
): Pick<Resource, 'artifact' | 'host' | 'fileName' | 'contentType'> {
  return { artifact, host: name, fileName: hostFileName(stem, artifact), contentType: mediaTypes[artifact] };
}

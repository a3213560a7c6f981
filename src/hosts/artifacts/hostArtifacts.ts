/**
 * The files of one host: what each is made from, and how. Nothing is written or served here: `prepare` writes what is
 * made to a folder, `serve` and `controller` answer requests with it.
 */

import { createHash } from 'node:crypto';
import { CliError } from '../../core/errors.ts';
import { programVersion } from '../../core/programVersion.ts';
import type { Growth } from '../../image/growth.ts';
import { hasKeyfiles, readKeyfiles } from '../../agent/hostNetwork.ts';
import {
  hostArchive,
  hostInitramfs,
  hostIso,
  hostMinimalIso,
  type HostSettings,
} from '../../image/hostImages.ts';
import type { ImageChange } from '../../image/imageChange.ts';
import { openIsoTree } from '../../image/isoTree.ts';
import { reusedChunks } from '../../image/overlay.ts';
import type { MediumFile } from '../../image/mediumFiles.ts';
import type { ImageBytes } from '../../io/images/imageBytes.ts';
import type { HostPlan } from '../plan/planHost.ts';
import type { ConfigArtifact } from './artifacts.ts';
import { type BaseImage, type BaseSet, named, supportsNetwork } from './baseImages.ts';
import type { OpenArchive, OpenArchives } from './openArchives.ts';

/** What the files of a host are made from. */
export interface HostMaterial {
  readonly config: () => Uint8Array;
  /** Of full ISOs, which have the archive of the agent's image on them. */
  readonly isoConfig: () => Uint8Array;
  readonly archive: OpenArchive | undefined;
  /** Kernel arguments of ISOs. */
  readonly kargs: readonly string[];
  /** For minimal ISOs. */
  readonly rootfsUrl: string;
  /** Undefined where only the config is made. */
  readonly bases: BaseSet | undefined;
  readonly growth: Growth;
  /** The initramfs gets the network of the config, too. */
  readonly takesNetwork: boolean;
}

/** What all hosts have in common. */
export interface SharedMaterial {
  readonly bases: ReadonlyMap<string, BaseSet>;
  readonly archives: OpenArchives;
  /** Without a final slash. */
  readonly baseUrl: string;
  readonly growth: Growth;
}

/** Opens the archive of the agent's image, where ISOs have one. Throws CliError where it cannot be read. */
export async function materialOf(
  { configs, images, isoArguments }: Pick<HostPlan, 'configs' | 'images' | 'isoArguments'>,
  { archives, bases, baseUrl, growth }: SharedMaterial,
): Promise<HostMaterial> {
  const { archive, fetched, onIso } = configs;
  const isOnIso = archive !== undefined && archive.url === undefined;
  const rootfs = images?.parts.rootfs;
  return {
    config: () => fetched.document,
    isoConfig: () => onIso.document,
    archive: isOnIso ? await archives.open(archive) : undefined,
    kargs: isoArguments,
    rootfsUrl: rootfs === undefined ? '' : `${baseUrl}/${rootfs}`,
    bases: images && bases.get(images.architecture),
    growth,
    takesNetwork: hasKeyfiles(fetched.document) && (await supportsNetwork(images)),
  };
}

/** A file that is made: bytes in memory, or an image that others share, with changes. */
export type MadeFile =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | ({ readonly kind: 'image' } & MadeImage);

export interface MadeImage {
  readonly base: BaseImage;
  /** The base, or what was made of it for all hosts. */
  readonly unchanged: ImageBytes;
  /** What makes the image of the host from that, in this order. */
  readonly changes: readonly ImageChange[];
  /** What the changes add to the medium. */
  readonly archive?: OpenArchive | undefined;
}

/** @throws CliError where something does not fit, or an image that it is made from is not there */
export function makeHostFile(artifact: ConfigArtifact, material: HostMaterial): Promise<MadeFile> {
  return makers[artifact](material);
}

const makers: Readonly<Record<ConfigArtifact, (material: HostMaterial) => Promise<MadeFile>>> = {
  ign: async ({ config }) => ({ kind: 'bytes', bytes: config() }),
  archive: async (material) => ({
    kind: 'bytes',
    bytes: hostArchive(settingsOf(material.config(), material)),
  }),
  initramfs: async (material) => {
    const base = baseOf('initramfs', material);
    return {
      kind: 'image',
      base,
      unchanged: base.bytes,
      changes: [hostInitramfs(base.bytes, settingsOf(material.config(), material))],
    };
  },
  iso: async (material) => {
    const base = baseOf('iso', material);
    const { archive, growth, isoConfig, kargs } = material;
    const mediumFiles = await missingArchives(archive, base.bytes);
    const contents = { ...settingsOf(isoConfig(), material), kargs, mediumFiles };
    const change = await named(base, () => hostIso(base.bytes, contents, growth));
    return { kind: 'image', base, archive, unchanged: base.bytes, changes: [change] };
  },
  'minimal-iso': async (material) => {
    const base = baseOf('minimal-iso', material);
    const { bases, config, growth, kargs, rootfsUrl } = material;
    const minimal = required(await bases?.minimalIso(), 'live ISO');
    const contents = { ...settingsOf(config(), material), kargs, rootfsUrl };
    const { changes } = await named(base, () => hostMinimalIso(minimal, contents, growth));
    return { kind: 'image', base, unchanged: minimal.image, changes };
  },
};

/** The config, and the network that it sets up, for the initramfs. */
function settingsOf(config: Uint8Array, { takesNetwork }: HostMaterial): HostSettings {
  return { config, network: takesNetwork ? readKeyfiles(config) : [] };
}

/** None where the medium has it already. Throws CliError where it has another one of that name. */
async function missingArchives(
  archive: OpenArchive | undefined,
  iso: ImageBytes,
): Promise<readonly MediumFile[]> {
  if (archive === undefined || (await isOnMedium(archive, iso))) return [];
  return [{ name: archive.name, content: archive.file }];
}

/** @throws CliError where the medium has another file of that name */
async function isOnMedium({ name, sha512 }: OpenArchive, image: ImageBytes): Promise<boolean> {
  const entry = await (await openIsoTree(image)).find(`coreos/${name}`);
  if (entry?.kind !== 'file') return false;
  const hash = createHash('sha512');
  for await (const chunk of reusedChunks(image, { offset: entry.offset, length: entry.size }))
    hash.update(chunk);
  if (hash.digest('hex') === sha512) return true;
  throw new CliError(`The ISO has another file coreos/${name} already`, {
    code: 'ERR_IMAGE',
    hint: 'take it out with `iso reset`, or give the ISO as it was released',
  });
}

type ImageArtifact = Exclude<ConfigArtifact, 'ign' | 'archive'>;

function baseOf(artifact: ImageArtifact, { bases }: HostMaterial): BaseImage {
  return artifact === 'initramfs'
    ? required(bases?.parts.initramfs, 'initramfs')
    : required(bases?.iso, 'live ISO');
}

/** Throws CliError where there is none. */
function required<T>(base: T | undefined, what: string): T {
  if (base !== undefined) return base;
  throw new CliError(`there is no ${what} for this architecture`, {
    code: 'ERR_IMAGE',
    hint: 'give an ISO that has it, or the file itself: --kernel, --initramfs, --rootfs',
  });
}

/**
 * Tells an image from every other before it is made: equal where the same would be made. Another version of the program
 * may make other bytes of the same.
 * @throws CliError where an image that it is made from is not there
 */
export function recipeOf(artifact: ImageArtifact, material: HostMaterial): string {
  const { archive, config, growth, isoConfig, kargs, rootfsUrl, takesNetwork } = material;
  const onIso = [kargs.join('\n'), growth];
  const parts: Readonly<Record<ImageArtifact, readonly (string | Uint8Array)[]>> = {
    initramfs: [config()],
    iso: [isoConfig(), ...onIso, ...(archive === undefined ? [] : [archive.name, archive.sha512])],
    'minimal-iso': [config(), ...onIso, rootfsUrl],
  };
  const hash = createHash('sha256');
  hash.update(`${artifact} ${programVersion()} ${baseOf(artifact, material).digest} ${takesNetwork}\n`);
  for (const part of parts[artifact]) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash.digest('hex');
}

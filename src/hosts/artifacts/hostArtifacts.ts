/**
 * Creates the files of one host. Nothing is written or served here: `prepare` writes the files to a folder, `serve` and
 * `controller` answer requests with them.
 */

import { createHash } from 'node:crypto';
import { CliError } from '../../core/errors.ts';
import { programVersion } from '../../core/programVersion.ts';
import type { Growth } from '../../image/growth.ts';
import { hasKeyfiles, readKeyfiles } from '../../agent/hostNetwork.ts';
import {
  hostInitramfs,
  hostIso,
  hostMinimalIso,
  initramfsContents,
  type InitramfsContents,
} from '../../image/hostImages.ts';
import type { ImageChange } from '../../image/imageChange.ts';
import { openIsoTree } from '../../image/isoTree.ts';
import { type ImageBytes, reusedChunks } from '../../image/overlay.ts';
import type { MediumFile } from '../../image/mediumFiles.ts';
import type { HostPlan } from '../plan/planHost.ts';
import type { ConfigArtifact } from './artifacts.ts';
import { type BaseImage, type BaseSet, named, supportsNetwork } from './baseImages.ts';
import type { AgentArchives, OpenArchive } from '../plan/agentArchives.ts';

/** The inputs for the files of one host. */
export interface HostMaterial {
  readonly config: () => Uint8Array;
  /** The config for full ISOs, which contain the agent archive. */
  readonly isoConfig: () => Uint8Array;
  readonly archive: OpenArchive | undefined;
  /** Kernel arguments for ISOs. */
  readonly kargs: readonly string[];
  /** For minimal ISOs. */
  readonly rootfsUrl: string;
  /** Undefined if only configs are created. */
  readonly bases: BaseSet | undefined;
  readonly growth: Growth;
  /** The initramfs gets the network of the config, too. */
  readonly takesNetwork: boolean;
}

/**
 * Opens the agent archive if ISOs contain one.
 * @param baseUrl without a final slash
 * @throws CliError if the archive cannot be read
 */
export async function materialOf(
  { configs, images, isoArguments }: Pick<HostPlan, 'configs' | 'images' | 'isoArguments'>,
  archives: AgentArchives,
  baseUrl: string,
  growth: Growth,
): Promise<HostMaterial> {
  const { archive, fetched, onIso } = configs;
  const isOnIso = archive !== undefined && archive.url === undefined;
  const rootfs = images?.paths.rootfs;
  return {
    config: () => fetched.document,
    isoConfig: () => onIso.document,
    archive: isOnIso ? await archives.open(archive) : undefined,
    kargs: isoArguments,
    rootfsUrl: rootfs === undefined ? '' : `${baseUrl}/${rootfs}`,
    bases: images?.base,
    growth,
    takesNetwork: hasKeyfiles(fetched.document) && (await supportsNetwork(images)),
  };
}

/** The config, or an archive of it and of its network for the initramfs. */
export function makeConfigFile(artifact: 'ign' | 'archive', material: HostMaterial): Uint8Array {
  const config = material.config();
  return artifact === 'ign' ? config : settingsOf(config, material).archive();
}

export type ImageArtifact = Exclude<ConfigArtifact, 'ign' | 'archive'>;

/** A shared base image with changes. */
export interface MadeImage {
  readonly base: BaseImage;
  /** The base image, or the image that all hosts derive from it. */
  readonly unchanged: ImageBytes;
  /** The changes for this host, in this order. */
  readonly changes: readonly ImageChange[];
  /** The archive that the changes add to the ISO. */
  readonly archive?: OpenArchive | undefined;
}

/** @throws CliError if something does not fit, or if a base image is missing */
export function makeHostImage(artifact: ImageArtifact, material: HostMaterial): Promise<MadeImage> {
  return makers[artifact](material);
}

const makers: Readonly<Record<ImageArtifact, (material: HostMaterial) => Promise<MadeImage>>> = {
  initramfs: async (material) => {
    const base = baseOf('initramfs', material);
    const change = hostInitramfs(base.bytes, settingsOf(material.config(), material));
    return { base, unchanged: base.bytes, changes: [change] };
  },
  iso: async (material) => {
    const base = baseOf('iso', material);
    const { archive, growth, isoConfig, kargs } = material;
    const mediumFiles = await missingArchives(archive, base.bytes);
    const contents = { ...settingsOf(isoConfig(), material), kargs, mediumFiles };
    const change = await named(base, () => hostIso(base.bytes, contents, growth));
    return { base, archive, unchanged: base.bytes, changes: [change] };
  },
  'minimal-iso': async (material) => {
    const base = baseOf('minimal-iso', material);
    const { bases, config, growth, kargs, rootfsUrl } = material;
    const minimal = required(await bases?.minimalIso(), 'live ISO');
    const contents = { ...settingsOf(config(), material), kargs, rootfsUrl };
    const changes = await named(base, () => hostMinimalIso(minimal, contents, growth));
    return { base, unchanged: minimal.image, changes };
  },
};

/** The config, and the network that it sets up, for the initramfs. The artifacts of one config share one archive. */
function settingsOf(config: Uint8Array, { takesNetwork }: HostMaterial): InitramfsContents {
  const settings = known.get(config) ?? initramfsContents(config, takesNetwork ? readKeyfiles(config) : []);
  known.set(config, settings);
  return settings;
}

const known = new WeakMap<Uint8Array, InitramfsContents>();

/** Empty if the ISO already contains the archive. @throws CliError if it contains another file with that name */
async function missingArchives(
  archive: OpenArchive | undefined,
  iso: ImageBytes,
): Promise<readonly MediumFile[]> {
  if (archive === undefined) return [];
  const { file, name, sha512 } = archive;
  const entry = await (await openIsoTree(iso)).find(`coreos/${name}`);
  if (entry?.kind !== 'file') return [{ name, content: file }];
  const hash = createHash('sha512');
  for await (const chunk of reusedChunks(iso, { offset: entry.offset, length: entry.size }))
    hash.update(chunk);
  if (hash.digest('hex') === sha512) return [];
  throw new CliError(`The ISO already contains a different file coreos/${name}`, {
    code: 'ERR_IMAGE',
    hint: 'remove it with `iso reset`, or use the original ISO',
  });
}

function baseOf(artifact: ImageArtifact, { bases }: HostMaterial): BaseImage {
  return artifact === 'initramfs'
    ? required(bases?.parts.initramfs, 'initramfs')
    : required(bases?.iso, 'live ISO');
}

/** @throws CliError if the image is missing */
function required<T>(base: T | undefined, what: string): T {
  if (base !== undefined) return base;
  throw new CliError(`no ${what} for this architecture`, {
    code: 'ERR_IMAGE',
    hint: 'pass an ISO that contains it, or the file itself: --kernel, --initramfs, --rootfs',
  });
}

/**
 * Digest of all inputs of an image, known before the image is created: the same digest means the same image. Includes
 * the version of the program, which may create other bytes from the same inputs.
 * @throws CliError if a base image is missing
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

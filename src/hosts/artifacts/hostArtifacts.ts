/**
 * Creates the files that machines boot from. Nothing is written or served here: `prepare` writes the files to a folder, `serve`,
 * `controller` and `try` answer requests with them.
 */

import { createHash } from 'node:crypto';
import { type ConfigArtifact, configArtifacts, hostArtifacts } from '../../core/artifacts.ts';
import { CliError, located } from '../../core/errors.ts';
import { programVersion } from '../../core/programVersion.ts';
import { readKeyfiles } from '../../agent/hostNetwork.ts';
import { bytesTag, digestTag, imageTag } from '../../http/server/answer/entityTag.ts';
import {
  hostArchive,
  hostInitramfs,
  hostIso,
  hostMinimalIso,
  type InitramfsContents,
} from '../../image/hostImages.ts';
import type { ImageChange } from '../../image/imageChange.ts';
import { openIsoTree } from '../../image/isoTree.ts';
import { MINISO_PATH } from '../../image/minimalIso/minisoData.ts';
import { type ImageBytes, readerOf, reusedChunks } from '../../image/overlay.ts';
import type { MediumFile } from '../../image/mediumFiles.ts';
import type { OpenImage } from '../../imagefile/openImage.ts';
import type { HostPlan } from '../plan/planHost.ts';
import { type BaseImage, type BaseSet, imageContext } from '../plan/baseImages.ts';
import type { OpenArchive } from '../plan/agentArchives.ts';

/** A file that machines boot from, or that is a part of it: a base image with changes, or bytes in memory. */
export interface Artifact {
  /** The bytes before the changes: those of a base image, of the image that all hosts derive from it, or all bytes. */
  readonly unchanged: ImageBytes;
  /** The changes for one host, in this order. */
  readonly changes: readonly ImageChange[];
  /** The file whose bytes `unchanged` are, completely. */
  readonly copied?: OpenImage | undefined;
  readonly files: readonly OpenImage[];
  /** A strong entity tag, including its quotes. */
  etag(): Promise<string>;
}

interface Making {
  /** What its bytes depend on besides its base image and the version of the program (default: the config). */
  readonly inputs?: (plan: HostPlan) => readonly (string | Uint8Array)[];
  readonly make: (plan: HostPlan) => Promise<Artifact>;
  /** Whether it can be made from one of these images. */
  readonly isPossible: (bases: readonly BaseSet[]) => boolean | Promise<boolean>;
}

const makings: Readonly<Record<ConfigArtifact, Making>> = {
  ign: {
    make: async ({ config }) => bytesArtifact(config()),
    isPossible: () => true,
  },
  archive: {
    make: async (plan) => bytesArtifact(hostArchive(settingsOf(plan.config(), plan))),
    isPossible: (bases) => bases.length > 0,
  },
  initramfs: {
    make: async (plan) => {
      const base = requireBase('initramfs', plan);
      const change = hostInitramfs(base.bytes, settingsOf(plan.config(), plan));
      return changedArtifact('initramfs', base, base.bytes, [change]);
    },
    isPossible: (bases) => bases.some(({ parts }) => parts.initramfs !== undefined),
  },
  iso: {
    inputs: ({ archiveOnIso: archive, growth, isoConfig, kargs }) => [
      isoConfig(),
      kargs.join('\n'),
      growth,
      ...(archive === undefined ? [] : [archive.name, archive.sha512]),
    ],
    make: async (plan) => {
      const base = requireBase('iso', plan);
      const { archiveOnIso: archive, growth, isoConfig, kargs } = plan;
      const mediumFiles = await missingArchives(archive, base.bytes);
      const contents = { ...settingsOf(isoConfig(), plan), kargs, mediumFiles };
      const change = await plan.base?.inLiveIso(growth, (live) => hostIso(live, contents));
      return changedArtifact('iso', base, base.bytes, [required(change, 'live ISO')], archive);
    },
    isPossible: (bases) => bases.some(({ iso }) => iso !== undefined),
  },
  'minimal-iso': {
    inputs: ({ config, growth, kargs, rootfsUrl }) => [config(), kargs.join('\n'), growth, rootfsUrl],
    make: async (plan) => {
      const iso = requireBase('minimal-iso', plan);
      const { base, config, growth, kargs, rootfsUrl } = plan;
      const minimal = required(await base?.minimalIso(), 'live ISO');
      const contents = { ...settingsOf(config(), plan), kargs, rootfsUrl };
      const changes = await located(imageContext(iso), () => hostMinimalIso(minimal, contents, growth));
      return changedArtifact('minimal-iso', iso, minimal.image, changes);
    },
    isPossible: async (bases) => {
      for (const { iso, parts } of bases) {
        if (iso === undefined || parts.rootfs === undefined) continue;
        if ((await (await openIsoTree(iso.bytes)).find(MINISO_PATH)) !== undefined) return true;
      }
      return false;
    },
  },
};

/**
 * Creates an artifact of a host, or of machines that are not listed.
 * @throws CliError if something does not fit, or if a base image is missing
 */
export function makeArtifact(kind: ConfigArtifact, plan: HostPlan): Promise<Artifact> {
  return makings[kind].make(plan);
}

/** The artifacts that can be made from these images, in the order of all artifacts. */
export async function possibleArtifacts(bases: readonly BaseSet[]): Promise<ConfigArtifact[]> {
  const possible: ConfigArtifact[] = [];
  for (const kind of configArtifacts) if (await makings[kind].isPossible(bases)) possible.push(kind);
  return possible;
}

/**
 * Digest of all inputs of an artifact, known before it is created: the same digest means the same bytes. Includes the version of
 * the program, which may create other bytes from the same inputs.
 * @throws CliError if a base image is missing
 */
export function recipeOf(kind: ConfigArtifact, plan: HostPlan): string {
  const digest = hostArtifacts[kind].base === undefined ? '' : requireBase(kind, plan).digest;
  const hash = createHash('sha256');
  hash.update(`${kind} ${programVersion()} ${digest} ${plan.takesNetwork}\n`);
  const { inputs = ({ config }) => [config()] } = makings[kind];
  for (const part of inputs(plan)) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash.digest('hex');
}

/** @param archive that the changes add to the ISO */
function changedArtifact(
  kind: ConfigArtifact,
  { digest, file }: BaseImage,
  unchanged: ImageBytes,
  changes: readonly ImageChange[],
  archive?: OpenArchive,
): Artifact {
  const known = archive && new Map([[archive.file, archive.sha512]]);
  return {
    unchanged,
    changes,
    copied: unchanged === file ? file : undefined,
    files: archive === undefined ? [file] : [file, archive.file],
    etag: () => imageTag({ base: `${kind} of ${digest}`, changes, ...(known && { known }) }),
  };
}

/** An artifact that is in memory: a config, an archive of a config, or a boot script. */
export function bytesArtifact(bytes: Uint8Array): Artifact {
  const readInto: ImageBytes['readInto'] = async (target, offset) =>
    target.set(bytes.subarray(offset, offset + target.length));
  const unchanged = readerOf(bytes.length, readInto);
  return { unchanged, changes: [], files: [], etag: async () => bytesTag(bytes) };
}

/** A file that all hosts share. @param digest identifies its bytes */
export function sharedArtifact(file: OpenImage, bytes: ImageBytes, digest: string): Artifact {
  return { unchanged: bytes, changes: [], files: [file], etag: async () => digestTag(digest) };
}

/** The config, and the network that it sets up, for the initramfs. */
function settingsOf(config: Uint8Array, { takesNetwork }: HostPlan): InitramfsContents {
  return { config, network: takesNetwork ? readKeyfiles(config) : [] };
}

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

function requireBase(artifact: ConfigArtifact, { base }: HostPlan): BaseImage {
  return hostArtifacts[artifact].base === 'initramfs'
    ? required(base?.parts.initramfs, 'initramfs')
    : required(base?.iso, 'live ISO');
}

function required<T>(base: T | undefined, what: string): T {
  if (base !== undefined) return base;
  throw new CliError(`no ${what} for this architecture`, {
    code: 'ERR_IMAGE',
    hint: 'pass an ISO that contains it, or the file itself: --kernel, --initramfs, --rootfs',
  });
}

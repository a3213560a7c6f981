/** Writes the files of a site into a prepared folder, unless they are unchanged. */

import { changedImage, type ImageChange } from '../../image/imageChange.ts';
import { UNKNOWN_MACHINES } from '../../http/server/answer/access.ts';
import { type BaseImage, type BaseSet, imageContext } from '../../hosts/plan/baseImages.ts';
import type { BaseCatalog } from '../../hosts/plan/baseCatalog.ts';
import { readEfiLoaders } from '../../image/efiLoaders.ts';
import { openIsoTree } from '../../image/isoTree.ts';
import { type EfiLoaders, ipxeLoaders } from '../../kargs/loaders/loader.ts';
import type { Artifact } from '../../hosts/artifacts/hostArtifacts.ts';
import type { SiteFile } from '../../hosts/artifacts/site.ts';
import { hashFile } from '../../io/files/fileDigests.ts';
import { copyWithChange, writeBytes } from '../../imagefile/copyImage.ts';
import type { NewFile } from '../../io/files/newFile.ts';
import type { ImageBytes } from '../../image/overlay.ts';
import { openSharedImage } from '../../imagefile/sharedImage.ts';
import type { PreparedFolder } from './folder/preparedFolder.ts';
import { CliError, located, UsageError } from '../../core/errors.ts';
import type { ManifestInput } from '../../hosts/artifacts/manifest.ts';
import { agentPath } from '../../hosts/plan/servedPaths.ts';
import type { AgentArchives, PublishArchive } from '../../hosts/plan/agentArchives.ts';

export async function putFile(
  folder: PreparedFolder,
  { host: owner, kind, make, path, recipe, secrets = [], source }: SiteFile,
): Promise<void> {
  const host = owner === UNKNOWN_MACHINES ? undefined : owner;
  const purpose = { path, kind, host, secrets };
  if (source !== undefined) return folder.share(purpose, source);
  if (recipe === undefined) {
    const { unchanged } = await make();
    return folder.put(purpose, await unchanged.read(0, unchanged.size));
  }
  await folder.make({ ...purpose, recipe: recipe() }, async (target) =>
    writeArtifact(await make(), target, folder),
  );
}

/**
 * Shares blocks with the base image if that is a file. Returns the SHA-256 of the new file; undefined for a changed copy of a
 * whole image. To read that would take far longer than to share its blocks, and as its changes are near its start, SHA-256 has no
 * state that several of these files have in common.
 */
async function writeArtifact(
  { changes, copied: image, unchanged }: Artifact,
  target: NewFile,
  { digests, hashes }: PreparedFolder,
): Promise<string | undefined> {
  const [change, ...others] = changes;
  if (image === undefined || change === undefined || others.length > 0) {
    await writeBytes(changes.reduce<ImageBytes>(changedImage, unchanged), target);
    return digests.sha256(target.path);
  }
  const { path } = image;
  const appended = appendedBytes(change, image.size);
  if (appended === undefined || path === undefined) {
    await copyWithChange({ image, change }, target);
    return undefined;
  }
  // The hash state after a file that many other files begin with is computed once.
  const start = hashes.get(path) ?? hashFile(path);
  hashes.set(path, start);
  const begun = await start;
  await copyWithChange({ image, change }, target);
  return begun.copy().update(appended).digest('hex');
}

/** The bytes of a change that only appends; undefined for other changes. */
function appendedBytes({ patches, size }: ImageChange, end: number): Uint8Array | undefined {
  const [patch, ...others] = patches;
  const isAlone = patch !== undefined && others.length === 0 && size === undefined;
  return isAlone && patch.offset === end && patch.data instanceof Uint8Array ? patch.data : undefined;
}

/** The images, with the initramfs at this path of the folder: the initramfs of a host can then share blocks with it. */
export async function withInitramfsIn(folder: PreparedFolder, base: BaseSet, name: string): Promise<BaseSet> {
  const { initramfs } = base.parts;
  if (initramfs === undefined || initramfs.path !== undefined) return base;
  const path = folder.currentPath(name);
  const file = await openSharedImage(path, path);
  const inFolder: BaseImage = { file, bytes: file, digest: initramfs.digest, path };
  const close = async (): Promise<void> => {
    await file.close();
    await base.close();
  };
  return { ...base, parts: { ...base.parts, initramfs: inFolder }, close };
}

/**
 * Writes shim and GRUB of the ISOs beside the scripts of GRUB: shim loads GRUB from its own folder, and GRUB its script.
 * @returns what UEFI starts: shim for the architectures of these ISOs, otherwise iPXE
 * @throws CliError if there is no ISO, or if two ISOs of an architecture have different loaders
 */
export async function putEfiLoaders(
  folder: PreparedFolder,
  bases: BaseCatalog<BaseSet>,
): Promise<EfiLoaders> {
  const isos = [...bases.values()].flatMap(({ architecture, iso }) =>
    architecture in ipxeLoaders ? (iso ?? []) : [],
  );
  if (isos.length === 0) {
    throw new CliError('--loaders requires a live ISO for x86_64 or aarch64, which contains shim and GRUB', {
      code: 'ERR_SETTING',
      hint: 'pass --iso FILE, or remove --loaders',
    });
  }
  const written = new Map<string, Buffer>();
  let loaders = ipxeLoaders;
  for (const iso of isos) {
    const found = await located(imageContext(iso), async () => readEfiLoaders(await openIsoTree(iso.bytes)));
    for (const { architecture, bytes, name } of found) {
      if (written.get(name)?.equals(bytes) === false) {
        throw new CliError(`the ISOs for ${architecture} contain different boot loaders ${name}`, {
          code: 'ERR_IMAGE',
          hint: 'prepare the hosts of each ISO in a folder of their own, or remove --loaders',
        });
      }
      const path = `grub/${name}`;
      if (!written.has(name)) await folder.put({ path, kind: 'script' }, bytes);
      written.set(name, bytes);
      if (name.startsWith('shim')) loaders = { ...loaders, [architecture]: path };
    }
  }
  return loaders;
}

/**
 * @param baseUrl without a final slash
 * @param root the served subfolder, with a final slash; empty for the whole folder
 * @throws UsageError if the folder has no URL
 */
export function publishIn(folder: PreparedFolder, baseUrl: string | undefined, root: string): PublishArchive {
  return async ({ id, name, path }) => {
    if (baseUrl === undefined) {
      throw new UsageError('the agent archive requires --base-url', {
        hint: 'pass the URL of the folder, for example --base-url http://192.0.2.1/boot, or set agent.archiveUrl',
      });
    }
    const served = agentPath(id, name);
    if (!folder.files.has(root + served)) await folder.share({ path: root + served, kind: 'agent' }, path);
    return `${baseUrl}/${served}`;
  };
}

/** The agent archives that configs refer to, for the manifest. */
export function archiveInputs(
  archives: AgentArchives,
  { digests }: PreparedFolder,
): Promise<ManifestInput[]> {
  return Promise.all(
    archives.used().map(async ({ architecture, content, name, path }) => {
      const sha256 = await digests.sha256(path);
      return { role: 'agent-archive', name, architecture, size: content.size, sha256 } as const;
    }),
  );
}

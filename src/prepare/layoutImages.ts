/** Writes the images of one architecture in a fixed layout, and their config. */

import { createHash } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { CliError } from '../core/errors.ts';
import type { PreparedFolder } from './folder/preparedFolder.ts';
import { isSameFile } from '../io/files/shareFile.ts';
import { imageParts } from '../image/bootParts.ts';
import type { HostConfigs, OpenArchives } from '../hosts/plan/agentArchives.ts';
import { type BaseSet, imageSetOf, openBaseSet } from '../hosts/artifacts/baseImages.ts';
import { materialOf } from '../hosts/artifacts/hostArtifacts.ts';
import type { InputImages } from '../hosts/plan/imageInputs.ts';
import { putHostFile, putImages } from './putFiles.ts';
import type { LayoutImages } from './layoutBoot.ts';
import type { FileAccess, PrepareOptions } from './options.ts';

export interface LayoutPart extends LayoutImages {
  /** If the ISO is changed in place, it is replaced here with the changed ISO. */
  images: InputImages;
  /** The open images; undefined without images. */
  base: BaseSet | undefined;
  readonly configs: HostConfigs;
  /** The config with the plain name, if it belongs to another architecture. */
  readonly plainConfig: Uint8Array | undefined;
  /** Whether the ISO is the one in the folder. */
  readonly isInPlace: boolean;
}

export interface LayoutPlace {
  readonly folder: PreparedFolder;
  readonly options: PrepareOptions;
  readonly access: FileAccess;
  /** Whether options set the images. If the ISO was only found in the folder, its parts are not extracted. */
  readonly areGiven: boolean;
  readonly archives: OpenArchives;
}

/**
 * Writes the files in the order in which they are renamed at the end: a machine that loads the new kernel also gets all
 * other new files.
 * @throws CliError if an image cannot be read, an existing image is not from an earlier run, or the folder cannot be
 * written
 */
export async function putLayoutPart(part: LayoutPart, place: LayoutPlace): Promise<void> {
  const { folder, access, areGiven } = place;
  await rejectForeign(part, place);
  if (part.isInPlace) await embedInPlace(part, place);
  const { base, configs, isPlain, names, plainConfig } = part;
  const { document, secrets } = configs.fetched;
  const permissions = secrets.length > 0 ? access.secret : access.open;
  // A config that all architectures share only has the plain name.
  const isOwn = isPlain || plainConfig === undefined || !document.equals(plainConfig);
  if (isOwn) await folder.put({ path: names.config, secrets, ...permissions }, document);
  if (areGiven && base !== undefined) {
    await putImages(base, { folder, access: access.open, pathOf: (name) => names.images[name] });
  }
  if (!part.isInPlace && base?.iso !== undefined) await putIso(part, place);
}

/** Images of other programs are only replaced with `--force`. Configs are always replaced. */
async function rejectForeign(
  { images, isInPlace, names }: LayoutPart,
  { areGiven, folder, options }: LayoutPlace,
): Promise<void> {
  if (options.force === true || !areGiven) return;
  const known = new Set(folder.previous?.files.map(({ path }) => path));
  const own = new Set([...folder.files.keys(), ...folder.abandoned()]);
  for (const name of [...imageParts, 'iso'] as const) {
    const path = names.images[name];
    if (known.has(path) || own.has(path) || (name === 'iso' && isInPlace)) continue;
    const file = join(folder.path, path);
    const given = images.get(name);
    if (given !== undefined && (await isSameFile(given.path, file))) continue;
    if ((await lstat(file).catch(() => undefined)) === undefined) continue;
    throw new CliError(`File exists: ${file}`, {
      code: 'ERR_FILE_EXISTS',
      hint: 'remove it, or use --force to replace it',
    });
  }
}

/** Embeds the config in the ISO in the folder. The other images are then read from the changed ISO, as in later runs. */
async function embedInPlace(part: LayoutPart, place: LayoutPlace): Promise<void> {
  const { configs, images, names } = part;
  const { folder } = place;
  const path = names.images.iso;
  const archive = configs.archive?.url === undefined ? configs.archive?.content.sha512 : undefined;
  const hash = createHash('sha256').update('in place\n').update(configs.onIso.document);
  await putIso(part, place, hash.update(archive ?? '').digest('hex'));
  const iso = images.get('iso');
  const now = folder.files.get(path);
  if (iso === undefined || now === undefined) return;
  const { sha256, size } = now;
  part.images = new Map([...images, ['iso', { ...iso, sha256, size }]]);
  await part.base?.close();
  part.base = await openBaseSet(
    new Map([...images, ['iso', { ...iso, sha256, size, path: folder.currentPath(path) }]]),
  );
}

/** @param recipe for an ISO that is changed in place */
async function putIso(
  { base, configs, names }: LayoutPart,
  { access, archives, folder, options }: LayoutPlace,
  recipe?: string,
): Promise<void> {
  if (base === undefined) return;
  const { secrets } = configs.onIso;
  const permissions = secrets.length > 0 ? access.secret : access.open;
  const growth = options.grow === true ? 'usual' : 'refused';
  const plan = { configs, isoArguments: [], images: imageSetOf(base, (name) => names.images[name]) };
  const material = await materialOf(plan, archives, '', growth);
  const purpose = { path: names.images.iso, secrets, ...permissions };
  await putHostFile(
    'iso',
    { material, purpose, ...(recipe !== undefined && { recipe }) },
    { folder, hashes: new Map() },
  );
}

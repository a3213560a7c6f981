/**
 * `prepare --layout metal3` and `--layout bifrost`: one ramdisk for all machines, with the file names of ironic-image and
 * Bifrost. `metal3` replaces configure-coreos-ipa: it reads the same environment and needs no options.
 */

import { createHash } from 'node:crypto';
import { lstat, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { formatCount } from '../../formats/messageText.ts';
import { type Architecture, architectures } from '../../core/architecture.ts';
import { UsageError } from '../../core/errors.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { existsError } from '../../io/files/fileErrors.ts';
import { isSameFile } from '../../io/files/shareFile.ts';
import { writeStdout } from '../../io/stdout.ts';
import { imageParts } from '../../image/bootParts.ts';
import type { ConfigArtifact } from '../../hosts/artifacts/artifacts.ts';
import { withScriptPaths } from './fixedLayouts.ts';
import {
  type FixedLayoutName,
  filesFor,
  layouts,
  plainArchitecture,
} from '../../hosts/artifacts/layoutFiles.ts';
import { memoryNeeds } from '../../hosts/artifacts/hostMemory.ts';
import { parseBaseUrl } from '../../hosts/artifacts/servedPaths.ts';
import { printable } from '../../core/foreignText.ts';
import { putHostFile, putImages } from './putFiles.ts';
import { finishRun } from './finish.ts';
import type { Layout } from './run.ts';
import { imagesKey } from '../../hosts/plan/baseCatalog.ts';
import { type InputImages, readImageInputs } from '../../hosts/plan/imageInputs.ts';
import {
  formatBootValues,
  type LayoutBoot,
  type LayoutImages,
  type LayoutJob,
  putBifrostVariables,
  reportOtherRootfs,
} from './layoutBoot.ts';
import type { PrepareOptions } from './options.ts';
import { deriveHttpUrl } from '../../hosts/settings/ironicImage.ts';
import type { Inventory } from '../../hosts/settings/inventoryDocument.ts';
import { type BaseSet, imageSetOf, openBaseSet } from '../../hosts/artifacts/baseImages.ts';
import { materialOf } from '../../hosts/artifacts/hostArtifacts.ts';

/** @throws UsageError for options that the layout does not support */
export function fixedLayout(name: FixedLayoutName, options: PrepareOptions, io: Io): Layout {
  refuseUnused(name, options);
  const usual = layouts[name];
  const shown = options.output ?? usual.folder;
  const fixed = name === 'metal3' ? withScriptPaths(usual, resolve(io.cwd, shown), io.env) : usual;
  return {
    layout: name,
    options: withScriptProfile(name, options),
    shown,
    baseUrl: readBaseUrl(name, options, io),
    served: fixed.served,
    force: true,
    isStaged: () => true,
    check: (inventory) => refuseHosts(name, inventory),
    write: (run) => fillLayout({ ...run, fixed }),
  };
}

/** ironic-image derives the URL of its web server from its environment. */
function readBaseUrl(name: FixedLayoutName, { baseUrl }: PrepareOptions, { env }: Io): string | undefined {
  if (baseUrl !== undefined) return parseBaseUrl(baseUrl);
  const derived = name === 'metal3' ? deriveHttpUrl(env) : undefined;
  return derived && parseBaseUrl(derived, 'IRONIC_HTTP_URL');
}

function refuseUnused(name: FixedLayoutName, { artifacts, dhcpRange, discovery }: PrepareOptions): void {
  const given = [
    ['--artifacts', artifacts],
    ['--dhcp-range', dhcpRange],
    ['--discovery', discovery],
  ] as const;
  const [option] = given.find(([, value]) => value !== undefined && value !== false) ?? [];
  if (option === undefined) return;
  throw new UsageError(`${option} cannot be combined with --layout ${name}`, {
    hint: `pass either ${option} or --layout ${name}`,
  });
}

/** The default profile of metal3 is that of the script configure-coreos-ipa. */
function withScriptProfile(name: FixedLayoutName, options: PrepareOptions): PrepareOptions {
  const isGiven = options.profile !== undefined || options.inventory !== undefined;
  return name !== 'metal3' || isGiven ? options : { ...options, profile: 'configure-coreos-ipa' };
}

function refuseHosts(name: FixedLayoutName, { hosts }: Inventory): void {
  if (hosts === undefined) return;
  throw new UsageError(`--layout ${name} does not support an inventory with hosts`, {
    hint: 'remove the list "hosts", or remove --layout to write a config for each host',
  });
}

/** The files of one architecture, or the config without images. */
interface LayoutPart extends LayoutImages {
  /** If the ISO is changed in place, it is replaced here with the changed ISO. */
  images: InputImages;
  /** The open images; undefined without images. */
  base: BaseSet | undefined;
  /** The config with the plain name, if it belongs to another architecture. */
  readonly plainConfig: Uint8Array | undefined;
  /** Whether the ISO is the one in the folder. */
  readonly isInPlace: boolean;
}

/** Writes all files, and renames them together at the end. */
async function fillLayout(job: LayoutJob): Promise<ExitCode> {
  const { folder, io, options, shown } = job;
  const images = await findImages(job);
  const hasIso = [...images.values()].some((ofOne) => ofOne.has('iso'));
  const configs: readonly ConfigArtifact[] = hasIso ? ['ign', 'iso'] : ['ign'];
  const parts = await renderParts(images, configs, job);
  if (parts === undefined) return 1;
  try {
    for (const part of parts) {
      if (part.images.size > 0) part.base = await openBaseSet(part.images);
      if (hasImages(options) && options.force !== true) await rejectForeign(part, job);
      await putPart(part, job);
    }
    await finishLayout(parts, configs, job);
  } finally {
    for (const { base } of parts) await base?.close();
  }
  const { written, unchanged } = folder.counts;
  io.stderr.write(`${printable(shown)}: ${formatCount(written, 'file')} written, ${unchanged} unchanged\n`);
  return 0;
}

async function finishLayout(
  parts: readonly LayoutPart[],
  configs: readonly ConfigArtifact[],
  job: LayoutJob,
): Promise<void> {
  const { fixed, folder, io, layout, options } = job;
  const boot: LayoutBoot = { ...job, images: parts };
  await putBifrostVariables(boot);
  const memory = parts.flatMap(({ architecture, base, configs: { archive } }) =>
    memoryNeeds(configs, base, archive).map((need) => ({ architecture, ...need })),
  );
  // An ISO that is changed in place is not listed: its digest changes with each run.
  const images = hasImages(options) ? parts.map((part) => [part.architecture, part.images] as const) : [];
  const artifacts = folder.files.has(fixed.files.iso) ? ['ign', 'iso'] : ['ign'];
  await finishRun(job, { artifacts, hosts: [], images: new Map(images), memory });
  if (layout === 'metal3') reportOtherRootfs(boot);
  const values = formatBootValues(boot);
  if (values !== '') await writeStdout(io, [Buffer.from(values)]);
}

/** Whether options set the images. Otherwise the config is embedded in the ISOs that are in the folder. */
function hasImages({ iso = [], kernel, initramfs, rootfs, images }: PrepareOptions): boolean {
  return iso.length > 0 || [kernel, initramfs, rootfs, images].some((given) => given !== undefined);
}

/**
 * The architecture with the plain names comes first. Without images, the result is empty. If no image is given, the ISO in
 * the folder is used, as configure-coreos-ipa does.
 */
async function findImages(job: LayoutJob): Promise<ReadonlyMap<Architecture, InputImages>> {
  const { folder, layout, options, io } = job;
  const wanted = hasImages(options) ? options : { iso: await isosInPlace(job) };
  const named = await readImageInputs(wanted, folder.digests, io);
  const found = new Map<Architecture, InputImages>();
  for (const [name, images] of named) {
    const { architecture, stream } = imagesKey(name);
    if (stream !== undefined) {
      throw new UsageError(`--layout ${layout} does not support streams, but ${name} has one`, {
        hint: 'pass the images without a stream, or remove --layout to write the files of each host',
      });
    }
    found.set(architecture, images);
  }
  const plain = plainArchitecture([...found.keys()]);
  const isPlain = ([architecture]: readonly [Architecture, InputImages]): number =>
    Number(architecture === plain);
  return new Map([...found].toSorted((one, other) => isPlain(other) - isPlain(one)));
}

async function isosInPlace({ fixed, folder }: LayoutJob): Promise<string[]> {
  const paths = [fixed.files.iso, ...architectures.map((name) => filesFor(fixed, name).iso)];
  const found: string[] = [];
  for (const path of paths.map((name) => join(folder.path, name))) {
    if ((await stat(path).catch(() => undefined))?.isFile() === true) found.push(path);
  }
  return found;
}

/** One part for each architecture, or one without images; undefined for an invalid config. */
async function renderParts(
  images: ReadonlyMap<Architecture, InputImages>,
  artifacts: readonly ConfigArtifact[],
  { archives, fixed, folder, publish, read: { source } }: LayoutJob,
): Promise<LayoutPart[] | undefined> {
  const listed = images.size === 0 ? [[undefined, new Map()] as const] : [...images];
  const parts: LayoutPart[] = [];
  for (const [architecture, ofOne] of listed) {
    const configs = await archives.render({ source, architecture, configs: artifacts, publish });
    if (configs === undefined) return undefined;
    const isPlain = parts.length === 0;
    const files = isPlain || architecture === undefined ? fixed.files : filesFor(fixed, architecture);
    const iso = ofOne.get('iso');
    const isInPlace = iso !== undefined && (await isSameFile(iso.path, join(folder.path, files.iso)));
    parts.push({
      architecture: architecture ?? 'x86_64',
      isPlain,
      files,
      images: ofOne,
      base: undefined,
      configs,
      plainConfig: parts[0]?.configs.fetched.document,
      isInPlace,
    });
  }
  return parts;
}

/**
 * Writes the files in the order in which they are renamed at the end: a machine that loads the new kernel also gets all
 * other new files.
 * @throws CliError if an image cannot be read, or the folder cannot be written
 */
async function putPart(part: LayoutPart, job: LayoutJob): Promise<void> {
  const { folder, options } = job;
  if (part.isInPlace) await embedInPlace(part, job);
  const { base, configs, isPlain, files, plainConfig } = part;
  const { document, secrets } = configs.fetched;
  // A config that all architectures share only has the plain name.
  const isOwn = isPlain || plainConfig === undefined || !document.equals(plainConfig);
  if (isOwn) await folder.put({ path: files.config, secrets }, document);
  // The parts of an ISO that was only found in the folder are not extracted.
  if (hasImages(options) && base !== undefined) await putImages(folder, base, (name) => files[name]);
  if (!part.isInPlace && base?.iso !== undefined) await putIso(part, job);
}

/**
 * Images of other programs are only replaced with `--force`. Configs are always replaced.
 * @throws CliError if an existing image is not from an earlier run
 */
async function rejectForeign({ images, isInPlace, files }: LayoutPart, { folder }: LayoutJob): Promise<void> {
  const own = new Set([
    ...(folder.previous?.files ?? []).map(({ path }) => path),
    ...folder.files.keys(),
    ...folder.abandoned(),
  ]);
  for (const name of [...imageParts, 'iso'] as const) {
    const path = files[name];
    if (own.has(path) || (name === 'iso' && isInPlace)) continue;
    const file = join(folder.path, path);
    const given = images.get(name);
    if (given !== undefined && (await isSameFile(given.path, file))) continue;
    if ((await lstat(file).catch(() => undefined)) === undefined) continue;
    throw existsError(file, 'replace it with --force');
  }
}

/** Embeds the config in the ISO in the folder. The other images are then read from the changed ISO, as in later runs. */
async function embedInPlace(part: LayoutPart, job: LayoutJob): Promise<void> {
  const { configs, images, files } = part;
  const { folder } = job;
  const path = files.iso;
  const archive = configs.archive?.url === undefined ? configs.archive?.content.sha512 : undefined;
  const hash = createHash('sha256').update('in place\n').update(configs.onIso.document);
  await putIso(part, job, hash.update(archive ?? '').digest('hex'));
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
  { base, configs, files }: LayoutPart,
  { archives, folder, growth }: LayoutJob,
  recipe?: string,
): Promise<void> {
  if (base === undefined) return;
  const { secrets } = configs.onIso;
  const plan = { configs, isoArguments: [], images: imageSetOf(base, (name) => files[name]) };
  const material = await materialOf(plan, archives, '', growth);
  await putHostFile(folder, { path: files.iso, secrets, recipe }, 'iso', material);
}

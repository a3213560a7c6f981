/**
 * `prepare --layout metal3` and `--layout bifrost`: one ramdisk for all machines, with the file names of ironic-image and
 * Bifrost. `metal3` replaces configure-coreos-ipa: it reads the same environment and needs no options.
 */

import { createHash } from 'node:crypto';
import { lstat, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { formatCount } from '../formats/messageText.ts';
import { type Architecture, architectures } from '../core/architecture.ts';
import { CliError, UsageError } from '../core/errors.ts';
import type { ExitCode, Io } from '../io/io.ts';
import { openPreparedFolder, type PreparedFolder } from './folder/preparedFolder.ts';
import { isSameFile } from '../io/files/shareFile.ts';
import { writeStdout } from '../io/stdout.ts';
import { imageParts } from '../image/bootParts.ts';
import type { ConfigArtifact } from '../hosts/artifacts/artifacts.ts';
import {
  type FixedLayout,
  type FixedLayoutName,
  layouts,
  namesFor,
  plainArchitecture,
  withScriptPaths,
} from './fixedLayouts.ts';
import { memoryNeeds } from '../hosts/artifacts/hostMemory.ts';
import { parseBaseUrl } from '../hosts/artifacts/servedPaths.ts';
import { printable } from '../io/report/terminalText.ts';
import {
  type AgentArchives,
  createOpenArchives,
  type HostConfigs,
  openAgentArchives,
  type OpenArchives,
} from '../hosts/plan/agentArchives.ts';
import { type Bundle, checkBundle, readBundle, writeBundle } from './bundle.ts';
import { archiveInputs, publishIn, putHostFile, putImages } from './putFiles.ts';
import { reportExposed, finishFolder, reportMemory } from './finish.ts';
import { type InputImages, listInputs, readImageInputs } from '../hosts/plan/imageInputs.ts';
import {
  formatBootValues,
  type LayoutBoot,
  type LayoutImages,
  renderIronicConf,
  reportOtherRootfs,
} from './layoutBoot.ts';
import { type PrepareOptions, readAccess, type ReadSource, readSource } from './options.ts';
import { type BaseSet, imageSetOf, openBaseSet } from '../hosts/artifacts/baseImages.ts';
import { materialOf } from '../hosts/artifacts/hostArtifacts.ts';

/** @throws CliError if an input is invalid or a file cannot be written */
export async function prepareLayout(
  name: FixedLayoutName,
  options: PrepareOptions,
  io: Io,
): Promise<ExitCode> {
  refuseUnused(name, options);
  const base = layouts[name];
  const shown = options.output ?? base.folder;
  const root = resolve(io.cwd, shown);
  const layout = name === 'metal3' ? withScriptPaths(base, root, io.env) : base;
  const baseUrl = options.baseUrl === undefined ? undefined : parseBaseUrl(options.baseUrl);
  const bundle = readBundle(options, io);
  const access = await readAccess(options);
  const read = await readSource(withScriptProfile(name, options), io);
  refuseHosts(name, read);
  const folder = await openPreparedFolder(root, { ...access, shown, force: true, naming: 'together' });
  try {
    await checkBundle(bundle);
    if (!(await prepareAll({ name, folder, layout, options, baseUrl, bundle, read, io }))) return 1;
    const { written, unchanged } = folder.counts;
    io.stderr.write(`${printable(shown)}: ${formatCount(written, 'file')} written, ${unchanged} unchanged\n`);
    return 0;
  } finally {
    await folder.release();
  }
}

function refuseUnused(name: FixedLayoutName, { artifacts, discovery }: PrepareOptions): void {
  const option = artifacts !== undefined ? '--artifacts' : discovery === true ? '--discovery' : undefined;
  if (option === undefined) return;
  throw new UsageError(`${option} cannot be combined with --layout ${name}`, { hint: 'remove one of them' });
}

/** The default profile of metal3 is that of the script configure-coreos-ipa. */
function withScriptProfile(name: FixedLayoutName, options: PrepareOptions): PrepareOptions {
  const isGiven = options.profile !== undefined || options.inventory !== undefined;
  return name !== 'metal3' || isGiven ? options : { ...options, profile: 'configure-coreos-ipa' };
}

function refuseHosts(name: FixedLayoutName, { inventory }: ReadSource): void {
  if (inventory.hosts === undefined) return;
  throw new UsageError(`--layout ${name} does not support an inventory with hosts`, {
    hint: 'remove the list "hosts", or remove --layout to write a config for each host',
  });
}

interface LayoutJob {
  readonly name: FixedLayoutName;
  readonly folder: PreparedFolder;
  readonly layout: FixedLayout;
  readonly options: PrepareOptions;
  /** Without a final slash. */
  readonly baseUrl: string | undefined;
  readonly bundle: Bundle | undefined;
  readonly read: ReadSource;
  readonly io: Io;
}

/** The files of one architecture, or the config without images. */
interface LayoutPart extends LayoutImages {
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

/** Writes all files, and renames them together at the end. Returns false for an invalid config, after reporting its errors. */
async function prepareAll(job: LayoutJob): Promise<boolean> {
  const { options, io } = job;
  const areGiven = hasImages(options);
  const images = await findImages(job);
  const hasIso = [...images.values()].some((ofOne) => ofOne.has('iso'));
  const configs: readonly ConfigArtifact[] = hasIso ? ['ign', 'iso'] : ['ign'];
  const agents = await openAgentArchives(options.agentArchive, configs, io);
  const parts = await renderParts(images, agents, job);
  if (parts === undefined) return false;
  const archives = createOpenArchives();
  try {
    for (const part of parts) {
      if (part.images.size > 0) part.base = await openBaseSet(part.images);
      if (areGiven && options.force !== true) await rejectForeign(part, job);
      await putPart(part, job, archives);
    }
    await finishLayout(parts, configs, agents, job);
  } finally {
    await archives.close();
    for (const { base } of parts) await base?.close();
  }
  return true;
}

async function finishLayout(
  parts: readonly LayoutPart[],
  configs: readonly ConfigArtifact[],
  agents: AgentArchives,
  job: LayoutJob,
): Promise<void> {
  const { name, baseUrl, bundle, folder, io, layout, options, read } = job;
  const boot: LayoutBoot = { folder, layout, baseUrl, images: parts };
  const ironicConf = renderIronicConf(boot, { profile: 'default', files: [read.inventory.agent] }, io);
  if (ironicConf !== undefined) await folder.put({ path: ironicConf.path }, Buffer.from(ironicConf.text));
  const memory = parts.flatMap(({ architecture, base, configs: { archive } }) =>
    memoryNeeds(configs, base, archive).map((need) => ({ architecture, ...need })),
  );
  // An ISO that is changed in place is not listed: its digest changes with each run.
  const images = hasImages(options) ? parts.map((part) => [part.architecture, part.images] as const) : [];
  const content = {
    layout: name,
    baseUrl: baseUrl ?? null,
    artifacts: folder.files.has(layout.images.iso) ? ['ign', 'iso'] : ['ign'],
    inputs: [...read.input, ...listInputs(new Map(images)), ...(await archiveInputs(agents, folder))],
    hosts: [],
    memory,
  };
  const prune = options.prune === true;
  const manifest = await finishFolder(folder, content, { invalid: new Set(), prune, io });
  reportMemory([], memory, io);
  reportExposed(folder, baseUrl, layout.served, io);
  if (bundle !== undefined) await writeBundle(bundle, folder, manifest, agents);
  if (name === 'metal3') reportOtherRootfs(boot, io);
  const values = formatBootValues(name, boot);
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
async function findImages({
  folder,
  layout,
  options,
  io,
}: LayoutJob): Promise<ReadonlyMap<Architecture, InputImages>> {
  const wanted = hasImages(options) ? options : { iso: await isosInPlace(folder, layout) };
  const found = await readImageInputs(wanted, folder.digests, io);
  const plain = plainArchitecture([...found.keys()]);
  const isPlain = ([architecture]: readonly [Architecture, InputImages]): number =>
    Number(architecture === plain);
  return new Map([...found].toSorted((one, other) => isPlain(other) - isPlain(one)));
}

async function isosInPlace(folder: PreparedFolder, layout: FixedLayout): Promise<string[]> {
  const paths = [layout.images.iso, ...architectures.map((name) => namesFor(layout, name).images.iso)];
  const found: string[] = [];
  for (const path of paths.map((name) => join(folder.path, name))) {
    if ((await stat(path).catch(() => undefined))?.isFile() === true) found.push(path);
  }
  return found;
}

/** One part for each architecture, or one without images; undefined for an invalid config. */
async function renderParts(
  images: ReadonlyMap<Architecture, InputImages>,
  archives: AgentArchives,
  { baseUrl, folder, layout, read }: LayoutJob,
): Promise<LayoutPart[] | undefined> {
  const publish = publishIn(folder, baseUrl, layout.served);
  const listed = images.size === 0 ? [[undefined, new Map()] as const] : [...images];
  const parts: LayoutPart[] = [];
  for (const [architecture, ofOne] of listed) {
    const configs = await archives.render(read.source, architecture, publish);
    if (configs === undefined) return undefined;
    const isPlain = parts.length === 0;
    const names = isPlain || architecture === undefined ? layout : namesFor(layout, architecture);
    const iso = ofOne.get('iso');
    const isInPlace = iso !== undefined && (await isSameFile(iso.path, join(folder.path, names.images.iso)));
    parts.push({
      architecture: architecture ?? 'x86_64',
      isPlain,
      names,
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
async function putPart(part: LayoutPart, job: LayoutJob, archives: OpenArchives): Promise<void> {
  const { folder, options } = job;
  if (part.isInPlace) await embedInPlace(part, job, archives);
  const { base, configs, isPlain, names, plainConfig } = part;
  const { document, secrets } = configs.fetched;
  // A config that all architectures share only has the plain name.
  const isOwn = isPlain || plainConfig === undefined || !document.equals(plainConfig);
  if (isOwn) await folder.put({ path: names.config, secrets }, document);
  // The parts of an ISO that was only found in the folder are not extracted.
  if (hasImages(options) && base !== undefined) await putImages(folder, base, (name) => names.images[name]);
  if (!part.isInPlace && base?.iso !== undefined) await putIso(part, job, archives);
}

/**
 * Images of other programs are only replaced with `--force`. Configs are always replaced.
 * @throws CliError if an existing image is not from an earlier run
 */
async function rejectForeign({ images, isInPlace, names }: LayoutPart, { folder }: LayoutJob): Promise<void> {
  const own = new Set([
    ...(folder.previous?.files ?? []).map(({ path }) => path),
    ...folder.files.keys(),
    ...folder.abandoned(),
  ]);
  for (const name of [...imageParts, 'iso'] as const) {
    const path = names.images[name];
    if (own.has(path) || (name === 'iso' && isInPlace)) continue;
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
async function embedInPlace(part: LayoutPart, job: LayoutJob, archives: OpenArchives): Promise<void> {
  const { configs, images, names } = part;
  const { folder } = job;
  const path = names.images.iso;
  const archive = configs.archive?.url === undefined ? configs.archive?.content.sha512 : undefined;
  const hash = createHash('sha256').update('in place\n').update(configs.onIso.document);
  await putIso(part, job, archives, hash.update(archive ?? '').digest('hex'));
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
  { folder, options }: LayoutJob,
  archives: OpenArchives,
  recipe?: string,
): Promise<void> {
  if (base === undefined) return;
  const { secrets } = configs.onIso;
  const growth = options.grow === true ? 'usual' : 'refused';
  const plan = { configs, isoArguments: [], images: imageSetOf(base, (name) => names.images[name]) };
  const material = await materialOf(plan, archives, '', growth);
  await putHostFile(folder, { path: names.images.iso, secrets, recipe }, 'iso', material);
}

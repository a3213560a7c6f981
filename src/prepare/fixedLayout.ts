/**
 * `prepare --layout metal3` and `--layout bifrost`: one ramdisk for all machines, with the file names of ironic-image and
 * Bifrost. `metal3` replaces configure-coreos-ipa: it reads the same environment and needs no options.
 */

import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { formatCount } from '../formats/messageText.ts';
import { type Architecture, architectures } from '../core/architecture.ts';
import { UsageError } from '../core/errors.ts';
import type { ExitCode, Io } from '../io/io.ts';
import { openPreparedFolder, type PreparedFolder } from './folder/preparedFolder.ts';
import { isSameFile } from '../io/files/shareFile.ts';
import { writeStdout } from '../io/stdout.ts';
import type { ConfigArtifact } from '../hosts/artifacts/artifacts.ts';
import {
  type FixedLayout,
  type FixedLayoutName,
  layoutNamed,
  namesFor,
  plainArchitecture,
  withScriptPaths,
} from './fixedLayouts.ts';
import { memoryNeeds, type UnlistedMemory } from '../hosts/artifacts/hostMemory.ts';
import type { ManifestInput } from '../hosts/artifacts/manifest.ts';
import { parseBaseUrl } from '../hosts/artifacts/servedPaths.ts';
import { printable } from '../io/report/terminalText.ts';
import { type AgentArchives, openAgentArchives, createOpenArchives } from '../hosts/plan/agentArchives.ts';
import { bundleFolder, checkBundleName } from './bundle.ts';
import { archiveInputs, publishIn } from './putFiles.ts';
import { reportExposed, finishFolder, reportMemory } from './finish.ts';
import { type InputImages, listInputs, readImageInputs } from '../hosts/plan/imageInputs.ts';
import { formatBootValues, type LayoutBoot, renderIronicConf, reportOtherRootfs } from './layoutBoot.ts';
import { type LayoutPart, putLayoutPart } from './layoutImages.ts';
import { type FileAccess, type PrepareOptions, readAccess, type ReadSource, readSource } from './options.ts';
import { openBaseSet } from '../hosts/artifacts/baseImages.ts';

/** @throws CliError if an input is invalid or a file cannot be written */
export async function prepareLayout(
  name: FixedLayoutName,
  options: PrepareOptions,
  io: Io,
): Promise<ExitCode> {
  refuseUnused(name, options);
  const base = layoutNamed(name);
  const shown = options.output ?? base.folder;
  const root = resolve(io.cwd, shown);
  const layout = name === 'metal3' ? withScriptPaths(base, root, io.env) : base;
  const baseUrl = options.baseUrl === undefined ? undefined : parseBaseUrl(options.baseUrl);
  const access = await readAccess(options);
  const read = await readSource(withScriptProfile(name, options), io);
  refuseHosts(name, read);
  const folder = await openPreparedFolder(root, { shown, force: true, naming: 'together' });
  try {
    const job = { name, folder, layout, options, baseUrl, access, read, io };
    if (!(await prepareAll(job))) return 1;
    const { written, unchanged } = folder.counts;
    io.stderr.write(`${printable(shown)}: ${formatCount(written, 'file')} written, ${unchanged} unchanged\n`);
    return 0;
  } finally {
    await folder.release();
  }
}

function refuseUnused(name: FixedLayoutName, { artifacts, bundle, discovery }: PrepareOptions): void {
  checkBundleName(bundle);
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
  readonly access: FileAccess;
  readonly read: ReadSource;
  readonly io: Io;
}

/** Writes all files, and renames them together at the end. Returns false for an invalid config, after reporting its errors. */
async function prepareAll(job: LayoutJob): Promise<boolean> {
  const { options, io } = job;
  const found = await findImages(job);
  const agents = await openAgentArchives(options.agentArchive, found.configs, io);
  const parts = await renderParts(found.images, agents, job);
  if (parts === undefined) return false;
  const archives = createOpenArchives();
  try {
    for (const part of parts) {
      if (part.images.size > 0) part.base = await openBaseSet(part.images);
      await putLayoutPart(part, { ...job, archives, areGiven: found.areGiven });
    }
    await finishLayout(parts, { ...job, agents, found });
  } finally {
    await archives.close();
    for (const { base } of parts) await base?.close();
  }
  return true;
}

interface LayoutEnd extends LayoutJob {
  readonly agents: AgentArchives;
  readonly found: FoundImages;
}

async function finishLayout(parts: readonly LayoutPart[], end: LayoutEnd): Promise<void> {
  const { name, agents, baseUrl, folder, found, io, layout, options, read } = end;
  const boot: LayoutBoot = { folder, layout, baseUrl, images: parts };
  await putIronicConf(boot, end);
  const memory = listMemory(parts, found.configs);
  await finishFolder(folder, {
    layout: name,
    wanted: {
      baseUrl,
      configs: folder.files.has(layout.images.iso) ? ['ign', 'iso'] : ['ign'],
      loaders: [],
    },
    inputs: [...read.input, ...listParts(parts, found), ...(await archiveInputs(agents, folder))],
    prepared: { hosts: [], invalid: new Set() },
    memory,
    prune: options.prune === true,
    io,
  });
  reportMemory([], memory, io);
  reportExposed(folder, { baseUrl, served: layout.served }, io);
  await bundleFolder(folder, options, io);
  if (name === 'metal3') reportOtherRootfs(boot, io);
  const values = formatBootValues(name, boot);
  if (values !== '') await writeStdout(io, [Buffer.from(values)]);
}

interface FoundImages {
  /** The architecture with the plain names comes first; empty for a config without images. */
  readonly images: ReadonlyMap<Architecture, InputImages>;
  /** Whether options set the images. Otherwise the config is embedded in the ISOs that are in the folder. */
  readonly areGiven: boolean;
  readonly configs: readonly ConfigArtifact[];
}

/** If no image is given, the ISO in the folder is used, as configure-coreos-ipa does. */
async function findImages({ folder, layout, options, io }: LayoutJob): Promise<FoundImages> {
  const { iso = [], kernel, initramfs, rootfs, images: downloads } = options;
  const areGiven =
    iso.length > 0 || [kernel, initramfs, rootfs, downloads].some((given) => given !== undefined);
  const wanted = areGiven ? options : { iso: await isosInPlace(folder, layout) };
  const found = await readImageInputs(wanted, folder.digests, io);
  const plain = plainArchitecture([...found.keys()]);
  const isPlain = ([architecture]: readonly [Architecture, InputImages]): number =>
    Number(architecture === plain);
  const images = new Map([...found].toSorted((one, other) => isPlain(other) - isPlain(one)));
  const hasIso = [...images.values()].some((ofOne) => ofOne.has('iso'));
  return { images, areGiven, configs: hasIso ? ['ign', 'iso'] : ['ign'] };
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
  images: FoundImages['images'],
  archives: AgentArchives,
  { access, baseUrl, folder, layout, read }: LayoutJob,
): Promise<LayoutPart[] | undefined> {
  const publish = publishIn({ folder, access: access.open, root: layout.served, baseUrl });
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

/** An ISO that is changed in place is not listed: its digest changes with each run. */
function listParts(parts: readonly LayoutPart[], { areGiven }: FoundImages): ManifestInput[] {
  return areGiven ? listInputs(new Map(parts.map(({ architecture, images }) => [architecture, images]))) : [];
}

async function putIronicConf(
  boot: LayoutBoot,
  { folder, layout, access, read, io }: LayoutJob,
): Promise<void> {
  const layers = { profile: 'default', files: [read.inventory.agent] } as const;
  const text = renderIronicConf(boot, layers, io);
  if (text === undefined || layout.ironicConf === undefined) return;
  await folder.put({ path: layout.ironicConf, ...access.open }, Buffer.from(text));
}

function listMemory(parts: readonly LayoutPart[], configs: readonly ConfigArtifact[]): UnlistedMemory[] {
  return parts.flatMap(({ architecture, base, configs: { archive } }) => {
    const needs = memoryNeeds(configs, base, archive);
    return needs.map((need) => ({ architecture, ...need }));
  });
}

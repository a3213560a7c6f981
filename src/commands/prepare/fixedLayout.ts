/**
 * `prepare --layout metal3` and `--layout bifrost`: one ramdisk for all machines, under the names that ironic-image and
 * Bifrost have for it. What configure-coreos-ipa did from its environment, `metal3` does without any option.
 */

import { createHash } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bootForms, checkBoot } from '../../boot/bootForms.ts';
import { CliError, UsageError } from '../../errors.ts';
import { embedIgnition } from '../../image/embeddedIgnition.ts';
import { openLiveIso } from '../../image/liveIso.ts';
import { copyWithChange } from '../../io/changeFile.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { openPreparedFolder, type PreparedFolder } from '../../io/preparedFolder.ts';
import { readImage } from '../../io/readImage.ts';
import { isSameFile } from '../../io/shareFile.ts';
import { writeStdout } from '../../io/stdout.ts';
import {
  type FixedLayout,
  type FixedLayoutName,
  layoutNamed,
  withScriptPaths,
} from '../../prepare/fixedLayouts.ts';
import type { ManifestInput } from '../../prepare/manifest.ts';
import { imageParts, parseBaseUrl } from '../../prepare/servedPaths.ts';
import { printable } from '../../reporters/printable.ts';
import { formatRemark } from '../../reporters/remark.ts';
import { bootInputsOf } from '../pxe/bootInputs.ts';
import type { InventoryLayers } from '../pxe/inventoryHost.ts';
import { createRenderer } from '../render/renderConfig.ts';
import { bundleFolder, checkBundleName } from './bundle.ts';
import { putConfigFiles } from './configFiles.ts';
import { tellExposed } from './exposed.ts';
import { finishFolder } from './finish.ts';
import { type InputImages, listInputs, readImageInputs } from './imageInputs.ts';
import { putImages } from './imageSets.ts';
import { type FileAccess, type PrepareOptions, readAccess } from './options.ts';
import { type ReadSource, readSource } from './source.ts';

/** @throws CliError in the user's terms */
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
  const config = await createRenderer()(read.source);
  if (config === undefined) return 1;

  const folder = await openPreparedFolder(root, { shown, force: true });
  const secret = config.secrets.length > 0 ? access.secret : access.open;
  const job = { folder, layout, options, config: { ...secret, ...config }, access, io };
  try {
    const inputs = [...read.input, ...(await putFiles(job))];
    await putIronicConf(job, baseUrl, { profile: 'default', files: [read.inventory.agent] });
    const configs = folder.files.has(layout.images.iso) ? (['ign', 'iso'] as const) : (['ign'] as const);
    await finishFolder(folder, {
      layout: name,
      wanted: { baseUrl, configs, loaders: [] },
      inputs,
      prepared: { hosts: [], wrong: new Set() },
      prune: options.prune === true,
      io,
    });
    tellExposed(folder, baseUrl, io);
    if (options.bundle !== undefined) await bundleFolder(folder, { ...options, bundle: options.bundle }, io);
    if (name === 'bifrost') await writeStdout(io, [Buffer.from(formatDriverInfo(job))]);
    const { written, unchanged } = folder.counts;
    io.stderr.write(`${printable(shown)}: ${written} files written, ${unchanged} unchanged\n`);
    return 0;
  } finally {
    await folder.release();
  }
}

function refuseUnused(name: FixedLayoutName, { artifacts, bundle, discovery }: PrepareOptions): void {
  if (bundle !== undefined) checkBundleName(bundle);
  const option = artifacts !== undefined ? '--artifacts' : discovery === true ? '--discovery' : undefined;
  if (option === undefined) return;
  throw new UsageError(`${option} has no effect with --layout ${name}`, { hint: 'leave one of them out' });
}

/** Who says nothing else gets the config of the script whose environment this is. */
function withScriptProfile(name: FixedLayoutName, options: PrepareOptions): PrepareOptions {
  const isSaid = options.profile !== undefined || options.inventory !== undefined;
  return name !== 'metal3' || isSaid ? options : { ...options, profile: 'configure-coreos-ipa' };
}

function refuseHosts(name: FixedLayoutName, { inventory }: ReadSource): void {
  if (inventory.hosts === undefined) return;
  throw new UsageError(`--layout ${name} has one config for all machines, and the inventory lists hosts`, {
    hint: 'take the list out, or leave --layout out for a folder with a config for each host',
  });
}

interface LayoutJob {
  readonly folder: PreparedFolder;
  readonly layout: FixedLayout;
  readonly options: PrepareOptions;
  readonly access: FileAccess;
  readonly config: FileAccess['open'] & {
    readonly document: Uint8Array;
    readonly secrets: readonly string[];
  };
  readonly io: Io;
}

/** An ISO that is in its place already is customised first: what is taken from it is then that of the next run, too. */
async function putFiles(job: LayoutJob): Promise<readonly ManifestInput[]> {
  const { folder, layout, options, access, config, io } = job;
  const isInPlace = await isIsoInPlace(job);
  if (isInPlace) await embedInPlace(job);
  const found = await readImageInputs(options, folder.digests, io);
  const images = onlyArchitecture(found);
  await refuseForeign(job, images, isInPlace);
  await putImages(images, { folder, access: access.open, pathOf: (part) => layout.images[part] }, io);
  const { document, ...purpose } = config;
  await folder.put({ path: layout.config, ...purpose }, document);
  if (!isInPlace && images.has('iso')) await putIso(job, images);
  return listInputs(found);
}

/** Without any image, the ISO that somebody has put there is meant, as it was by configure-coreos-ipa. */
async function isIsoInPlace({ folder, layout, options, io }: LayoutJob): Promise<boolean> {
  const target = join(folder.path, layout.images.iso);
  const { iso = [], kernel, initramfs, rootfs, images } = options;
  const isNoneGiven =
    iso.length === 0 && [kernel, initramfs, rootfs, images].every((given) => given === undefined);
  const [given] = iso;
  if (given !== undefined) return isSameFile(resolve(io.cwd, given), target);
  // What was made here from another ISO stays as it is.
  return isNoneGiven && (await lstat(target).catch(() => undefined))?.isFile() === true;
}

async function embedInPlace({ folder, layout, options, config, io }: LayoutJob): Promise<void> {
  const { document, ...purpose } = config;
  const path = layout.images.iso;
  const recipe = createHash('sha256').update('in place\n').update(document).digest('hex');
  await folder.make({ path, ...purpose, recipe }, (target) =>
    readImage(target.path, { cwd: io.cwd }, async (image) => {
      const iso = await openLiveIso(image, options.grow === true ? 'usual' : 'refused');
      const change = await embedIgnition(iso, { config: document, existing: 'replace' });
      return copyWithChange({ image, change }, target);
    }),
  );
}

async function putIso(
  { folder, layout, options, config, io }: LayoutJob,
  images: InputImages,
): Promise<void> {
  const { document, ...purpose } = config;
  const iso = images.get('iso');
  const architecture = iso?.architecture ?? 'x86_64';
  await putConfigFiles(
    {
      config: document,
      artifacts: ['iso'],
      isoArguments: [],
      images: { architecture, id: '', parts: {}, iso },
      purposeOf: () => ({ path: layout.images.iso, ...purpose }),
    },
    { folder, grow: options.grow === true, baseUrl: undefined, io, verified: new Set() },
  );
}

/** These names are for one architecture. */
function onlyArchitecture(found: Awaited<ReturnType<typeof readImageInputs>>): InputImages {
  const [images = new Map(), ...others] = found.values();
  if (others.length === 0) return images;
  throw new UsageError('this layout has names for the images of one architecture', {
    hint: 'prepare a folder for each of them',
  });
}

/** Images that somebody else has put there are not replaced without a word; configs are made anew by whoever comes. */
async function refuseForeign(
  { folder, layout, options }: LayoutJob,
  images: InputImages,
  isInPlace: boolean,
): Promise<void> {
  if (options.force === true || images.size === 0) return;
  const known = new Set(folder.previous?.files.map(({ path }) => path));
  for (const name of [...imageParts, 'iso'] as const) {
    const path = layout.images[name];
    if (known.has(path) || (name === 'iso' && isInPlace)) continue;
    const place = join(folder.path, path);
    const given = images.get(name);
    if (given !== undefined && (await isSameFile(given.path, place))) continue;
    if ((await lstat(place).catch(() => undefined)) === undefined) continue;
    throw new CliError(`File exists: ${place}`, { hint: 'replace it with --force, or take it away' });
  }
}

/** For whoever boots over the network by Ironic's own scripts. */
async function putIronicConf(
  { folder, layout, access, io }: LayoutJob,
  baseUrl: string | undefined,
  layers: InventoryLayers,
): Promise<void> {
  const { ironicConf: path, images, config } = layout;
  if (path === undefined || baseUrl === undefined || !folder.files.has(images.rootfs)) return;
  const urls = { rootfsUrl: `${baseUrl}/${images.rootfs}`, ignitionUrl: `${baseUrl}/${config}` };
  const { settings } = bootInputsOf(urls, layers, io);
  const findings = checkBoot(settings, bootForms.ironic);
  for (const { severity, message, hint } of findings)
    io.stderr.write(formatRemark({ severity, message, hint }));
  if (findings.some(({ severity }) => severity === 'error')) {
    throw new CliError('The part of ironic.conf cannot be written', { hint: 'mend what is reported above' });
  }
  await folder.put({ path, ...access.open }, Buffer.from(bootForms.ironic.render(settings)));
}

/** What a node of Ironic is told, one `NAME=VALUE` a line. */
function formatDriverInfo({ folder, layout: { images } }: LayoutJob): string {
  const names = [
    ['deploy_iso', images.iso],
    ['deploy_kernel', images.kernel],
    ['deploy_ramdisk', images.initramfs],
  ] as const;
  return names
    .filter(([, path]) => folder.files.has(path))
    .map(([name, path]) => `${name}=${pathToFileURL(join(folder.path, path)).href}\n`)
    .join('');
}

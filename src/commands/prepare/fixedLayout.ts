/**
 * `prepare --layout metal3` and `--layout bifrost`: one ramdisk for all machines, with the file names of ironic-image and
 * Bifrost. `metal3` replaces configure-coreos-ipa: it reads the same environment and needs no options.
 */

import { createHash } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isAbsolute, relative } from 'node:path/posix';
import type { ConfigArtifact } from '../../core/artifacts.ts';
import { UsageError } from '../../core/errors.ts';
import { printable } from '../../core/foreignText.ts';
import { formatCount } from '../../formats/messageText.ts';
import { memoryNeeds } from '../../hosts/artifacts/hostMemory.ts';
import {
  filesFor,
  type FixedLayout,
  type FixedLayoutName,
  layouts,
} from '../../hosts/artifacts/layoutFiles.ts';
import { isInside } from '../../hosts/artifacts/manifest.ts';
import { hostFile, partFiles } from '../../hosts/artifacts/site.ts';
import { type BaseSet, imageSetOf, openBaseSet } from '../../hosts/plan/baseImages.ts';
import { planArtifacts } from '../../hosts/plan/planHost.ts';
import { parseBaseUrl } from '../../hosts/plan/servedPaths.ts';
import { deriveHttpUrl } from '../../hosts/settings/ironicImage.ts';
import { imageParts } from '../../image/bootParts.ts';
import { existsError } from '../../io/files/fileErrors.ts';
import { isSameFile } from '../../io/files/shareFile.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { flagOf } from '../../io/report/choices.ts';
import { writeStdout } from '../../io/stdout.ts';
import { putBifrostVariables } from './bifrostVariables.ts';
import { formatBootValues, reportOtherRootfs } from './bootValues.ts';
import { finishRun } from './finish.ts';
import { findImages, hasImages, type LayoutJob, type LayoutPart } from './layoutParts.ts';
import type { PrepareOptions } from './options.ts';
import { putFile } from './putFiles.ts';
import type { Layout } from './run.ts';

/** Variables of configure-coreos-ipa for paths of the layout metal3. */
const pathVariables = [
  ['ROOTFS_FILE', 'rootfs'],
  ['IGNITION_FILE', 'config'],
  ['ISO_FILE', 'iso'],
] as const;

/**
 * The layout, with the paths that the environment sets.
 * @param root absolute path of the folder
 * @throws UsageError for a path outside of the folder
 */
export function withScriptPaths(
  layout: FixedLayout,
  root: string,
  env: Readonly<Record<string, string | undefined>>,
): FixedLayout {
  const files = { ...layout.files };
  for (const [variable, what] of pathVariables) {
    const path = env[variable];
    if (path === undefined || path === '') continue;
    const inside = isAbsolute(path) ? relative(root, path) : path;
    if (!isInside(inside)) {
      throw new UsageError(`${variable} is a path outside of ${root}`, {
        hint: 'pass the shared folder with --output',
      });
    }
    files[what] = inside;
  }
  return { ...layout, files };
}

/** @throws UsageError for options that the layout does not support */
export function fixedLayout(name: FixedLayoutName, options: PrepareOptions, io: Io): Layout {
  refuseOfFolder(name, options);
  // ironic-image derives the URL of its web server from its environment.
  const derived = name === 'metal3' ? deriveHttpUrl(io.env) : undefined;
  const baseUrl =
    options.baseUrl === undefined
      ? derived && parseBaseUrl(derived, 'IRONIC_HTTP_URL')
      : parseBaseUrl(options.baseUrl);
  const usual = layouts[name];
  const hasProfile = name !== 'metal3' || (options.profile ?? options.inventory) !== undefined;
  const shown = options.output ?? usual.folder;
  const fixed = name === 'metal3' ? withScriptPaths(usual, resolve(io.cwd, shown), io.env) : usual;
  return {
    layout: name,
    // The default profile of metal3 is that of the script configure-coreos-ipa.
    options: hasProfile ? options : { ...options, profile: 'configure-coreos-ipa' },
    shown,
    baseUrl,
    served: fixed.served,
    force: true,
    isStaged: () => true,
    check: ({ hosts }) => {
      if (hosts === undefined) return;
      throw new UsageError(`--layout ${name} does not support an inventory with hosts`, {
        hint: 'remove the list "hosts", or remove --layout to write a config for each host',
      });
    },
    write: (run) => fillLayout({ ...run, fixed }),
  };
}

/** Options of the layout `folder`. */
const ofFolder = ['artifacts', 'dhcp', 'dhcpRange', 'discovery', 'hardware', 'loaders'] as const;

function refuseOfFolder(name: FixedLayoutName, options: PrepareOptions): void {
  const option = ofFolder.find((one) => options[one] !== undefined);
  if (option === undefined) return;
  throw new UsageError(`${flagOf(option)} cannot be combined with --layout ${name}`, {
    hint: `pass either ${flagOf(option)} or --layout ${name}`,
  });
}

/** Writes all files, and renames them together at the end. */
async function fillLayout(job: LayoutJob): Promise<ExitCode> {
  const { archives, fixed, folder, io, options, publish, read, shown } = job;
  const found = await findImages(job);
  const listed = found.size === 0 ? [[undefined, new Map()] as const] : [...found];
  const parts: LayoutPart[] = [];
  try {
    for (const [architecture, images] of listed) {
      const artifacts: readonly ConfigArtifact[] = images.has('iso') ? ['ign', 'iso'] : ['ign'];
      const configs = await archives.render(read.source, architecture, artifacts, publish);
      if (configs === undefined) return 1;
      const hasPlainNames = parts.length === 0 || architecture === undefined;
      const files = hasPlainNames ? fixed.files : filesFor(fixed, architecture);
      const base = images.size > 0 ? await openBaseSet(images) : undefined;
      const part = {
        architecture: architecture ?? 'x86_64',
        artifacts,
        files,
        configs,
        images,
        base,
      } as const;
      parts.push(part);
      if (hasImages(options) && options.force !== true) await rejectForeign(part, job);
      await putPart(part, parts[0], job);
    }
    await finishLayout(parts, job);
  } finally {
    for (const { base } of parts) await base?.close();
  }
  const { written, unchanged } = folder.counts;
  io.stderr.write(`${printable(shown)}: ${formatCount(written, 'file')} written, ${unchanged} unchanged\n`);
  return 0;
}

async function finishLayout(parts: readonly LayoutPart[], job: LayoutJob): Promise<void> {
  const { io, layout, options } = job;
  await putBifrostVariables(job, parts);
  const memory = parts.flatMap(({ architecture, artifacts, base, configs: { archive } }) =>
    memoryNeeds(artifacts, base, archive).map((need) => ({ architecture, ...need })),
  );
  // An ISO that is changed in place is not listed: its digest changes with each run.
  const images = hasImages(options) ? parts.map((part) => [part.architecture, part.images] as const) : [];
  const written = new Set(parts.flatMap(({ artifacts }) => artifacts));
  await finishRun(job, [...written], new Map(images), memory);
  if (layout === 'metal3') reportOtherRootfs(job, parts);
  const values = formatBootValues(job, parts);
  if (values !== '') await writeStdout(io, [Buffer.from(values)]);
}

/**
 * Writes the files in the order in which they are renamed at the end: a machine that loads the new kernel also gets all
 * other new files.
 * @throws CliError if an image cannot be read, or the folder cannot be written
 */
async function putPart(part: LayoutPart, plain: LayoutPart | undefined, job: LayoutJob): Promise<void> {
  const { folder, options } = job;
  const { base, configs, files } = part;
  const { document, secrets } = configs.fetched;
  // A config that all architectures share only has the plain name.
  const isShared = part !== plain && plain?.configs.fetched.document.equals(document) === true;
  if (!isShared) await folder.put({ path: files.config, kind: 'ign', secrets }, document);
  // The parts of an ISO that was only found in the folder are not extracted.
  if (hasImages(options) && base !== undefined) {
    for (const file of partFiles(base, (name) => files[name])) await putFile(folder, file);
  }
  if (base?.iso !== undefined) await putIso(base, part, job);
}

/**
 * Images of other programs are only replaced with `--force`. Configs are always replaced.
 * @throws CliError if an existing image is not from an earlier run
 */
async function rejectForeign({ images, files }: LayoutPart, { folder }: LayoutJob): Promise<void> {
  const own = new Set([
    ...(folder.previous?.files ?? []).map(({ path }) => path),
    ...folder.files.keys(),
    ...folder.abandoned(),
  ]);
  for (const name of [...imageParts, 'iso'] as const) {
    const path = files[name];
    if (own.has(path)) continue;
    const file = join(folder.path, path);
    const given = images.get(name);
    if (given !== undefined && (await isSameFile(given.path, file))) continue;
    if ((await lstat(file).catch(() => undefined)) === undefined) continue;
    throw existsError(file, 'replace it with --force');
  }
}

async function putIso(
  base: BaseSet,
  { configs, files, images }: LayoutPart,
  { archives, folder, growth, read: { source } }: LayoutJob,
): Promise<void> {
  const { document, secrets } = configs.onIso;
  const wanted = { configs: ['iso'], loaders: [], baseUrl: undefined } as const;
  const named = imageSetOf(base, (name) => files[name]);
  const plan = await planArtifacts(wanted.configs, configs, named, { archives, growth, source, wanted });
  const file = { ...hostFile(plan, 'iso', files.iso), secrets };
  const { path = '' } = images.get('iso') ?? {};
  if (!(await isSameFile(path, join(folder.path, files.iso)))) return putFile(folder, file);
  // The digest of the ISO itself changes with each run.
  const inputs = createHash('sha256').update('in place\n').update(document);
  const recipe = inputs.update(plan.archiveOnIso?.sha512 ?? '').digest('hex');
  return putFile(folder, { ...file, recipe: () => recipe });
}

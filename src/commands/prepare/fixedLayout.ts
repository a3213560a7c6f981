/**
 * `prepare --layout metal3` and `--layout bifrost`: one ramdisk for all machines, with the file names of ironic-image and
 * Bifrost. `metal3` replaces configure-coreos-ipa: it reads the same environment and needs no options.
 */

import { isAbsolute, relative } from 'node:path/posix';
import { UsageError, CliError } from '../../core/errors.ts';
import {
  type FixedLayout,
  allowedFileUrl,
  filesFor,
  type FixedLayoutName,
  type LayoutFiles,
  layouts,
  plainArchitecture,
} from '../../hosts/artifacts/layoutFiles.ts';
import { isInside } from '../../hosts/artifacts/manifest.ts';
import { createHash } from 'node:crypto';
import { lstat, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { formatCount } from '../../formats/messageText.ts';
import { type Architecture, architectures } from '../../core/architecture.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { existsError } from '../../io/files/fileErrors.ts';
import { isSameFile } from '../../io/files/shareFile.ts';
import { writeStdout } from '../../io/stdout.ts';
import { imageParts } from '../../image/bootParts.ts';
import type { ConfigArtifact } from '../../core/artifacts.ts';
import { memoryNeeds } from '../../hosts/artifacts/hostMemory.ts';
import { parseBaseUrl } from '../../hosts/plan/servedPaths.ts';
import { printable } from '../../core/foreignText.ts';
import { hostFile, partFiles } from '../../hosts/artifacts/site.ts';
import { putFile } from './putFiles.ts';
import { finishRun } from './finish.ts';
import { type Layout, type PrepareRun, urlOf } from './run.ts';
import { imagesKey } from '../../hosts/plan/baseCatalog.ts';
import { type InputImages, readImageInputs } from '../../hosts/plan/imageInputs.ts';
import type { PrepareOptions } from './options.ts';
import { deriveHttpUrl } from '../../hosts/settings/ironicImage.ts';
import type { Inventory } from '../../hosts/settings/inventoryDocument.ts';
import { type BaseSet, imageSetOf, openBaseSet } from '../../hosts/plan/baseImages.ts';
import { planArtifacts } from '../../hosts/plan/planHost.ts';
import { readAsset } from '../../core/assets.ts';
import { checkBoot } from '../../kargs/checkBoot.ts';
import { kernelArguments } from '../../kargs/kernelArguments.ts';
import { type BootForm, checkTexts } from '../../kargs/loaders/form.ts';
import { ironicConf } from '../../kargs/loaders/ironic.ts';
import { fillTemplate } from '../../formats/template.ts';
import { errorRule } from '../../core/rule.ts';
import { report } from '../../io/report/report.ts';
import type { HostConfigs } from '../../hosts/plan/agentArchives.ts';
import { bootInputsOf } from '../../hosts/plan/bootInputs.ts';
import { requireContents } from '../../hosts/input/imageContents.ts';
import { CONFIG_NAME } from '../../image/embeddedIgnition.ts';
import { coreosArguments } from '../../kargs/coreosArguments.ts';
import { formatYaml } from '../../formats/yamlText.ts';

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
  refuseUnused(name, options);
  const usual = layouts[name];
  const hasProfile = name !== 'metal3' || (options.profile ?? options.inventory) !== undefined;
  const shown = options.output ?? usual.folder;
  const fixed = name === 'metal3' ? withScriptPaths(usual, resolve(io.cwd, shown), io.env) : usual;
  return {
    layout: name,
    // The default profile of metal3 is that of the script configure-coreos-ipa.
    options: hasProfile ? options : { ...options, profile: 'configure-coreos-ipa' },
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

function refuseUnused(
  name: FixedLayoutName,
  { artifacts, dhcp, dhcpRange, discovery, hardware, loaders }: PrepareOptions,
): void {
  const given = [
    ['--artifacts', artifacts],
    ['--dhcp', dhcp],
    ['--dhcp-range', dhcpRange],
    ['--discovery', discovery],
    ['--hardware', hardware],
    ['--loaders', loaders],
  ] as const;
  const [option] = given.find(([, value]) => value !== undefined && value !== false) ?? [];
  if (option === undefined) return;
  throw new UsageError(`${option} cannot be combined with --layout ${name}`, {
    hint: `pass either ${option} or --layout ${name}`,
  });
}

function refuseHosts(name: FixedLayoutName, { hosts }: Inventory): void {
  if (hosts === undefined) return;
  throw new UsageError(`--layout ${name} does not support an inventory with hosts`, {
    hint: 'remove the list "hosts", or remove --layout to write a config for each host',
  });
}

/** A run with a fixed layout. */
interface LayoutJob extends PrepareRun {
  readonly fixed: FixedLayout;
}

/** The files of one architecture, or the config without images. */
interface LayoutPart {
  readonly architecture: Architecture;
  /** Whether this architecture has the plain names of the layout. */
  readonly isPlain: boolean;
  readonly files: LayoutFiles;
  readonly configs: HostConfigs;
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
  await putBifrostVariables(job, parts);
  const memory = parts.flatMap(({ architecture, base, configs: { archive } }) =>
    memoryNeeds(configs, base, archive).map((need) => ({ architecture, ...need })),
  );
  // An ISO that is changed in place is not listed: its digest changes with each run.
  const images = hasImages(options) ? parts.map((part) => [part.architecture, part.images] as const) : [];
  const artifacts = folder.files.has(fixed.files.iso) ? ['ign', 'iso'] : ['ign'];
  await finishRun(job, artifacts, new Map(images), memory);
  if (layout === 'metal3') reportOtherRootfs(job, parts);
  const values = formatBootValues(job, parts);
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
    const configs = await archives.render(source, architecture, artifacts, publish);
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
  if (isOwn) await folder.put({ path: files.config, kind: 'ign', secrets }, document);
  // The parts of an ISO that was only found in the folder are not extracted.
  if (hasImages(options) && base !== undefined) {
    for (const file of partFiles(base, (name) => files[name])) await putFile(folder, file);
  }
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
  const { size } = now;
  const sha256 = now.sha256 ?? (await folder.digests.sha256(folder.currentPath(path)));
  part.images = new Map([...images, ['iso', { ...iso, sha256, size }]]);
  await part.base?.close();
  part.base = await openBaseSet(
    new Map([...images, ['iso', { ...iso, sha256, size, path: folder.currentPath(path) }]]),
  );
}

/** @param recipe for an ISO that is changed in place */
async function putIso(
  { base, configs, files }: LayoutPart,
  { archives, folder, growth, read: { source } }: LayoutJob,
  recipe?: string,
): Promise<void> {
  if (base === undefined) return;
  const { secrets } = configs.onIso;
  const wanted = { configs: ['iso'], loaders: [], baseUrl: undefined } as const;
  const images = imageSetOf(base, (name) => files[name]);
  const plan = await planArtifacts(wanted.configs, configs, images, { archives, growth, source, wanted });
  const file = hostFile(plan, 'iso', files.iso);
  await putFile(folder, { ...file, secrets, recipe: recipe === undefined ? file.recipe : () => recipe });
}

/**
 * Writes the variables with which Bifrost writes its own ironic.conf, if the layout has such a file and the URLs are known.
 * @throws CliError if it cannot be written
 */
async function putBifrostVariables(job: LayoutJob, parts: readonly LayoutPart[]): Promise<void> {
  const { fixed, folder, io, read } = job;
  const { files, variables: path } = fixed;
  if (path === undefined || !imageParts.every((part) => folder.files.has(files[part]))) return;
  const [kernelUrl, initramfsUrl] = [urlOf(job, files.kernel), urlOf(job, files.initramfs)];
  const [rootfsUrl, ignitionUrl] = [urlOf(job, files.rootfs), urlOf(job, files.config)];
  if (kernelUrl === undefined || initramfsUrl === undefined) return;
  const layers = { profile: 'default', files: [read.inventory.agent] } as const;
  const { settings } = bootInputsOf({ rootfsUrl, ignitionUrl }, layers, io);
  const findings = checkBoot(settings, bifrostForm);
  for (const { severity, message, hint } of findings) report(io, { severity, message, hint });
  if (findings.some(({ severity }) => severity === 'error')) {
    throw new CliError('The variables for Bifrost cannot be written', {
      code: 'ERR_SETTING',
      hint: 'fix the errors above',
    });
  }
  const [first] = parts;
  const words = kernelArguments(settings).join(' ');
  const booted = {
    kargs: words,
    checkedKargs: words,
    files: first && new Map([[CONFIG_NAME, first.configs.fetched.document]]),
    build: await first?.base?.build(),
  };
  requireContents(booted, { io, options: {} });
  const inspectionArguments = `${INSPECTION_DEFAULT} ${words}`;
  const text = fillTemplate(readAsset('templates/boot/bifrost'), {
    kernelUrl: asYaml(kernelUrl),
    initramfsUrl: asYaml(initramfsUrl),
    arguments: asYaml(words),
    inspectionArguments: asYaml(inspectionArguments),
  });
  await folder.put({ path, kind: 'script' }, Buffer.from(text));
}

function asYaml(text: string): string {
  return formatYaml([text]).trimEnd();
}

/** The value of inspector_extra_kernel_options in Bifrost's defaults, which the variable replaces. */
const INSPECTION_DEFAULT = 'ipa-inspection-collectors=default,logs';

const ansibleTemplate = errorRule(
  'ansible-template',
  'Ansible would evaluate the argument as a template',
  'remove "{{", "{%" and "{#" from the argument',
);

/** As for ironic.conf, with the arguments that Bifrost adds. An inspection has those of the variables twice. */
const bifrostForm: BootForm = {
  ...ironicConf,
  check: (list, images) => [
    ...ironicConf.check(list, images),
    ...checkTexts(ansibleTemplate, list, (text) => /\{[{%#]/.test(text)),
  ],
  added: (settings) => [
    ...ironicConf.added(settings),
    'nofb nomodeset systemd.journald.forward_to_console=yes console=ttyS0 ipa-insecure=1',
    `${INSPECTION_DEFAULT} ${kernelArguments(settings).join(' ')}`,
  ],
};

/** `aarch64:file:///…,x86_64:file:///…`, for all architectures with this part. */
function byArchitecture(job: LayoutJob, parts: readonly LayoutPart[], part: keyof LayoutFiles): string {
  return parts
    .map(({ architecture, files }) => ({ architecture, url: imageUrl(job, files[part]) }))
    .filter(({ url }) => url !== undefined)
    .map(({ architecture, url }) => `${architecture}:${url}`)
    .toSorted()
    .join(',');
}

/** The URL of a written file for Ironic: a file URL if Ironic reads it, else that of the web server, if it is known. */
function imageUrl(job: LayoutJob, path: string): string | undefined {
  if (!job.folder.files.has(path)) return undefined;
  return allowedFileUrl(job.fixed, join(job.folder.path, path)) ?? urlOf(job, path);
}

/**
 * Lines of `NAME=VALUE`: settings of nodes for Bifrost; for Metal3, which knows the plain names, the variables of Ironic
 * and the operator for several architectures. Images that Ironic cannot read are left out, with a warning.
 */
function formatBootValues(job: LayoutJob, parts: readonly LayoutPart[]): string {
  const { fixed, folder, io, layout, shown } = job;
  if (layout === 'metal3' && parts.length < 2) return '';
  const written = parts
    .flatMap(({ files }) => [files.iso, files.kernel, files.initramfs])
    .filter((path) => folder.files.has(path));
  if (written.some((path) => imageUrl(job, path) === undefined)) {
    report(io, {
      severity: 'warning',
      message: `Ironic reads file URLs only in ${fixed.fileUrls}, so it cannot read the images in ${printable(shown)}`,
      hint: `pass --base-url URL if a web server serves the folder, or use --output ${fixed.folder}`,
    });
  }
  if (layout !== 'metal3') return parts.map((part) => formatNode(job, part)).join('');
  return variables
    .map(([variable, part]) => [variable, byArchitecture(job, parts, part)] as const)
    .filter(([, value]) => value !== '')
    .map(([variable, value]) => `${variable}=${value}\n`)
    .join('');
}

/** ironic-image names one root filesystem, and one config, in the kernel arguments of all nodes. */
function reportOtherRootfs(job: LayoutJob, parts: readonly LayoutPart[]): void {
  for (const { architecture, isPlain, files } of parts) {
    if (isPlain || !job.folder.files.has(files.rootfs)) continue;
    const kargs = kernelArgumentsOf(job, files);
    report(job.io, {
      severity: 'warning',
      message: `the kernel arguments of ironic-image do not include the root filesystem for ${architecture}`,
      hint:
        kargs === ''
          ? 'pass --base-url to print the kernel arguments for nodes with this architecture'
          : `set kernel_append_params=%default% ${kargs} on nodes that boot over the network`,
    });
  }
}

/** Overrides the arguments of ironic-image: the last of two arguments with the same name counts. Empty without a URL. */
function kernelArgumentsOf(job: LayoutJob, { config, rootfs }: LayoutFiles): string {
  const rootfsUrl = urlOf(job, rootfs);
  if (rootfsUrl === undefined) return '';
  const isOwn = config !== job.fixed.files.config && job.folder.files.has(config);
  const ignitionUrl = isOwn ? urlOf(job, config) : undefined;
  const ignition = ignitionUrl === undefined ? '' : ` ${coreosArguments.configUrl.name}=${ignitionUrl}`;
  return `${coreosArguments.rootfsUrl.name}=${rootfsUrl}${ignition}`;
}

const variables = [
  ['DEPLOY_ISO_BY_ARCH', 'iso'],
  ['DEPLOY_KERNEL_BY_ARCH', 'kernel'],
  ['DEPLOY_RAMDISK_BY_ARCH', 'initramfs'],
] as const;

/** Nodes of other architectures than that of the variables also need kernel arguments for their root filesystem. */
function formatNode(job: LayoutJob, { architecture, isPlain, files }: LayoutPart): string {
  const lines = [
    ['deploy_iso', imageUrl(job, files.iso)],
    ['deploy_kernel', imageUrl(job, files.kernel)],
    ['deploy_ramdisk', imageUrl(job, files.initramfs)],
  ]
    .filter(([, url]) => url !== undefined)
    .map(([option, url]) => `${option}=${url}\n`)
    .join('');
  if (isPlain || lines === '') return lines;
  const kargs = job.folder.files.has(files.rootfs) ? kernelArgumentsOf(job, files) : '';
  return `# ${architecture}\n${lines}${kargs === '' ? '' : `kernel_append_params=%default% ${kargs}\n`}`;
}

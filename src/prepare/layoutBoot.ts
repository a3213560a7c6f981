/** Settings of Ironic and of its nodes for the images of a fixed layout. */

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bootForms, checkBoot } from '../boot/bootForms.ts';
import type { Architecture } from '../core/architecture.ts';
import { CliError } from '../core/errors.ts';
import type { Io } from '../io/io.ts';
import type { PreparedFolder } from './folder/preparedFolder.ts';
import { type ArchitectureNames, type FixedLayout, type FixedLayoutName } from './fixedLayouts.ts';
import { report } from '../io/report/report.ts';
import { bootInputsOf } from '../hosts/plan/bootInputs.ts';
import type { InventoryLayers } from '../hosts/settings/inventory.ts';

/** The images of one architecture in the folder. */
export interface LayoutImages {
  readonly architecture: Architecture;
  /** Whether this architecture has the plain names of the layout. */
  readonly isPlain: boolean;
  readonly names: ArchitectureNames;
}

export interface LayoutBoot {
  readonly folder: Pick<PreparedFolder, 'path' | 'files'>;
  readonly layout: FixedLayout;
  /** Without a final slash. */
  readonly baseUrl: string | undefined;
  /** The architecture with the plain names comes first. */
  readonly images: readonly LayoutImages[];
}

/**
 * The part of ironic.conf for network boot with Ironic's own scripts; undefined if the layout has none.
 * @throws CliError if it cannot be written
 */
export function renderIronicConf(
  boot: LayoutBoot,
  layers: InventoryLayers,
  io: Io,
): { readonly path: string; readonly text: string } | undefined {
  const { folder, layout } = boot;
  const { rootfs } = layout.images;
  const rootfsUrl = urlOf(boot, rootfs);
  const ignitionUrl = urlOf(boot, layout.config);
  const path = layout.ironicConf;
  if (path === undefined || !folder.files.has(rootfs)) return undefined;
  if (rootfsUrl === undefined || ignitionUrl === undefined) return undefined;
  const { settings } = bootInputsOf({ rootfsUrl, ignitionUrl }, layers, io);
  const findings = checkBoot(settings, bootForms.ironic);
  for (const { severity, message, hint } of findings) report(io, { severity, message, hint });
  if (findings.some(({ severity }) => severity === 'error')) {
    throw new CliError('The settings for ironic.conf cannot be written', {
      code: 'ERR_SETTING',
      hint: 'fix the errors above',
    });
  }
  return { path, text: bootForms.ironic.render(settings) + renderByArchitecture(boot) };
}

/** Ironic selects the images by the architecture of a node. */
function renderByArchitecture(boot: LayoutBoot): string {
  if (boot.images.length < 2) return '';
  const lines = (['kernel', 'initramfs'] as const).map((part) => {
    const option = part === 'kernel' ? 'deploy_kernel_by_arch' : 'deploy_ramdisk_by_arch';
    return `${option} = ${byArchitecture(boot, part)}\n`;
  });
  return `\n[conductor]\n${lines.join('')}`;
}

/** `aarch64:file:///…,x86_64:file:///…`, for all architectures with this part. */
function byArchitecture({ folder, images }: LayoutBoot, part: keyof ArchitectureNames['images']): string {
  return images
    .filter(({ names }) => folder.files.has(names.images[part]))
    .map(({ architecture, names }) => `${architecture}:${fileUrl(folder.path, names.images[part])}`)
    .toSorted()
    .join(',');
}

/**
 * Lines of `NAME=VALUE`: settings of nodes for Bifrost; for Metal3, which knows the plain names, the variables of Ironic
 * and the operator for several architectures.
 */
export function formatBootValues(name: FixedLayoutName, boot: LayoutBoot): string {
  return name === 'metal3' ? formatVariables(boot) : boot.images.map((one) => formatNode(boot, one)).join('');
}

/** ironic-image names one root filesystem, and one config, in the kernel arguments of all nodes. */
export function reportOtherRootfs(boot: LayoutBoot, io: Io): void {
  for (const { architecture, isPlain, names } of boot.images) {
    if (isPlain || !boot.folder.files.has(names.images.rootfs)) continue;
    const kargs = kernelArgumentsOf(boot, names);
    report(io, {
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
function kernelArgumentsOf(boot: LayoutBoot, { config, images }: ArchitectureNames): string {
  const rootfsUrl = urlOf(boot, images.rootfs);
  if (rootfsUrl === undefined) return '';
  const isOwn = config !== boot.layout.config && boot.folder.files.has(config);
  const ignitionUrl = isOwn ? urlOf(boot, config) : undefined;
  const ignition = ignitionUrl === undefined ? '' : ` ignition.config.url=${ignitionUrl}`;
  return `coreos.live.rootfs_url=${rootfsUrl}${ignition}`;
}

const variables = [
  ['DEPLOY_ISO_BY_ARCH', 'iso'],
  ['DEPLOY_KERNEL_BY_ARCH', 'kernel'],
  ['DEPLOY_RAMDISK_BY_ARCH', 'initramfs'],
] as const;

function formatVariables(boot: LayoutBoot): string {
  if (boot.images.length < 2) return '';
  return variables
    .map(([variable, part]) => [variable, byArchitecture(boot, part)] as const)
    .filter(([, value]) => value !== '')
    .map(([variable, value]) => `${variable}=${value}\n`)
    .join('');
}

/** Nodes of other architectures than that of ironic.conf also need kernel arguments for their root filesystem. */
function formatNode(boot: LayoutBoot, { architecture, isPlain, names }: LayoutImages): string {
  const { files, path: root } = boot.folder;
  const options = [
    ['deploy_iso', names.images.iso],
    ['deploy_kernel', names.images.kernel],
    ['deploy_ramdisk', names.images.initramfs],
  ] as const;
  const lines = options
    .filter(([, path]) => files.has(path))
    .map(([option, path]) => `${option}=${fileUrl(root, path)}\n`)
    .join('');
  if (isPlain || lines === '') return lines;
  const kargs = files.has(names.images.rootfs) ? kernelArgumentsOf(boot, names) : '';
  return `# ${architecture}\n${lines}${kargs === '' ? '' : `kernel_append_params=%default% ${kargs}\n`}`;
}

/** Undefined without a base URL, and for a file that is not served. */
function urlOf({ baseUrl, layout: { served } }: LayoutBoot, path: string): string | undefined {
  return baseUrl !== undefined && path.startsWith(served)
    ? `${baseUrl}/${path.slice(served.length)}`
    : undefined;
}

function fileUrl(root: string, path: string): string {
  return pathToFileURL(join(root, path)).href;
}

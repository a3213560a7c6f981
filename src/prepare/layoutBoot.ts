/** Settings of Ironic and of its nodes for the images of a fixed layout. */

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bootForms, checkBoot } from '../boot/bootForms.ts';
import { kernelArguments } from '../boot/kernelArguments.ts';
import type { Architecture } from '../core/architecture.ts';
import { CliError } from '../core/errors.ts';
import { type PrepareRun, urlOf } from './run.ts';
import type { FixedLayout, LayoutFiles } from './fixedLayouts.ts';
import { report } from '../io/report/report.ts';
import type { HostConfigs } from '../hosts/plan/agentArchives.ts';
import { bootInputsOf } from '../hosts/plan/bootInputs.ts';
import { reportInsecureArgument } from '../hosts/plan/insecureArgument.ts';

/** The images of one architecture in the folder. */
export interface LayoutImages {
  readonly architecture: Architecture;
  /** Whether this architecture has the plain names of the layout. */
  readonly isPlain: boolean;
  readonly files: LayoutFiles;
  readonly configs: HostConfigs;
}

/** A run with a fixed layout. */
export interface LayoutJob extends PrepareRun {
  readonly fixed: FixedLayout;
}

export interface LayoutBoot extends LayoutJob {
  /** The architecture with the plain names comes first. */
  readonly images: readonly LayoutImages[];
}

/**
 * Writes the part of ironic.conf for network boot with Ironic's own scripts, if the layout has one.
 * @throws CliError if it cannot be written
 */
export async function putIronicConf(boot: LayoutBoot): Promise<void> {
  const { folder, io, read } = boot;
  const { files, ironicConf: path } = boot.fixed;
  const rootfsUrl = urlOf(boot, files.rootfs);
  const ignitionUrl = urlOf(boot, files.config);
  if (path === undefined || !folder.files.has(files.rootfs)) return;
  if (rootfsUrl === undefined || ignitionUrl === undefined) return;
  const layers = { profile: 'default', files: [read.inventory.agent] } as const;
  const { settings } = bootInputsOf({ rootfsUrl, ignitionUrl }, layers, io);
  const findings = checkBoot(settings, bootForms.ironic);
  for (const { severity, message, hint } of findings) report(io, { severity, message, hint });
  if (findings.some(({ severity }) => severity === 'error')) {
    throw new CliError('The settings for ironic.conf cannot be written', {
      code: 'ERR_SETTING',
      hint: 'fix the errors above',
    });
  }
  const [first] = boot.images;
  reportInsecureArgument(kernelArguments(settings), first?.configs.fetched.document, io);
  const text = bootForms.ironic.render(settings) + renderByArchitecture(boot);
  await folder.put({ path }, Buffer.from(text));
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
function byArchitecture({ folder, images }: LayoutBoot, part: keyof LayoutFiles): string {
  return images
    .filter(({ files }) => folder.files.has(files[part]))
    .map(({ architecture, files }) => `${architecture}:${fileUrl(folder.path, files[part])}`)
    .toSorted()
    .join(',');
}

/**
 * Lines of `NAME=VALUE`: settings of nodes for Bifrost; for Metal3, which knows the plain names, the variables of Ironic
 * and the operator for several architectures.
 */
export function formatBootValues(boot: LayoutBoot): string {
  return boot.layout === 'metal3'
    ? formatVariables(boot)
    : boot.images.map((one) => formatNode(boot, one)).join('');
}

/** ironic-image names one root filesystem, and one config, in the kernel arguments of all nodes. */
export function reportOtherRootfs(boot: LayoutBoot): void {
  for (const { architecture, isPlain, files } of boot.images) {
    if (isPlain || !boot.folder.files.has(files.rootfs)) continue;
    const kargs = kernelArgumentsOf(boot, files);
    report(boot.io, {
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
function kernelArgumentsOf(boot: LayoutBoot, { config, rootfs }: LayoutFiles): string {
  const rootfsUrl = urlOf(boot, rootfs);
  if (rootfsUrl === undefined) return '';
  const isOwn = config !== boot.fixed.files.config && boot.folder.files.has(config);
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
function formatNode(boot: LayoutBoot, { architecture, isPlain, files }: LayoutImages): string {
  const { files: written, path: root } = boot.folder;
  const options = [
    ['deploy_iso', files.iso],
    ['deploy_kernel', files.kernel],
    ['deploy_ramdisk', files.initramfs],
  ] as const;
  const lines = options
    .filter(([, path]) => written.has(path))
    .map(([option, path]) => `${option}=${fileUrl(root, path)}\n`)
    .join('');
  if (isPlain || lines === '') return lines;
  const kargs = written.has(files.rootfs) ? kernelArgumentsOf(boot, files) : '';
  return `# ${architecture}\n${lines}${kargs === '' ? '' : `kernel_append_params=%default% ${kargs}\n`}`;
}

function fileUrl(root: string, path: string): string {
  return pathToFileURL(join(root, path)).href;
}

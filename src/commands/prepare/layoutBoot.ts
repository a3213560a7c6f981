/** Settings of Ironic and of its nodes for the images of a fixed layout. */

import { join } from 'node:path';
import { readAsset } from '../../core/assets.ts';
import { type BootForm, checkTexts } from '../../kargs/bootForm.ts';
import { bootForms, checkBoot } from '../../kargs/bootForms.ts';
import { kernelArguments } from '../../kargs/kernelArguments.ts';
import type { Architecture } from '../../core/architecture.ts';
import { CliError } from '../../core/errors.ts';
import { type PrepareRun, urlOf } from './run.ts';
import { allowedFileUrl, type FixedLayout, type LayoutFiles } from '../../hosts/artifacts/layoutFiles.ts';
import { fillTemplate } from '../../formats/template.ts';
import { errorRule } from '../../ignition/rule.ts';
import { imageParts } from '../../image/bootParts.ts';
import { report } from '../../io/report/report.ts';
import type { HostConfigs } from '../../hosts/plan/agentArchives.ts';
import { printable } from '../../core/foreignText.ts';
import { bootInputsOf } from '../../hosts/plan/bootInputs.ts';
import { checkAgentArguments } from '../../hosts/plan/agentArguments.ts';
import { coreosArguments } from '../../kargs/coreosArguments.ts';

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
 * Writes the variables with which Bifrost writes its own ironic.conf, if the layout has such a file and the URLs are known.
 * @throws CliError if it cannot be written
 */
export async function putBifrostVariables(boot: LayoutBoot): Promise<void> {
  const { folder, io, read } = boot;
  const { files, variables: path } = boot.fixed;
  if (path === undefined || !imageParts.every((part) => folder.files.has(files[part]))) return;
  const [kernelUrl, initramfsUrl] = [urlOf(boot, files.kernel), urlOf(boot, files.initramfs)];
  const [rootfsUrl, ignitionUrl] = [urlOf(boot, files.rootfs), urlOf(boot, files.config)];
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
  const [first] = boot.images;
  const placed = kernelArguments(settings);
  checkAgentArguments(placed, first?.configs.fetched.document, io);
  const words = placed.join(' ');
  const inspectionArguments = `${inspectionDefault} ${words}`;
  const { formatYaml } = await import('../../formats/yamlText.ts');
  const asYaml = (text: string): string => formatYaml([text]).trimEnd();
  const text = fillTemplate(readAsset('templates/boot/bifrost'), {
    kernelUrl: asYaml(kernelUrl),
    initramfsUrl: asYaml(initramfsUrl),
    arguments: asYaml(words),
    inspectionArguments: asYaml(inspectionArguments),
  });
  await folder.put({ path }, Buffer.from(text));
}

/** The value of inspector_extra_kernel_options in Bifrost's defaults, which the variable replaces. */
const inspectionDefault = 'ipa-inspection-collectors=default,logs';

const ansibleTemplate = errorRule(
  'ansible-template',
  'Ansible would evaluate the argument as a template',
  'remove "{{", "{%" and "{#" from the argument',
);

/** As for ironic.conf, with the arguments that Bifrost adds. An inspection has those of the variables twice. */
const bifrostForm: BootForm = {
  ...bootForms.ironic,
  check: (settings, placed) => [
    ...bootForms.ironic.check(settings, placed),
    ...checkTexts(ansibleTemplate, placed, (text) => /\{[{%#]/.test(text)),
  ],
  added: (settings) => [
    ...bootForms.ironic.added(settings),
    'nofb nomodeset systemd.journald.forward_to_console=yes console=ttyS0 ipa-insecure=1',
    `${inspectionDefault} ${kernelArguments(settings).join(' ')}`,
  ],
};

/** `aarch64:file:///…,x86_64:file:///…`, for all architectures with this part. */
function byArchitecture(boot: LayoutBoot, part: keyof LayoutFiles): string {
  return boot.images
    .map(({ architecture, files }) => ({ architecture, url: imageUrl(boot, files[part]) }))
    .filter(({ url }) => url !== undefined)
    .map(({ architecture, url }) => `${architecture}:${url}`)
    .toSorted()
    .join(',');
}

/** The URL of a written file for Ironic: a file URL if Ironic reads it, else that of the web server, if it is known. */
function imageUrl(boot: LayoutBoot, path: string): string | undefined {
  if (!boot.folder.files.has(path)) return undefined;
  return allowedFileUrl(boot.fixed, join(boot.folder.path, path)) ?? urlOf(boot, path);
}

/**
 * Lines of `NAME=VALUE`: settings of nodes for Bifrost; for Metal3, which knows the plain names, the variables of Ironic
 * and the operator for several architectures. Images that Ironic cannot read are left out, with a warning.
 */
export function formatBootValues(boot: LayoutBoot): string {
  const { fixed, folder, images, layout, shown } = boot;
  if (layout === 'metal3' && images.length < 2) return '';
  const written = images
    .flatMap(({ files }) => [files.iso, files.kernel, files.initramfs])
    .filter((path) => folder.files.has(path));
  if (written.some((path) => imageUrl(boot, path) === undefined)) {
    report(boot.io, {
      severity: 'warning',
      message: `Ironic reads file URLs only in ${fixed.fileUrls}, so it cannot read the images in ${printable(shown)}`,
      hint: `pass --base-url URL if a web server serves the folder, or use --output ${fixed.folder}`,
    });
  }
  return layout === 'metal3' ? formatVariables(boot) : images.map((one) => formatNode(boot, one)).join('');
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
  const ignition = ignitionUrl === undefined ? '' : ` ${coreosArguments.configUrl.name}=${ignitionUrl}`;
  return `${coreosArguments.rootfsUrl.name}=${rootfsUrl}${ignition}`;
}

const variables = [
  ['DEPLOY_ISO_BY_ARCH', 'iso'],
  ['DEPLOY_KERNEL_BY_ARCH', 'kernel'],
  ['DEPLOY_RAMDISK_BY_ARCH', 'initramfs'],
] as const;

function formatVariables(boot: LayoutBoot): string {
  return variables
    .map(([variable, part]) => [variable, byArchitecture(boot, part)] as const)
    .filter(([, value]) => value !== '')
    .map(([variable, value]) => `${variable}=${value}\n`)
    .join('');
}

/** Nodes of other architectures than that of the variables also need kernel arguments for their root filesystem. */
function formatNode(boot: LayoutBoot, { architecture, isPlain, files }: LayoutImages): string {
  const lines = [
    ['deploy_iso', imageUrl(boot, files.iso)],
    ['deploy_kernel', imageUrl(boot, files.kernel)],
    ['deploy_ramdisk', imageUrl(boot, files.initramfs)],
  ]
    .filter(([, url]) => url !== undefined)
    .map(([option, url]) => `${option}=${url}\n`)
    .join('');
  if (isPlain || lines === '') return lines;
  const kargs = boot.folder.files.has(files.rootfs) ? kernelArgumentsOf(boot, files) : '';
  return `# ${architecture}\n${lines}${kargs === '' ? '' : `kernel_append_params=%default% ${kargs}\n`}`;
}

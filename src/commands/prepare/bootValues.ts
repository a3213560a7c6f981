/** What `prepare` prints for nodes of Bifrost, and for Ironic and the operator of Metal3: where the images of each architecture are. */

import { join } from 'node:path';
import { printable } from '../../core/foreignText.ts';
import { withoutUndefined } from '../../formats/mapping.ts';
import { allowedFileUrl, type LayoutFiles } from '../../hosts/artifacts/layoutFiles.ts';
import { report } from '../../io/report/report.ts';
import { coreosArguments } from '../../kargs/coreosArguments.ts';
import type { LayoutJob, LayoutPart } from './layoutParts.ts';
import { urlOf } from './run.ts';

/**
 * Lines of `NAME=VALUE`: settings of nodes for Bifrost; for Metal3, which knows the plain names, the variables of Ironic
 * and the operator for several architectures. Images that Ironic cannot read are left out, with a warning.
 */
export function formatBootValues(job: LayoutJob, parts: readonly LayoutPart[]): string {
  const { fixed, folder, io, layout, shown } = job;
  if (layout === 'metal3' && parts.length < 2) return '';
  const written = parts
    .flatMap(({ files }) => [files.iso, files.kernel, files.initramfs])
    .filter((path) => folder.files.has(path));
  if (written.some((path) => imageUrl(job, path) === undefined)) {
    report(io, {
      severity: 'warning',
      message: `Ironic reads file URLs only in ${fixed.fileUrls.join(' or ')}, so it cannot read the images in ${printable(shown)}`,
      hint: `pass --base-url URL if a web server serves the folder, or use --output ${fixed.folder}`,
    });
  }
  if (layout !== 'metal3')
    return [nodeUrls(job, fixed.files), ...parts.slice(1).map((part) => formatNode(job, part))].join('');
  const lines = variables.flatMap(([variable, part]) => {
    const values = parts.flatMap(({ architecture, files }) => {
      const url = imageUrl(job, files[part]);
      return url === undefined ? [] : [`${architecture}:${url}`];
    });
    return values.length === 0 ? [] : [`${variable}=${values.toSorted().join(',')}\n`];
  });
  return lines.join('');
}

/** The URL of a written file for Ironic: a file URL if Ironic reads it, else that of the web server, if it is known. */
function imageUrl(job: LayoutJob, path: string): string | undefined {
  if (!job.folder.files.has(path)) return undefined;
  return allowedFileUrl(job.fixed, join(job.folder.path, path)) ?? urlOf(job, path);
}

/** ironic-image names one root filesystem, and one config, in the kernel arguments of all nodes. */
export function reportOtherRootfs(job: LayoutJob, parts: readonly LayoutPart[]): void {
  for (const { architecture, files } of parts.slice(1)) {
    if (!job.folder.files.has(files.rootfs)) continue;
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

function nodeUrls(job: LayoutJob, files: LayoutFiles): string {
  const urls = withoutUndefined({
    deploy_iso: imageUrl(job, files.iso),
    deploy_kernel: imageUrl(job, files.kernel),
    deploy_ramdisk: imageUrl(job, files.initramfs),
  });
  const lines = Object.entries(urls).map(([option, url]) => `${option}=${String(url)}\n`);
  return lines.join('');
}

/** Nodes of other architectures than that of the variables also need kernel arguments for their root filesystem. */
function formatNode(job: LayoutJob, { architecture, files }: LayoutPart): string {
  const lines = nodeUrls(job, files);
  const kargs = job.folder.files.has(files.rootfs) ? kernelArgumentsOf(job, files) : '';
  if (lines === '') return '';
  return `# ${architecture}\n${lines}${kargs === '' ? '' : `kernel_append_params=%default% ${kargs}\n`}`;
}

/**
 * Files of folders with fixed names, for one ramdisk for all machines: the shared folder of ironic-image (Metal3), with the
 * names of its scripts coreos-ipa-common.sh and configure-coreos-ipa, and Bifrost's folder for the web server.
 */

import { pathToFileURL } from 'node:url';
import type { Architecture } from '../../core/architecture.ts';
import { DEFAULT_FOLDERS, refuseFile } from '../../core/conductorFiles.ts';
import type { ImagePart } from '../../image/bootParts.ts';

export type FixedLayoutName = 'metal3' | 'bifrost';

/** The files of one architecture: paths relative to the folder. */
export type LayoutFiles = Readonly<Record<ImagePart | 'iso' | 'config', string>>;

export interface FixedLayout {
  /** Default path of the folder. */
  readonly folder: string;
  /** The plain names. */
  readonly files: LayoutFiles;
  /** The served subfolder, with a final slash; empty for the whole folder. */
  readonly served: string;
  /** Path of the variables file for Bifrost; undefined if the scripts of the layout write ironic.conf. */
  readonly variables: string | undefined;
  /** `[conductor]file_url_allowed_paths` of its ironic.conf. */
  readonly fileUrls: readonly string[];
}

export const layouts: Readonly<Record<FixedLayoutName, FixedLayout>> = {
  metal3: {
    folder: '/shared',
    files: filesIn('html/images/', 'html/'),
    served: 'html/',
    variables: undefined,
    fileUrls: ['/shared/html/images'],
  },
  bifrost: {
    folder: '/var/lib/ironic/httpboot',
    files: filesIn('', ''),
    served: '',
    variables: 'bifrost-variables.yaml',
    fileUrls: DEFAULT_FOLDERS,
  },
};

function filesIn(images: string, configs: string): LayoutFiles {
  const start = `${images}ironic-python-agent`;
  return {
    kernel: `${start}.kernel`,
    initramfs: `${start}.initramfs`,
    rootfs: `${start}.rootfs`,
    iso: `${start}.iso`,
    config: `${configs}ironic-python-agent.ign`,
  };
}

/** The file URL of an absolute path; undefined where the conductor of the layout refuses to read it. */
export function allowedFileUrl({ fileUrls }: FixedLayout, file: string): string | undefined {
  const { href } = pathToFileURL(file);
  return refuseFile(href, fileUrls) === undefined ? href : undefined;
}

/**
 * The names for architectures other than the one with the plain names: `NAME_aarch64.kernel`, as machine-os-images
 * writes and ironic-image reads them.
 */
export function filesFor({ files }: FixedLayout, architecture: Architecture): LayoutFiles {
  const named = (path: string): string => path.replace(/(\.[^./]*)?$/, (end) => `_${architecture}${end}`);
  const entries = Object.entries(files).map(([what, path]) => [what, named(path)] as const);
  return { ...files, ...Object.fromEntries(entries) };
}

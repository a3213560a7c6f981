/**
 * Folders with fixed file names, for one ramdisk for all machines: the shared folder of ironic-image (Metal3), with the
 * names of its scripts coreos-ipa-common.sh and configure-coreos-ipa, and Bifrost's folder for the web server.
 */

import { isAbsolute, relative } from 'node:path/posix';
import type { Architecture } from '../core/architecture.ts';
import { UsageError } from '../core/errors.ts';
import { isInside } from '../hosts/artifacts/manifest.ts';
import type { ImagePart } from '../image/bootParts.ts';
import type { LayoutName } from './layoutNames.ts';

export type FixedLayoutName = Exclude<LayoutName, 'folder'>;

/** The files of one architecture: paths relative to the folder. */
export type LayoutFiles = Readonly<Record<ImagePart | 'iso' | 'config', string>>;

export interface FixedLayout {
  /** Default path of the folder. */
  readonly folder: string;
  /** The plain names. */
  readonly files: LayoutFiles;
  /** The served subfolder, with a final slash; empty for the whole folder. */
  readonly served: string;
  /** Path of the part of ironic.conf; undefined if the scripts of the layout write it. */
  readonly ironicConf: string | undefined;
}

export const layouts: Readonly<Record<FixedLayoutName, FixedLayout>> = {
  metal3: {
    folder: '/shared',
    files: filesIn('html/images/', 'html/'),
    served: 'html/',
    ironicConf: undefined,
  },
  bifrost: {
    folder: '/httpboot',
    files: filesIn('', ''),
    served: '',
    ironicConf: 'ironic-python-agent.conf',
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

/**
 * The names for architectures other than the one with the plain names: `NAME_aarch64.kernel`, as machine-os-images
 * writes and ironic-image reads them.
 */
export function filesFor({ files }: FixedLayout, architecture: Architecture): LayoutFiles {
  const named = (path: string): string => path.replace(/(\.[^./]*)?$/, (end) => `_${architecture}${end}`);
  return {
    kernel: named(files.kernel),
    initramfs: named(files.initramfs),
    rootfs: named(files.rootfs),
    iso: named(files.iso),
    config: named(files.config),
  };
}

/** The architecture of the images with the plain names: x86_64 if it is there, because most machines have it. */
export function plainArchitecture(found: readonly Architecture[]): Architecture {
  return found.includes('x86_64') ? 'x86_64' : (found[0] ?? 'x86_64');
}

/** Variables of configure-coreos-ipa for paths. */
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

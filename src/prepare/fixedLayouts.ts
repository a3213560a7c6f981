/**
 * Folders with fixed file names, for one ramdisk for all machines: the shared folder of ironic-image (Metal3), with the
 * names of its scripts coreos-ipa-common.sh and configure-coreos-ipa, and Bifrost's folder for the web server.
 */

import { isAbsolute, relative } from 'node:path/posix';
import type { Architecture } from '../core/architecture.ts';
import { UsageError } from '../core/errors.ts';
import { isInside } from '../hosts/artifacts/manifest.ts';
import type { ImagePart } from '../image/bootParts.ts';

export type FixedLayoutName = 'metal3' | 'bifrost';

/** Paths relative to the folder. */
export interface FixedLayout {
  /** Default path of the folder. */
  readonly folder: string;
  readonly images: Readonly<Record<ImagePart | 'iso', string>>;
  readonly config: string;
  /** The served subfolder, with a final slash; empty for the whole folder. */
  readonly served: string;
  /** Path of the part of ironic.conf; undefined if the scripts of the layout write it. */
  readonly ironicConf: string | undefined;
}

export const layouts: Readonly<Record<FixedLayoutName, FixedLayout>> = {
  metal3: {
    folder: '/shared',
    images: imagesIn('html/images/'),
    config: 'html/ironic-python-agent.ign',
    served: 'html/',
    ironicConf: undefined,
  },
  bifrost: {
    folder: '/httpboot',
    images: imagesIn(''),
    config: 'ironic-python-agent.ign',
    served: '',
    ironicConf: 'ironic-python-agent.conf',
  },
};

function imagesIn(folder: string): FixedLayout['images'] {
  const start = `${folder}ironic-python-agent`;
  return {
    kernel: `${start}.kernel`,
    initramfs: `${start}.initramfs`,
    rootfs: `${start}.rootfs`,
    iso: `${start}.iso`,
  };
}

/** File names of one architecture: its images, and its config if it differs. */
export type ArchitectureNames = Pick<FixedLayout, 'images' | 'config'>;

/**
 * The names for architectures other than the one with the plain names: `NAME_aarch64.kernel`, as machine-os-images
 * writes and ironic-image reads them.
 */
export function namesFor({ images, config }: FixedLayout, architecture: Architecture): ArchitectureNames {
  const named = (path: string): string => path.replace(/(\.[^./]*)?$/, (end) => `_${architecture}${end}`);
  const { kernel, initramfs, rootfs, iso } = images;
  return {
    images: { kernel: named(kernel), initramfs: named(initramfs), rootfs: named(rootfs), iso: named(iso) },
    config: named(config),
  };
}

/** The architecture of the images with the plain names: x86_64 if it is there, because most machines have it. */
export function plainArchitecture(found: readonly Architecture[]): Architecture {
  return found.includes('x86_64') ? 'x86_64' : (found[0] ?? 'x86_64');
}

/** Variables of configure-coreos-ipa for paths. */
const pathVariables = { ROOTFS_FILE: 'rootfs', IGNITION_FILE: 'config', ISO_FILE: 'iso' } as const;

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
  const moved = new Map<string, string>();
  for (const [variable, what] of Object.entries(pathVariables)) {
    const path = env[variable];
    if (path === undefined || path === '') continue;
    const inside = isAbsolute(path) ? relative(root, path) : path;
    if (!isInside(inside)) {
      throw new UsageError(`${variable} is a path outside of ${root}`, {
        hint: 'pass the shared folder with --output',
      });
    }
    moved.set(what, inside);
  }
  const { rootfs, iso } = layout.images;
  return {
    ...layout,
    images: { ...layout.images, rootfs: moved.get('rootfs') ?? rootfs, iso: moved.get('iso') ?? iso },
    config: moved.get('config') ?? layout.config,
  };
}

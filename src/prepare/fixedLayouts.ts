/**
 * Folders of other programs, whose names for the one ramdisk of all machines are fixed: the shared folder of ironic-image
 * (Metal3), as its scripts coreos-ipa-common.sh and configure-coreos-ipa have it, and Bifrost's folder for the web server.
 */

import { isAbsolute, relative } from 'node:path/posix';
import type { Architecture } from '../core/architecture.ts';
import { UsageError } from '../core/errors.ts';
import { isInside } from '../hosts/artifacts/manifest.ts';
import type { ImagePart } from '../image/bootParts.ts';

export type FixedLayoutName = 'metal3' | 'bifrost';

/** Paths relative to the folder. */
export interface FixedLayout {
  /** Where it is unless somebody says otherwise. */
  readonly folder: string;
  readonly images: Readonly<Record<ImagePart | 'iso', string>>;
  readonly config: string;
  /** What of the folder is served, with a slash at its end; empty for all of it. */
  readonly served: string;
  /** A part of ironic.conf; undefined where the scripts of the layout write it. */
  readonly ironicConf: string | undefined;
}

const layouts: Readonly<Record<FixedLayoutName, FixedLayout>> = {
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

export function layoutNamed(name: FixedLayoutName): FixedLayout {
  return layouts[name];
}

/** Images of one architecture under names of their own, and the config where it is another one for them. */
export type ArchitectureNames = Pick<FixedLayout, 'images' | 'config'>;

/**
 * The names for machines of another architecture than those that the plain names are for: `NAME_aarch64.kernel`, as
 * machine-os-images writes them and ironic-image finds them.
 */
export function namesFor({ images, config }: FixedLayout, architecture: Architecture): ArchitectureNames {
  const named = (path: string): string => path.replace(/(\.[^./]*)?$/, (end) => `_${architecture}${end}`);
  const { kernel, initramfs, rootfs, iso } = images;
  return {
    images: { kernel: named(kernel), initramfs: named(initramfs), rootfs: named(rootfs), iso: named(iso) },
    config: named(config),
  };
}

/** Whose images get the plain names: those of most machines, where there are any. */
export function plainArchitecture(found: readonly Architecture[]): Architecture {
  return found.includes('x86_64') ? 'x86_64' : (found[0] ?? 'x86_64');
}

/** The path under the URL of what is served; undefined for a file that is not. */
export function servedPath({ served }: FixedLayout, path: string): string | undefined {
  return path.startsWith(served) ? path.slice(served.length) : undefined;
}

/** Variables that configure-coreos-ipa takes paths from. */
const pathVariables = { ROOTFS_FILE: 'rootfs', IGNITION_FILE: 'config', ISO_FILE: 'iso' } as const;

/**
 * The layout with the paths that the environment says otherwise.
 * @param root absolute path of the folder
 * @throws UsageError for a path that is not in the folder
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
      throw new UsageError(`${variable} names a file outside of ${root}`, {
        hint: 'say with --output which folder is shared',
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

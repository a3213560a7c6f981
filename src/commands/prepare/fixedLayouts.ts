/** The paths of the layout metal3 that the environment of ironic-image sets. */

import { isAbsolute, relative } from 'node:path/posix';
import { UsageError } from '../../core/errors.ts';
import type { FixedLayout } from '../../hosts/artifacts/layoutFiles.ts';
import { isInside } from '../../hosts/artifacts/manifest.ts';

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

/**
 * The images from the environment of image-customization-controller: DEPLOY_ISO, DEPLOY_INITRD and, in newer releases,
 * DEPLOY_KERNEL, with the files for other architectures in the same folder: `ironic-python-agent_aarch64.iso`.
 */

import { readdir } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { architectures } from '../core/architecture.ts';
import type { Io } from '../io/io.ts';
import type { ImageOptions } from '../hosts/plan/imageInputs.ts';

/** Options override the environment. */
export async function givenOrIccImages(
  options: ImageOptions,
  { env, cwd }: Pick<Io, 'env' | 'cwd'>,
): Promise<ImageOptions> {
  const { iso = [], kernel = [], initramfs = [], images } = options;
  if (images !== undefined || [...iso, ...kernel, ...initramfs].length > 0) return options;
  const filesOf = async (variable: string): Promise<readonly string[]> => {
    const base = env[variable] ?? '';
    if (base === '') return [];
    const folder = env['IMAGE_SHARED_DIR'] ?? dirname(base);
    const names = await readdir(resolve(cwd, folder)).catch(() => []);
    return [base, ...variants(base, names).map(([machine, name]) => `${machine}=${join(folder, name)}`)];
  };
  return {
    iso: await filesOf('DEPLOY_ISO'),
    initramfs: await filesOf('DEPLOY_INITRD'),
    kernel: await filesOf('DEPLOY_KERNEL'),
  };
}

/** Files with the same name plus an architecture. image-customization-controller accepts any file name that contains it. */
function variants(base: string, names: readonly string[]): (readonly [architecture: string, name: string])[] {
  const ending = extname(base);
  const stem = basename(base, ending);
  return architectures.flatMap((architecture) =>
    ['_', '.'].flatMap((separator) => {
      const name = `${stem}${separator}${architecture}${ending}`;
      return names.includes(name) ? [[architecture, name] as const] : [];
    }),
  );
}
